//===- FusionOptions.cpp - What fusion knows of the emitters --------------===//

#include "FusionOptions.h"
#include "FusionGraph.h"
#include "OpInfo.h"

#include "tripy/Codegen/Passes.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

/// Product of static sizes; a dynamic one counts as more than any.
static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result = ShapedType::isDynamic(size) ? std::numeric_limits<int64_t>::max()
                                         : saturatingMul(result, size);
  return result;
}

/// Elements of dimensions [begin, end) of `tensor`; of a size that is not known
/// as many as can be.
SizeRange FusionOptions::extentOf(Value tensor, int64_t begin,
                                  int64_t end) const {
  SizeRange all{{1, 1}, 1};
  auto type = cast<RankedTensorType>(tensor.getType());
  for (int64_t dim = begin; dim < end; ++dim) {
    SizeRange size{{0, anySize.hi}, anySize.hi};
    if (!type.isDynamicDim(dim)) {
      int64_t known = type.getDimSize(dim);
      size = {{known, known}, known};
    } else if (sizes && ranges) {
      auto value = dyn_cast<Value>(sizes->get(tensor)[dim]);
      size = (value ? ranges->of(value) : std::nullopt).value_or(size);
    }
    all.values.lo = saturatingMul(all.values.lo, size.values.lo);
    all.values.hi = saturatingMul(all.values.hi, size.values.hi);
    all.opt = saturatingMul(all.opt, size.opt);
  }
  return all;
}

bool FusionOptions::isVector(flatir::DotOp dot) const {
  RankedTensorType type = dot.getResult().getType();
  int64_t batch = dot.getLhsBatch().size();
  int64_t left = rankOf(dot.getLhs()) - dot.getLhsContract().size();
  SizeRange rows = extentOf(dot.getResult(), batch, left);
  SizeRange columns = extentOf(dot.getResult(), left, type.getRank());
  // A kernel reads the first of its rows in place of those that are not there.
  auto isFew = [&](const SizeRange &range) {
    return range.values.hi <= vectorRows &&
           (range.isStatic() || range.values.lo > 0);
  };
  return (isFew(rows) || isFew(columns)) && !suitsTensorCores(dot);
}

/// [batch..., outer..., k], or [batch..., k, outer] with elements of 16 bits.
static bool isTensorOperand(int64_t rank, ArrayRef<int64_t> batch,
                            ArrayRef<int64_t> contract, bool anyOrder) {
  int64_t leading = batch.size();
  if (contract.size() != 1 || rank < leading + 2 ||
      !llvm::equal(batch, llvm::seq(leading)))
    return false;
  return contract[0] == rank - 1 ||
         (anyOrder && contract[0] == leading && rank == leading + 2);
}

static bool is16Bit(Type element) {
  return element.isF16() || element.isBF16();
}

/// Whether tensor cores multiply elements of 8 bits: floats where there are
/// instructions for them, and i8 wherever there are any.
static bool isTensorByte(Type element, bool tensorF8) {
  return element.isSignlessInteger(8) || (tensorF8 && isFloat8(element));
}

static bool haveTensorOrder(flatir::DotOp dot) {
  bool wide = is16Bit(elementTypeOf(dot.getLhs()));
  int64_t right = rankOf(dot.getRhs());
  return right == static_cast<int64_t>(dot.getRhsBatch().size()) + 2 &&
         isTensorOperand(rankOf(dot.getLhs()), dot.getLhsBatch(),
                         dot.getLhsContract(), wide) &&
         isTensorOperand(right, dot.getRhsBatch(), dot.getRhsContract(), wide);
}

bool FusionOptions::onTensorCores(flatir::DotOp dot) const {
  Type element = elementTypeOf(dot.getLhs());
  return tensorCores && !isVector(dot) &&
         (is16Bit(element) || isTensorByte(element, tensorF8) ||
          (element.isF32() && dot.getAllowTF32())) &&
         haveTensorOrder(dot);
}

bool fusion::hasTensorRows(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t inner = type.getShape().back();
  return !ShapedType::isDynamic(inner) &&
         inner % tensorRowBytes * type.getElementTypeBitWidth() %
                 (tensorRowBytes * 8) ==
             0;
}

/// Whether the tensor lies in memory, or is a part of one that does which TMA
/// copies as it is. What is computed or laid out on the way, such as the cast
/// of a weight of f8, CUDA cores read without writing it first.
static bool liesInMemory(flatir::DotOp dot, Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return true;
  if (isTensorView(dot, op))
    return liesInMemory(dot, cast<flatir::SliceOp>(op).getInput());
  return classOf(op) == OpClass::Data || isSeed(op);
}

