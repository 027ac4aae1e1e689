//===- TraceFamilies.cpp - Programs of trace ------------------------------===//
//
// What lowers to composites and to whole groups of operations. The reference
// rounds after each operation, a kernel keeps f32 where it can: the bounds are
// those of a few roundings of the type.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace tripy;
using namespace tripy::conformance;

namespace {
class TraceFamily {
public:
  TraceFamily(const char *family, DType dtype,
              std::vector<std::vector<int64_t>> runs)
      : b(std::string(family) + "_" + std::string(dtypeInfo(dtype).mlir), 5,
          std::move(runs)),
        dtype(dtype) {}

  std::string input(const Dims &dims) {
    return b.input(dtype, dims, {Fill::Uniform, -2, 2});
  }
  /// Small, so that products of many stay about as large as their operands.
  std::string weight(const Dims &dims) {
    return b.input(dtype, dims, {Fill::Uniform, -0.25, 0.25});
  }
  std::string type(const Dims &dims) const { return typeText(dtype, dims); }

  /// Adds "trace.<text> : (<from>) -> <to>".
  std::string add(const std::string &text, const std::vector<Dims> &from,
                  const Dims &to) {
    std::string types;
    for (const Dims &dims : from)
      types += (types.empty() ? "" : ", ") + type(dims);
    return b.op("trace." + text + " : (" + types + ") -> " + type(to));
  }
  void result(const std::string &value, const Dims &dims,
              const std::string &label) {
    b.result(value, dtype, dims, roundings(dtype), label);
  }
  void addResult(const std::string &text, const std::vector<Dims> &from,
                 const Dims &to) {
    result(add(text, from, to), to, text);
  }

  ProgramBuilder b;
  DType dtype;
};
} // namespace

/// Activations, normalizations and reductions of a matrix.
static Case rowsOf(DType dtype, const char *family, const Dims &dims,
                   std::vector<std::vector<int64_t>> runs) {
  TraceFamily f(family, dtype, std::move(runs));
  Dims rows{dims[0]}, columns{dims[1]}, kept{dims[0], {1, -1}};
  std::string x = f.input(dims), w = f.input(columns), b = f.input(columns);
  for (const char *op : {"sigmoid", "silu", "relu", "gelu"})
    f.addResult(std::string(op) + " " + x, {dims}, dims);
  f.addResult("gelu " + x + " {approximate = \"erf\"}", {dims}, dims);
  for (const char *op : {"softplus", "mish", "hard_swish", "reciprocal"})
    f.addResult(std::string(op) + " " + x, {dims}, dims);
  f.addResult("elu " + x + " alpha = 1.5", {dims}, dims);
  f.addResult("leaky_relu " + x + " slope = 0.25", {dims}, dims);
  f.addResult("hard_sigmoid " + x + " alpha = 0.2 beta = 0.5", {dims}, dims);
  f.addResult("clamp " + x + ", " + w + ", " + b, {dims, columns, columns},
              dims);
  f.addResult("softmax " + x + " dim = -1", {dims}, dims);
  f.addResult("softmax " + x + " dim = 0", {dims}, dims);
  f.addResult("mean " + x + " dims = [1]", {dims}, rows);
  f.addResult("mean " + x + " dims = [0]", {dims}, columns);
  f.addResult("var " + x + " dims = [1] correction = 0", {dims}, rows);
  f.addResult("sum " + x + " dims = [1] keepdim", {dims}, kept);
  f.addResult("layer_norm " + x + ", " + w + ", " + b + " eps = 1.0e-5",
              {dims, columns, columns}, dims);
  f.addResult("rms_norm " + x + ", " + w + " eps = 1.0e-5", {dims, columns},
              dims);
  f.addResult("mul " + x + ", " + w, {dims, columns}, dims);
  return f.b.finish(/*withSizes=*/false);
}

