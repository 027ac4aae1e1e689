//===- model.h - The network of GPT-2 ---------------------------*- C++ -*-===//
//
// Members have the names of the published files: "h.0.attn.c_attn.weight".
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_EXAMPLES_NANOGPT_MODEL_H
#define TRIPY_EXAMPLES_NANOGPT_MODEL_H

#include <tripy/tripy.h>

#include <string>
#include <vector>

struct GptSizes {
  int64_t vocabulary, context, width, heads, layers;
  /// Of weights and cache.
  tripy::DType dtype;
};

/// x times the weight (in, out), plus bias: GPT-2's files have Linear's weight
/// transposed.
struct GptLinear : tripy::Module {
  tripy::Parameter weight, bias;
  GptLinear(int64_t in, int64_t out, tripy::DType dtype)
      : weight({in, out}, dtype), bias({out}, dtype) {}
  tripy::Tensor forward(const tripy::Tensor &x) const {
    return tripy::matmul(x, weight) + bias;
  }
  TRIPY_MODULE(GptLinear, weight, bias)
};

/// Keys and values of all positions so far, (1, heads, context, width / heads).
struct GptCache {
  tripy::Tensor keys, values;
};

struct GptAttention : tripy::Module {
  int64_t heads, width;
  GptLinear c_attn, c_proj;
  explicit GptAttention(const GptSizes &sizes)
      : heads(sizes.heads), width(sizes.width),
        c_attn(width, 3 * width, sizes.dtype),
        c_proj(width, width, sizes.dtype) {}
  /// x is (1, length, width), its first row at `position`; the cache gets its
  /// keys and values.
  tripy::Tensor forward(const tripy::Tensor &x, const tripy::Tensor &position,
                        GptCache &cache) const;
  TRIPY_MODULE(GptAttention, c_attn, c_proj)
};

struct GptMlp : tripy::Module {
  GptLinear c_fc, c_proj;
  explicit GptMlp(const GptSizes &sizes)
      : c_fc(sizes.width, 4 * sizes.width, sizes.dtype),
        c_proj(4 * sizes.width, sizes.width, sizes.dtype) {}
  tripy::Tensor forward(const tripy::Tensor &x) const {
    return c_proj(tripy::gelu(c_fc(x)));
  }
  TRIPY_MODULE(GptMlp, c_fc, c_proj)
};

struct GptBlock : tripy::Module {
  tripy::LayerNorm ln_1;
  GptAttention attn;
  tripy::LayerNorm ln_2;
  GptMlp mlp;
  explicit GptBlock(const GptSizes &sizes)
      : ln_1({sizes.width}, sizes.dtype), attn(sizes),
        ln_2({sizes.width}, sizes.dtype), mlp(sizes) {}
  tripy::Tensor forward(const tripy::Tensor &x, const tripy::Tensor &position,
                        GptCache &cache) const {
    tripy::Tensor y = x + attn(ln_1(x), position, cache);
    return y + mlp(ln_2(y));
  }
  TRIPY_MODULE(GptBlock, ln_1, attn, ln_2, mlp)
};

struct Gpt : tripy::Module {
  tripy::Embedding wte, wpe;
  std::vector<GptBlock> h;
  tripy::LayerNorm ln_f;
  explicit Gpt(const GptSizes &sizes);
  /// Tokens (1, length) at `position`, and keys and values of each layer in
  /// turn. Returns the logits of the token behind the last one, (1,
  /// vocabulary) of float32, and the cache with these tokens in it.
  std::vector<tripy::Tensor> forward(const tripy::Tensor &tokens,
                                     const tripy::Tensor &position,
                                     std::vector<tripy::Tensor> cache) const;
  TRIPY_MODULE(Gpt, wte, wpe, h, ln_f)
};

/// Reads a file with the published names, with or without "transformer." in
/// front. `heads` is width / 64 if 0. Weights get the element type. Throws
/// tripy::Error.
Gpt loadGpt(const std::string &path, int64_t heads, tripy::DType dtype,
            GptSizes &sizes);

#endif // TRIPY_EXAMPLES_NANOGPT_MODEL_H