/// Rows of the left operand, one that ends with K; 0 for others.
SizeRange FusionOptions::rowsOf(flatir::DotOp dot) const {
  int64_t rank = rankOf(dot.getLhs());
  if (dot.getLhsContract().size() != 1 || dot.getLhsContract()[0] != rank - 1 ||
      dot.getLhs().getType().isDynamicDim(rank - 1))
    return {{0, 0}, 0};
  return extentOf(dot.getLhs(), dot.getLhsBatch().size(), rank - 1);
}

bool FusionOptions::hasFewRows(flatir::DotOp dot) const {
  int64_t rows = rowsOf(dot).values.hi;
  return rows > 0 && rows <= codegen::maxSwapABRows;
}

/// Product of the sizes of dimensions that are neither of `batch` nor of
/// `contract`.
static int64_t freeExtent(RankedTensorType type, ArrayRef<int64_t> batch,
                          ArrayRef<int64_t> contract) {
  SmallVector<int64_t> sizes;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (!llvm::is_contained(batch, int64_t(dim)) &&
        !llvm::is_contained(contract, int64_t(dim)))
      sizes.push_back(size);
  return product(sizes);
}

/// Whether vectors of neighbouring windows are loaded with masks, or gathered:
/// each element is then packed in about the time of a copy.
static bool areWindowVectors(flatir::WindowOp windows) {
  Type element = elementTypeOf(windows.getResult());
  unsigned bits = element.getIntOrFloatBitWidth();
  return (bits == 32 || bits == 64) &&
         llvm::all_of(windows.getInterior(),
                      [](int64_t i) { return i == 1; }) &&
         llvm::none_of(windows.getInput().getType().getShape().drop_front(),
                       ShapedType::isDynamic);
}

bool FusionOptions::slidesWindows(flatir::DotOp dot,
                                  flatir::WindowOp windows) const {
  int64_t inner = rankOf(dot.getRhs()) - 1;
  if (!windowsInProducts || llvm::is_contained(dot.getRhsContract(), inner) ||
      llvm::is_contained(dot.getRhsBatch(), inner))
    return false;
  if (areWindowVectors(windows))
    return true;
  // An element of a window is computed once for each tile of rows, of 192 where
  // there are many columns, and takes about twice as long as one that is read.
  // With few rows or many tiles it is better written once; and where the last
  // dimension, along which the loop runs, is short.
  constexpr int64_t fewRows = 16, tileRows = 192, maxTiles = 3, shortest = 32;
  constexpr int64_t enoughColumns = 1024, manyColumns = 8192;
  int64_t run = windows.getResult().getType().getShape().back();
  int64_t rows = freeExtent(dot.getLhs().getType(), dot.getLhsBatch(),
                            dot.getLhsContract());
  int64_t columns = freeExtent(dot.getRhs().getType(), dot.getRhsBatch(),
                               dot.getRhsContract());
  if (ShapedType::isDynamic(run) || run < shortest || rows < fewRows ||
      rows > maxTiles * tileRows)
    return false;
  return columns >= (rows <= tileRows ? enoughColumns : manyColumns);
}

bool FusionOptions::suitsTensorCores(flatir::DotOp dot) const {
  Type element = elementTypeOf(dot.getLhs());
  if (!fewRowsOnTensorCores ||
      !(is16Bit(element) || isTensorByte(element, /*tensorF8=*/true)) ||
      !haveTensorOrder(dot) || !hasTensorRows(dot.getLhs()) ||
      !hasTensorRows(dot.getRhs()) || !liesInMemory(dot, dot.getRhs()))
    return false;
  ArrayRef<int64_t> matrix = dot.getRhs().getType().getShape();
  SizeRange rows = rowsOf(dot);
  int64_t rank = matrix.size();
  int64_t k = dot.getRhsContract()[0], columns = 2 * rank - 3 - k;
  codegen::FewRows few{rows.opt,
                       product(matrix.drop_back(2)),
                       matrix[columns],
                       matrix[k],
                       int64_t(element.getIntOrFloatBitWidth()),
                       /*alongK=*/k == rank - 1};
  return rows.values.lo >= 1 && rows.values.hi <= vectorRows &&
         matrix[columns] >= rows.values.hi &&
         !ShapedType::isDynamicShape(matrix) && few.suitsTensorCores(*machine);
}