/// A block of a transformer, in little: attention, then a gated MLP.
static Case transformer(DType dtype, const char *family, Dim tokens,
                        std::vector<std::vector<int64_t>> runs) {
  TraceFamily f(family, dtype, std::move(runs));
  Dim width{24, -1}, hidden{40, -1}, half{20, -1}, heads{3, -1}, size{8, -1};
  Dims x{tokens, width}, weight{width, width}, vector{width};
  Dims split{tokens, heads, size}, byHead{heads, tokens, size},
      keys{heads, size, tokens}, scores{heads, tokens, tokens};
  std::string input = f.input(x), scale = f.input(vector);
  std::string normed = f.add(
      "rms_norm " + input + ", " + scale + " eps = 1.0e-5", {x, vector}, x);
  auto project = [&] {
    std::string w = f.weight(weight);
    std::string y = f.add("linear " + normed + ", " + w, {x, weight}, x);
    std::string z = f.add("reshape " + y + " to [-1, 3, 8]", {x}, split);
    return f.add("permute " + z + " [1, 0, 2]", {split}, byHead);
  };
  std::string q = project(), k = project(), v = project();
  std::string kt = f.add("transpose " + k + " dims = -2, -1", {byHead}, keys);
  std::string s = f.add("matmul " + q + ", " + kt, {byHead, keys}, scores);
  std::string p = f.add("softmax " + s + " dim = -1", {scores}, scores);
  std::string o = f.add("matmul " + p + ", " + v, {scores, byHead}, byHead);
  std::string merged = f.add("permute " + o + " [1, 0, 2]", {byHead}, split);
  std::string flat = f.add("reshape " + merged + " to [-1, 24]", {split}, x);
  std::string sum = f.add("add " + flat + ", " + input, {x, x}, x);
  f.result(p, scores, "attention weights");
  f.result(sum, x, "attention");

  Dims up{hidden, width}, upBias{hidden}, wide{tokens, hidden},
      part{tokens, half}, down{width, half};
  std::string w1 = f.weight(up), b1 = f.weight(upBias), w2 = f.weight(down);
  std::string h =
      f.add("linear " + input + ", " + w1 + ", " + b1, {x, up, upBias}, wide);
  std::string a =
      f.add("slice " + h + " [0, 0] to [9223372036854775807, 20] by [1, 1]",
            {wide}, part);
  std::string g =
      f.add("slice " + h + " [0, 20] to [9223372036854775807, 40] by [1, 1]",
            {wide}, part);
  std::string gate = f.add("gelu " + g, {part}, part);
  std::string gated = f.add("mul " + a + ", " + gate, {part, part}, part);
  std::string y = f.add("linear " + gated + ", " + w2, {part, down}, x);
  f.result(y, x, "gated MLP");
  return f.b.finish(/*withSizes=*/false);
}

/// A linear layer of quantised operands: a scale for each row of the input and
/// one for each output feature, a bias, and 16 bits.
static Case quantisedLinear(DType to, Dim rows,
                            std::vector<std::vector<int64_t>> runs) {
  constexpr DType f8 = DType::F8E4M3FN, f32 = DType::F32;
  ProgramBuilder b("quantised_linear_" + std::string(dtypeInfo(to).mlir) +
                       (rows.isDynamic() ? "_dynamic" : ""),
                   5, std::move(runs));
  Dim in{83, -1}, out{45, -1};
  Dims x{rows, in}, w{out, in}, y{rows, out}, sx{rows, {1, -1}}, sw{out};
  // Whole numbers: every sum is exact in f32.
  std::string input = b.input(f8, x, {Fill::Whole, -8, 8}),
              weight = b.input(f8, w, {Fill::Whole, -8, 8}),
              rowScale = b.input(f32, sx, {Fill::Uniform, 0.001, 0.01}),
              outScale = b.input(f32, sw, {Fill::Uniform, 0.001, 0.01});
  std::string wide = " -> " + typeText(f32, y);
  std::string dot =
      b.op("trace.linear " + input + ", " + weight + " dtype = f32 : (" +
           typeText(f8, x) + ", " + typeText(f8, w) + ")" + wide);
  std::string byRow =
      b.op("trace.mul " + dot + ", " + rowScale + " : (" + typeText(f32, y) +
           ", " + typeText(f32, sx) + ")" + wide);
  std::string both =
      b.op("trace.mul " + byRow + ", " + outScale + " : (" + typeText(f32, y) +
           ", " + typeText(f32, sw) + ")" + wide);
  std::string cast =
      b.op("trace.cast " + both + " to " + std::string(dtypeInfo(to).mlir) +
           " : (" + typeText(f32, y) + ") -> " + typeText(to, y));
  b.result(cast, to, y, {1}, "scaled");
  return b.finish(/*withSizes=*/false);
}

std::vector<Case> conformance::traceCases() {
  std::vector<Case> cases;
  for (DType dtype : {DType::F32, DType::F16, DType::BF16}) {
    cases.push_back(rowsOf(dtype, "trace_rows", Dims::of({5, 37}), {{}}));
    cases.push_back(rowsOf(dtype, "trace_dynamic_rows",
                           {Dim::of(0), Dim::of(1)},
                           {{4, 24}, {1, 1}, {3, 65}, {1, 300}}));
  }
  // Values grow along the chain, and with them the roundings of 16 bits.
  cases.push_back(transformer(DType::F32, "transformer", {11, -1}, {{}}));
  cases.push_back(transformer(DType::F32, "dynamic_transformer", Dim::of(0),
                              {{6}, {1}, {17}}));
  for (DType to : {DType::F16, DType::BF16}) {
    cases.push_back(quantisedLinear(to, {29, -1}, {{}}));
    cases.push_back(quantisedLinear(to, Dim::of(0), {{6}, {1}, {133}}));
  }
  return cases;
}
