//===- model.h - ResNet-50 --------------------------------------*- C++ -*-===//
//
// Members have torchvision's names: "layer1.0.downsample.0.weight".
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_EXAMPLES_RESNET50_MODEL_H
#define TRIPY_EXAMPLES_RESNET50_MODEL_H

#include <tripy/tripy.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

/// A convolution without bias that keeps the size, but for its stride.
tripy::Conv sameConv(int64_t in, int64_t out, int64_t window,
                     int64_t stride = 1);

/// 1x1, 3x3 and 1x1 convolutions, around which the input is added.
struct Bottleneck : tripy::Module {
  tripy::Conv conv1;
  tripy::BatchNorm bn1;
  tripy::Conv conv2;
  tripy::BatchNorm bn2;
  tripy::Conv conv3;
  tripy::BatchNorm bn3;
  /// Where the result has another shape than the input.
  std::optional<tripy::Sequential> downsample;

  Bottleneck(int64_t in, int64_t width, int64_t stride);
  tripy::Tensor forward(const tripy::Tensor &x) const;
  TRIPY_MODULE(Bottleneck, conv1, bn1, conv2, bn2, conv3, bn3, downsample)
};

struct ResNetSizes {
  int64_t width = 64, classes = 1000;
  std::array<int64_t, 4> blocks = {3, 4, 6, 3};
};

struct ResNet : tripy::Module {
  tripy::Conv conv1;
  tripy::BatchNorm bn1;
  std::vector<Bottleneck> layer1, layer2, layer3, layer4;
  tripy::Linear fc;

  explicit ResNet(const ResNetSizes &sizes);
  /// Pictures (batch, 3, height, width) to logits (batch, classes).
  tripy::Tensor forward(tripy::Tensor x) const;
  TRIPY_MODULE(ResNet, conv1, bn1, layer1, layer2, layer3, layer4, fc)
};

/// Reads a file of torchvision's names; sizes are those of its tensors, so that
/// ResNet-101 and -152 work as well. Throws tripy::Error.
ResNet loadResNet(const std::string &path);

#endif // TRIPY_EXAMPLES_RESNET50_MODEL_H
