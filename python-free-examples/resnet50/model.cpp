//===- model.cpp - ResNet-50 ----------------------------------------------===//

#include "model.h"

#include <stdexcept>

namespace tp = tripy;

tp::Conv sameConv(int64_t in, int64_t out, int64_t window, int64_t stride) {
  int64_t padding = window / 2;
  return tp::Conv(in, out, {window, window},
                  {.stride = {stride, stride},
                   .low = {padding, padding},
                   .high = {padding, padding},
                   .hasBias = false});
}

Bottleneck::Bottleneck(int64_t in, int64_t width, int64_t stride)
    : conv1(sameConv(in, width, 1)), bn1(width),
      conv2(sameConv(width, width, 3, stride)), bn2(width),
      conv3(sameConv(width, 4 * width, 1)), bn3(4 * width) {
  if (stride == 1 && in == 4 * width)
    return;
  downsample.emplace();
  downsample->add(sameConv(in, 4 * width, 1, stride))
      .add(tp::BatchNorm(4 * width));
}

tp::Tensor Bottleneck::forward(const tp::Tensor &x) const {
  tp::Tensor y = tp::relu(bn1(conv1(x)));
  y = tp::relu(bn2(conv2(y)));
  y = bn3(conv3(y));
  return tp::relu(y + (downsample ? (*downsample)(x) : x));
}

/// The blocks of a layer; the first one makes the picture smaller.
static std::vector<Bottleneck> makeLayer(int64_t in, int64_t width,
                                         int64_t blocks, int64_t stride) {
  std::vector<Bottleneck> layer;
  for (int64_t i = 0; i < blocks; ++i)
    layer.emplace_back(i ? 4 * width : in, width, i ? 1 : stride);
  return layer;
}

ResNet::ResNet(const ResNetSizes &sizes)
    : conv1(sameConv(3, sizes.width, 7, 2)), bn1(sizes.width),
      layer1(makeLayer(sizes.width, sizes.width, sizes.blocks[0], 1)),
      layer2(makeLayer(4 * sizes.width, 2 * sizes.width, sizes.blocks[1], 2)),
      layer3(makeLayer(8 * sizes.width, 4 * sizes.width, sizes.blocks[2], 2)),
      layer4(makeLayer(16 * sizes.width, 8 * sizes.width, sizes.blocks[3], 2)),
      fc(32 * sizes.width, sizes.classes) {}

tp::Tensor ResNet::forward(tp::Tensor x) const {
  x = tp::relu(bn1(conv1(x)));
  x = tp::maxpool(x, {3, 3}, {.stride = {2, 2}, .low = {1, 1}, .high = {1, 1}});
  for (const auto *layer : {&layer1, &layer2, &layer3, &layer4})
    for (const Bottleneck &block : *layer)
      x = block(x);
  return fc(tp::mean(x, {2, 3}));
}

ResNet loadResNet(const std::string &path) {
  tp::StateDict weights;
  ResNetSizes sizes{.width = 0, .classes = 0, .blocks = {}};
  for (auto &[name, tensor] : tp::readSafetensors(path)) {
    // A count that training keeps.
    if (name.ends_with(".num_batches_tracked"))
      continue;
    if (name == "conv1.weight")
      sizes.width = tensor.shape()[0].value();
    if (name == "fc.weight")
      sizes.classes = tensor.shape()[0].value();
    for (size_t layer = 0; layer < 4; ++layer)
      sizes.blocks[layer] +=
          name.starts_with("layer" + std::to_string(layer + 1) + ".") &&
          name.ends_with(".conv1.weight");
    weights.emplace_back(name, tensor);
  }
  if (sizes.width == 0 || sizes.classes == 0)
    throw std::runtime_error("'" + path +
                             "' has no weights of a ResNet: conv1.weight and "
                             "fc.weight");
  ResNet network(sizes);
  network.loadStateDict(weights);
  return network;
}
