//===- RowFamilies.cpp - Programs of element-wise operations --------------===//

#include "Families.h"

#include "tripy/Codegen/Math.h"
#include "tripy/Dialect/Common/ScalarFns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace tripy;
using namespace tripy::conformance;
using scalar::ScalarFnInfo;

std::vector<DType> conformance::storedTypes() {
  std::vector<DType> types;
  for (const DTypeInfo &info : dtypeTable)
    types.push_back(info.dtype);
  return types;
}

std::vector<DType> conformance::allTypes() {
  std::vector<DType> types = storedTypes();
  std::erase_if(
      types, [](DType dtype) { return isFloat8(dtype) || dtype == DType::I4; });
  return types;
}

/// Whether kernels compute the row on f64; what they do not they refuse.
static bool hasF64Form(const ScalarFnInfo &row) {
  mlir::MLIRContext context;
  context.loadDialect<mlir::arith::ArithDialect, mlir::math::MathDialect>();
  mlir::OpBuilder b(&context);
  mlir::Block body;
  b.setInsertionPointToStart(&body);
  for (unsigned i = 0; i < row.arity; ++i)
    body.addArgument(b.getF64Type(), b.getUnknownLoc());
  scalar::build(*scalar::lookupScalarFn(row.mnemonic), b, b.getUnknownLoc(),
                body.getArguments());
  return llvm::all_of(
      body, [](mlir::Operation &op) { return codegen::hasF64Form(&op); });
}

static bool isDefined(const ScalarFnInfo &row, DType dtype) {
  if (dtype == DType::F64 && (!row.onFloat || !hasF64Form(row)))
    return false;
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
  // The reference's own functions of f64 are those of the C library, whose cbrt
  // is up to 4 units off (CodegenMathTests compare with long double).
  if (dtype == DType::F64)
    return {row.mnemonic == "cbrt" ? 5u : std::max(row.ulp, 2u)};
  return {dtypeSize(dtype) >= 4 ? row.ulp : 1};
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
  for (DType dtype : allTypes()) {
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
  for (DType from : storedTypes()) {
    ProgramBuilder b("convert_" + std::string(dtypeInfo(from).mlir), 3);
    Dims special{{edgeCount(from), -1}}, many = Dims::of({1037});
    std::string x = b.input(from, special, {Fill::EdgeColumn});
    std::string y = b.input(from, many, {Fill::Uniform, -3e5, 3e5});
    for (DType to : storedTypes()) {
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
