//===- QuantizeFamilies.cpp - To and from scaled elements -----------------===//
//
// One division or product and its roundings: equal bits everywhere. Products
// of quantized operands are compared with the program's roundings of each
// element, of which there are fewer in kernels.
//
//===----------------------------------------------------------------------===//

#include "Families.h"

using namespace tripy;
using namespace tripy::conformance;

static std::string nameOf(DType dtype) {
  return std::string(dtypeInfo(dtype).mlir);
}

namespace {
/// Programs on a tensor %x of `wide`, to `narrow` and back.
class Quantization {
public:
  Quantization(const char *family, DType wide, DType narrow, const Dims &dims,
               std::vector<std::vector<int64_t>> runs)
      : b(family + ("_" + nameOf(wide)) + "_" + nameOf(narrow), 31,
          std::move(runs)),
        wide(wide), narrow(narrow), dims(dims),
        x(b.input(wide, dims, {Fill::Uniform, -60, 60})) {}

  /// Quantizes by a scale of shape `scale`, and dequantizes.
  void add(const Dims &scale, const std::string &dim) {
    std::string s = b.input(wide, scale, {Fill::Uniform, 0.01, 2});
    std::string from = typeText(wide, dims), to = typeText(narrow, dims);
    std::string by = typeText(wide, scale);
    std::string q =
        b.op("trace.quantize " + x + ", " + s + " to " + nameOf(narrow) + dim +
             " : (" + from + ", " + by + ") -> " + to);
    b.result(q, narrow, dims, {}, "quantize" + dim);
    b.result(b.op("trace.dequantize " + q + ", " + s + dim + " : (" + to +
                  ", " + by + ") -> " + from),
             wide, dims, {}, "dequantize" + dim);
  }

  ProgramBuilder b;
  DType wide, narrow;
  Dims dims;
  std::string x;
};
} // namespace

static Case quantized(const char *family, DType wide, DType narrow, Dim rows,
                      std::vector<std::vector<int64_t>> runs) {
  Dim blocks{24, -1}, columns{7, -1};
  Quantization q(family, wide, narrow, {rows, blocks, columns},
                 std::move(runs));
  q.add({}, "");
  q.add({rows}, " dim = 0");
  q.add({columns}, " dim = -1");
  q.add({rows, {4, -1}, columns}, "");
  return q.b.finish(/*withSizes=*/false);
}

/// x w^T of elements that are quantized, by a scale for x, and one for each row
/// of w.
static Case multiplied(const char *family, DType wide, DType narrow, Dim rows,
                       std::vector<std::vector<int64_t>> runs) {
  Dim depth{48, -1}, columns{24, -1};
  Dims left{rows, depth}, right{columns, depth}, result{rows, columns};
  ProgramBuilder b(family + ("_" + nameOf(wide)) + "_" + nameOf(narrow), 37,
                   std::move(runs));
  Fill whole{Fill::Whole, narrow == DType::I4 ? -8.0 : -9.0,
             narrow == DType::I4 ? 7.0 : 9.0},
      fraction{Fill::Uniform, 0.25, 2};
  std::string x = b.input(narrow, left, whole);
  std::string w = b.input(narrow, right, whole);
  std::string s = b.input(wide, {}, fraction);
  std::string t = b.input(wide, {columns}, fraction);
  auto dequantize = [&](const std::string &q, const Dims &dims,
                        const std::string &scale, const Dims &scales,
                        const char *dim) {
    return b.op("trace.dequantize " + q + ", " + scale + dim + " : (" +
                typeText(narrow, dims) + ", " + typeText(wide, scales) +
                ") -> " + typeText(wide, dims));
  };
  std::string y = b.op("trace.linear " + dequantize(x, left, s, {}, "") + ", " +
                       dequantize(w, right, t, {columns}, " dim = 0") + " : (" +
                       typeText(wide, left) + ", " + typeText(wide, right) +
                       ") -> " + typeText(wide, result));
  // Sums of 48 terms of at most 81 times 4: those of the program have an error
  // of half a unit of each element.
  double unit = wide == DType::F32   ? 0x1p-23
                : wide == DType::F16 ? 0x1p-10
                                     : 0x1p-7;
  b.result(y, wide, result, {0, 2 * unit, 48 * 81 * 4 * unit}, "linear");
  return b.finish(/*withSizes=*/false);
}

std::vector<Case> conformance::quantizeCases() {
  std::vector<Case> cases;
  for (DType wide : {DType::F32, DType::F16, DType::BF16})
    for (DType narrow :
         {DType::I8, DType::I4, DType::F8E4M3FN, DType::F8E5M2}) {
      cases.push_back(quantized("quantize", wide, narrow, {5, -1}, {{}}));
      cases.push_back(quantized("quantize_dynamic", wide, narrow, Dim::of(0),
                                {{3}, {0}, {1}, {17}}));
      cases.push_back(multiplied("product", wide, narrow, {33, -1}, {{}}));
      cases.push_back(multiplied("product_dynamic", wide, narrow, Dim::of(0),
                                 {{64}, {0}, {1}, {7}}));
    }
  return cases;
}
