//===- model.cpp - The network of GPT-2 -----------------------------------===//

#include "model.h"

#include <algorithm>
#include <stdexcept>

namespace tp = tripy;

tp::Tensor GptAttention::forward(const tp::Tensor &x,
                                 const tp::Tensor &position,
                                 GptCache &cache) const {
  tp::Size length = x.shape()[1];
  auto splitHeads = [&](const tp::Tensor &part) {
    return tp::transpose(tp::reshape(part, {1, length, heads, width / heads}),
                         1, 2);
  };
  std::vector<tp::Tensor> parts = tp::split(c_attn(x), 3, -1);
  cache.keys = tp::update_slice(cache.keys, splitHeads(parts[1]), position, 2);
  cache.values =
      tp::update_slice(cache.values, splitHeads(parts[2]), position, 2);
  // The last token sees all that is in the cache, the one before it one less.
  tp::Tensor y = tp::attention(splitHeads(parts[0]), cache.keys, cache.values,
                               {.lengths = tp::reshape(position + length, {1}),
                                .causal = "bottom_right"});
  return c_proj(tp::reshape(tp::transpose(y, 1, 2), {1, length, width}));
}

Gpt::Gpt(const GptSizes &sizes)
    : wte(sizes.vocabulary, sizes.width, sizes.dtype),
      wpe(sizes.context, sizes.width, sizes.dtype),
      ln_f({sizes.width}, sizes.dtype) {
  for (int64_t i = 0; i < sizes.layers; ++i)
    h.emplace_back(sizes);
}

std::vector<tp::Tensor> Gpt::forward(const tp::Tensor &tokens,
                                     const tp::Tensor &position,
                                     std::vector<tp::Tensor> cache) const {
  tp::Size length = tokens.shape()[1];
  tp::Tensor positions = tp::iota({length}, 0, tp::int32) + position;
  tp::Tensor x = wte(tokens) + wpe(positions);
  for (size_t i = 0; i < h.size(); ++i) {
    GptCache layer{cache[2 * i], cache[2 * i + 1]};
    x = h[i](x, position, layer);
    cache[2 * i] = layer.keys;
    cache[2 * i + 1] = layer.values;
  }
  // The token embedding is also the last layer.
  tp::Tensor last = ln_f(x)[{tp::slice(), length - 1}];
  cache.insert(cache.begin(),
               tp::cast(tp::linear(last, wte.weight), tp::float32));
  return cache;
}

//===-- files -------------------------------------------------------------===//

/// Tensors that are no weights, or a second name of one.
static bool isLeftOut(const std::string &name) {
  return name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias") ||
         name == "lm_head.weight";
}

static tp::StateDict readWeights(const std::string &path, tp::DType dtype) {
  tp::StateDict weights;
  for (auto &[name, tensor] : tp::readSafetensors(path)) {
    std::string text = name;
    if (text.starts_with("transformer."))
      text.erase(0, std::string("transformer.").size());
    if (!isLeftOut(text))
      weights.emplace_back(text, tensor.dtype() == dtype
                                     ? tensor
                                     : tp::cast(tensor, dtype).eval());
  }
  return weights;
}

static GptSizes sizesOf(const tp::StateDict &weights) {
  GptSizes sizes{};
  for (const auto &[name, tensor] : weights) {
    if (name == "wte.weight") {
      sizes.vocabulary = tensor.shape()[0].value();
      sizes.width = tensor.shape()[1].value();
    }
    if (name == "wpe.weight")
      sizes.context = tensor.shape()[0].value();
    sizes.layers += name.starts_with("h.") && name.ends_with(".ln_1.weight");
  }
  if (sizes.vocabulary == 0 || sizes.context == 0 || sizes.layers == 0)
    throw std::runtime_error("the file has no weights of GPT-2: wte.weight, "
                             "wpe.weight and h.0.ln_1.weight");
  return sizes;
}

Gpt loadGpt(const std::string &path, int64_t heads, tp::DType dtype,
            GptSizes &sizes) {
  tp::StateDict weights = readWeights(path, dtype);
  sizes = sizesOf(weights);
  sizes.dtype = dtype;
  sizes.heads = heads ? heads : sizes.width / 64;
  if (sizes.heads < 1 || sizes.width % sizes.heads != 0)
    throw std::runtime_error("--heads divides the width " +
                             std::to_string(sizes.width) + "; found " +
                             std::to_string(sizes.heads));
  Gpt gpt(sizes);
  gpt.loadStateDict(weights);
  return gpt;
}
