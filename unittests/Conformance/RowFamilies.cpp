//===- RowFamilies.cpp - Programs of element-wise operations --------------===//

#include "Families.h"

#include "tripy/Dialect/Common/ScalarFns.h"

using namespace tripy;
using namespace tripy::conformance;
using scalar::ScalarFnInfo;

static bool isDefined(const ScalarFnInfo &row, DType dtype) {
  switch (dtypeInfo(dtype).cls) {
  case DTypeClass::Float:
    return row.onFloat;
  case DTypeClass::Int:
    return row.onInt;
  case DTypeClass::Bool:
    return row.onBool;
  }
  return false;
}

/// The row's bound. 16-bit results are computed in f32 and rounded: at most
/// one neighbour off, and not off at all when the function is exact.
static Tolerance toleranceOf(const ScalarFnInfo &row, DType dtype) {
  if (dtypeInfo(dtype).cls != DTypeClass::Float || row.ulp == 0)
    return {};
  return {dtype == DType::F32 ? row.ulp : 1};
}

namespace {
/// The inputs of one program, made as rows ask for intervals.
class Operands {
public:
  Operands(ProgramBuilder &b, DType dtype, Dims dims, bool edges)
      : b(b), dtype(dtype), dims(std::move(dims)), edges(edges) {}

  /// Two arguments filled from an interval.
  std::pair<std::string, std::string> from(double low, double high) {
    if (edges)
      low = high = 0;
    for (const Known &known : pairs)
      if (known.low == low && known.high == high)
        return {known.x, known.y};
    Fill x{edges ? Fill::EdgeRow : Fill::Uniform, low, high};
    Fill y{edges ? Fill::EdgeColumn : Fill::Uniform, low, high};
    pairs.push_back(
        {low, high, b.input(dtype, dims, x), b.input(dtype, dims, y)});
    return {pairs.back().x, pairs.back().y};
  }

private:
  struct Known {
    double low, high;
    std::string x, y;
  };
  ProgramBuilder &b;
  DType dtype;
  Dims dims;
  bool edges;
  std::vector<Known> pairs;
};
} // namespace

static Case rowCase(const std::string &name, DType dtype, const Dims &dims,
                    bool edges, std::vector<std::vector<int64_t>> runs) {
  ProgramBuilder b(name + "_" + std::string(dtypeInfo(dtype).mlir), 7,
                   std::move(runs));
  Operands operands(b, dtype, dims, edges);
  std::string type = typeText(dtype, dims);
  for (const ScalarFnInfo &row : scalar::scalarFns()) {
    if (!isDefined(row, dtype))
      continue;
    auto [x, y] = operands.from(row.low, row.high);
    std::string value = b.op("flatir." + row.mnemonic.str() + " " + x +
                             (row.arity == 2 ? ", " + y : "") + " : " + type);
    b.result(value, dtype, dims, toleranceOf(row, dtype), row.mnemonic.str());
  }
  auto [x, y] = operands.from(-4, 4);
  for (const scalar::ComparisonInfo &row : scalar::comparisons())
    b.result(b.op("flatir.compare " + row.mnemonic.str() + " " + x + ", " + y +
                  " : " + type + " -> " + typeText(DType::Bool, dims)),
             DType::Bool, dims, {}, row.mnemonic.str());
  return b.finish();
}

std::vector<Case> conformance::rowCases() {
  std::vector<Case> cases;
  for (DType dtype : allTypes) {
    int64_t edges = edgeCount(dtype);
    cases.push_back(rowCase("rows", dtype, Dims::of({13, 79}), false, {{}}));
    cases.push_back(
        rowCase("edges", dtype, Dims::of({edges * edges}), true, {{}}));
    Dims dynamic{Dim::of(0), {5, -1}, Dim::of(1)};
    cases.push_back(rowCase("dynamic", dtype, dynamic, false,
                            {{3, 7}, {1, 1}, {0, 4}, {16, 33}}));
  }
  return cases;
}

//===-- conversions -------------------------------------------------------===//

std::vector<Case> conformance::convertCases() {
  std::vector<Case> cases;
  for (DType from : storedTypes) {
    ProgramBuilder b("convert_" + std::string(dtypeInfo(from).mlir), 3);
    Dims special{{edgeCount(from), -1}}, many = Dims::of({1037});
    std::string x = b.input(from, special, {Fill::EdgeColumn});
    std::string y = b.input(from, many, {Fill::Uniform, -3e5, 3e5});
    for (DType to : storedTypes) {
      if (from == to)
        continue;
      for (auto [value, dims] : {std::pair(x, special), std::pair(y, many)}) {
        std::string result =
            b.op("flatir.convert " + value + " : " + typeText(from, dims) +
                 " -> " + typeText(to, dims));
        // A wide integer may go to 16 bits by way of f32.
        bool twice = from == DType::I64 || from == DType::I32;
        bool isShort = to == DType::F16 || to == DType::BF16;
        b.result(result, to, dims, {twice && isShort ? 1u : 0u},
                 "to " + std::string(dtypeInfo(to).mlir));
      }
    }
    cases.push_back(b.finish());
  }
  return cases;
}
