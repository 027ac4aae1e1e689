//===- VerifyForm.cpp - What emitters take for granted --------------------===//
//
// Kernels that the pipeline makes have the form of docs/rationale/fusion.md.
// IR that was written by hand may verify and have another: it is refused here.
//
//===----------------------------------------------------------------------===//

#include "KernelEmission.h"
#include "ResultViews.h"
#include "SortOrder.h"
#include "tripy/Codegen/Math.h"
#include "tripy/Dialect/Common/ScalarOps.h"
#include "tripy/Dialect/Common/SizeOps.h"
#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using tripy::kernel::FusionRoot;

Operation *codegen::combinerOf(linalg::GenericOp op) {
  BlockArgument accumulator = op.getBlock()->getArguments().back();
  if (!accumulator.hasOneUse() || op.getNumDpsInits() != 1)
    return nullptr;
  Operation *combiner = *accumulator.user_begin();
  bool yielded =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp() == combiner;
  bool known =
      isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MulIOp,
          arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp, arith::MinSIOp,
          arith::MaxUIOp, arith::MinUIOp, arith::AndIOp, arith::OrIOp>(
          combiner);
  return yielded && known ? combiner : nullptr;
}

/// Tensors that are read must have elements.
static LogicalResult verifyRead(Operation *op, Value tensor) {
  if (tensor.getDefiningOp<tensor::EmptyOp>())
    return op->emitOpError("must not read a tensor.empty");
  return success();
}

/// i4 is how arguments lie in memory: what is read becomes an i8.
static LogicalResult verifyI4(Operation *op, bool isMade) {
  bool hasNoSign = isa<arith::ExtUIOp, arith::UIToFPOp>(op) &&
                   isInt4(op->getOperand(0).getType());
  if (!isMade && !hasNoSign)
    return success();
  return op->emitOpError("must not ")
         << (isMade ? "make elements of i4" : "read elements of i4 as unsigned")
         << " in a kernel, which reads them and computes with i8";
}

/// Operations of a loop's body are cloned for each element.
static LogicalResult verifyScalar(Operation &op) {
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return verifyRead(&op, extract.getTensor());
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  bool known =
      isa<linalg::IndexOp, kernel::RoundOp, UnrealizedConversionCastOp>(op) ||
      isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op.getDialect());
  if (known && op.getNumResults() == 1 && op.getNumRegions() == 0 &&
      failed(verifyI4(&op, isInt4(op.getResult(0).getType()))))
    return failure();
  if (known && op.getNumResults() == 1 && op.getNumRegions() == 0 &&
      llvm::all_of(op.getOperandTypes(), isScalar) &&
      llvm::all_of(op.getResultTypes(), isScalar)) {
    if (op.getResult(0).getType().isF64() && !hasF64Form(&op))
      return op.emitOpError(
          "is computed for f32 and narrower floats, which its "
          "operand can be cast to; found 'f64'");
    return success();
  }
  return op.emitOpError("must be scalar arithmetic, linalg.index or "
                        "tensor.extract to be in a kernel's loop");
}

/// The result has an element for each point of the parallel loops.
static LogicalResult verifyResultMap(linalg::GenericOp op, AffineMap map) {
  unsigned parallel = op.getNumParallelLoops();
  auto types = op.getIteratorTypesArray();
  bool covers = map.getNumResults() == parallel && map.isProjectedPermutation();
  for (AffineExpr expr : covers ? map.getResults() : ArrayRef<AffineExpr>())
    covers &= types[cast<AffineDimExpr>(expr).getPosition()] ==
              utils::IteratorType::parallel;
  if (covers)
    return success();
  return op.emitOpError("a result must have a dimension for each parallel "
                        "loop; found ")
         << AffineMapAttr::get(map) << " for " << parallel << " parallel loops";
}

static LogicalResult verifyGeneric(linalg::GenericOp op) {
  // Memrefs are not among them: what makes one is no part of a kernel.
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      return op.emitOpError("operands must be tensors to be part of a kernel; "
                            "found ")
             << operand.get().getType();
    if (!op.getMatchingBlockArgument(&operand).use_empty() &&
        failed(verifyRead(op, operand.get())))
      return failure();
  }
  for (Operation &scalar : op.getBlock()->without_terminator())
    if (failed(verifyScalar(scalar)))
      return failure();
  if (llvm::any_of(op.getResultTypes(),
                   [](Type type) { return isInt4(elementTypeOf(type)); }))
    return verifyI4(op, /*isMade=*/true);
  for (AffineMap map :
       ArrayRef(op.getIndexingMapsArray()).drop_front(op.getNumDpsInputs()))
    if (failed(verifyResultMap(op, map)))
      return failure();
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return op.emitOpError("indexing maps must be projected permutations to "
                            "be part of a kernel; found ")
             << AffineMapAttr::get(map);
  if (op.getNumReductionLoops() == 0)
    return success();
  if (!codegen::combinerOf(op))
    return op.emitOpError("a reduction must combine its accumulator once, with "
                          "a sum, product, maximum, minimum, and, or, and "
                          "yield the result");
  Operation *start = op.getDpsInits().front().getDefiningOp();
  if (!isa_and_nonnull<linalg::FillOp, arith::ConstantOp>(start))
    return op.emitOpError("a reduction must start from a linalg.fill");
  return success();
}

/// The number that a reduction starts from; null where it is none.
static TypedAttr startOf(linalg::GenericOp op) {
  Value start = op.getDpsInits().front();
  if (auto fill = start.getDefiningOp<linalg::FillOp>())
    start = fill.getInputs().front();
  auto constant = start.getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return nullptr;
  auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
  return splat ? splat.getSplatValue<TypedAttr>() : constant.getValue();
}

/// Threads and blocks that share a reduction start from the same number each,
/// and tensor cores from 0.
static LogicalResult verifyStart(linalg::GenericOp op) {
  TypedAttr start = startOf(op);
  if (start && scalar::isNeutral(combinerOf(op), start))
    return success();
  InFlightDiagnostic error =
      op.emitOpError("a reduction must start from the number that changes no "
                     "result, such as 0 for a sum; found ");
  return start ? error << start : error << "none";
}

/// Offsets are static, and strides positive.
static LogicalResult verifySlice(tensor::ExtractSliceOp op) {
  auto isKnown = [](int64_t number) { return !ShapedType::isDynamic(number); };
  if (llvm::all_of(op.getStaticOffsets(), isKnown) &&
      llvm::all_of(op.getStaticStrides(),
                   [](int64_t stride) { return stride > 0; }))
    return success();
  return op.emitOpError("must have static offsets and positive static strides "
                        "in a kernel");
}

/// The groups of a view are all dimensions of its larger shape, in order: MLIR
/// checks how many they are, and the order of the lower 32 bits of each number.
static LogicalResult verifyGroups(Operation *op,
                                  ArrayRef<ReassociationIndices> groups,
                                  RankedTensorType type) {
  int64_t next = 0;
  for (const ReassociationIndices &group : groups)
    for (int64_t dim : group)
      if (dim != next++)
        return op->emitOpError("must group the dimensions of ")
               << type << " in order; found " << dim << " as number "
               << next - 1;
  return success();
}

/// Scalars of a kernel's body: constants, and arithmetic on sizes, whose
/// conditions compare sizes.
static LogicalResult verifySizes(Operation &op) {
  bool known = isa<arith::ConstantOp>(op) || findSizeOp(&op);
  for (Value operand : op.getOperands())
    if (!operand.getType().isIndex()) {
      auto compare = operand.getDefiningOp<arith::CmpIOp>();
      known &= compare && compare.getLhs().getType().isIndex();
    }
  if (known)
    return success();
  return op.emitOpError("must be a constant or arithmetic on sizes to be in a "
                        "kernel outside of a loop");
}

/// A sort, or half of a pass of one.
static bool isSort(Operation *op) {
  return isa<kernel::SortOp, kernel::DigitCountsOp, kernel::DigitScatterOp>(op);
}

/// One operation of a kernel's body.
static LogicalResult verifyOperation(Operation &op) {
  for (Type type : op.getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && !isTensorElementType(tensor.getElementType()))
      return op.emitOpError("must be a tensor of Tripy's element types to be "
                            "in a kernel; found ")
             << type;
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return verifyGeneric(generic);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    if (failed(verifySlice(slice)))
      return failure();
  if (auto view = dyn_cast<tensor::ExpandShapeOp>(op))
    if (failed(verifyGroups(view, view.getReassociationIndices(),
                            view.getResultType())))
      return failure();
  if (auto view = dyn_cast<tensor::CollapseShapeOp>(op))
    if (failed(verifyGroups(view, view.getReassociationIndices(),
                            view.getSrcType())))
      return failure();
  if (isa<tensor::ExtractSliceOp, tensor::ConcatOp, tensor::ExpandShapeOp,
          tensor::CollapseShapeOp, tensor::CastOp, kernel::ScanOp,
          kernel::AttentionOp, kernel::PluginOp>(op) ||
      isSort(&op)) {
    for (Value operand : op.getOperands())
      if (failed(verifyRead(&op, operand)))
        return failure();
    return success();
  }
  if (auto fill = dyn_cast<linalg::FillOp>(op);
      fill && !fill.getInputs().front().getDefiningOp<arith::ConstantOp>())
    return op.emitOpError("must fill a tensor with a constant to be in a "
                          "kernel");
  if (isa<tensor::EmptyOp, linalg::FillOp, tensor::DimOp>(op))
    return success();
  return verifySizes(op);
}

static LogicalResult verifyScan(kernel::ScanOp op) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Type element = type.getElementType();
  if (!element.isF32() && !element.isF64() && !element.isInteger(32) &&
      !element.isInteger(64))
    return op.emitOpError("sums are of f32, f64, i32 or i64; found ")
           << element;
  return success();
}

/// The sort of a kernel is its only result.
static LogicalResult verifySort(kernel::FuncOp kernel, Operation *op) {
  Operation *yield = kernel.getBody().front().getTerminator();
  if (yield->getNumOperands() != 1 ||
      yield->getOperand(0) != op->getResult(0) || !op->hasOneUse())
    return op->emitOpError("must be the only result of its kernel, and read "
                           "by nothing in it");
  auto scatter = dyn_cast<kernel::DigitScatterOp>(op);
  if (scatter && !isa<BlockArgument>(scatter.getCounts()))
    return op->emitOpError("counts must be an argument of its kernel");
  auto sort = dyn_cast<kernel::SortOp>(op);
  if (sort && sort.getCount() && *sort.getCount() > uint64_t(maxSelected))
    return op->emitOpError("selects at most ")
           << maxSelected << " positions; found " << *sort.getCount();
  return success();
}

/// A scan, attention or sort is the fusion root of its kernel.
static LogicalResult verifyAlone(kernel::FuncOp kernel, Operation *op,
                                 size_t reductions) {
  FusionRoot root = isa<kernel::ScanOp>(op) ? FusionRoot::Scan
                    : isSort(op)            ? FusionRoot::Sort
                                            : FusionRoot::Attention;
  if (kernel.getRoot() != root || reductions > 0)
    return op->emitOpError("must be the fusion root of its kernel, which has "
                           "no reduction; found fusion root '")
           << stringifyFusionRoot(kernel.getRoot()) << "' and " << reductions
           << " reductions";
  if (isSort(op))
    return verifySort(kernel, op);
  Operation *yield = kernel.getBody().front().getTerminator();
  for (Value result : yield->getOperands()) {
    // Attention may write its rows in another order.
    Value made =
        root == FusionRoot::Attention ? ResultViews::of(result).source : result;
    if (failed(
            verifyCompatibleShape(made.getType(), op->getResult(0).getType())))
      return op->emitOpError(
                 "results of its kernel must have its shape; found ")
             << made.getType();
  }
  auto scan = dyn_cast<kernel::ScanOp>(op);
  return scan ? verifyScan(scan) : success();
}

/// Whether a tensor is one element for each row, or one for each of `loops`,
/// the rows' dimensions and then the columns'.
static bool isOverRows(ArrayRef<int64_t> shape, ArrayRef<int64_t> loops,
                       unsigned rows) {
  if (shape.size() < rows ||
      failed(verifyCompatibleShape(shape.take_front(rows),
                                   loops.take_front(rows))))
    return false;
  bool isOne = llvm::all_of(shape.drop_front(rows),
                            [](int64_t size) { return size == 1; });
  return isOne || succeeded(verifyCompatibleShape(shape, loops));
}

/// Rows come first, and all reductions are over the rows' columns.
static LogicalResult verifyRows(kernel::FuncOp kernel,
                                MutableArrayRef<linalg::GenericOp> reductions) {
  unsigned rank = reductions.front().getNumParallelLoops();
  SmallVector<int64_t> loops = reductions.front().getStaticLoopRanges();
  for (linalg::GenericOp op : reductions) {
    auto isParallel = [](utils::IteratorType type) {
      return type == utils::IteratorType::parallel;
    };
    auto iterators = op.getIteratorTypesArray();
    if (op.getNumParallelLoops() != rank ||
        !llvm::all_of(ArrayRef(iterators).take_front(rank), isParallel))
      return op.emitOpError("reductions of a row kernel must keep the same "
                            "leading dimensions; found ")
             << op.getNumParallelLoops() << " of them, the first keeps "
             << rank;
    if (failed(verifyCompatibleShape(op.getStaticLoopRanges(), loops)))
      return op.emitOpError("reductions of a row kernel must iterate over one "
                            "shape; found [")
             << op.getStaticLoopRanges() << "] and [" << loops << "]";
  }
  for (Type result : kernel.getFunctionType().getResults())
    if (!isOverRows(cast<RankedTensorType>(result).getShape(), loops, rank))
      return kernel.emitOpError("results of a row kernel must have its ")
             << rank << " leading dimensions, and then one element or all of "
             << "the columns' dimensions; it iterates over [" << loops
             << "], found " << result;
  return success();
}

/// A thread or work item computes the same element of all results: of a
/// reduction, they may have more dimensions of size 1 than others.
static LogicalResult verifyOneShape(kernel::FuncOp kernel) {
  ArrayRef<Type> results = kernel.getFunctionType().getResults();
  auto shapeOf = [&](Type result) {
    SmallVector<int64_t> shape(cast<RankedTensorType>(result).getShape());
    if (kernel.getRoot() == FusionRoot::Reduce)
      llvm::erase(shape, 1);
    return shape;
  };
  for (Type result : results)
    if (failed(
            verifyCompatibleShape(shapeOf(result), shapeOf(results.front()))))
      return kernel.emitOpError("results must have one shape; found ")
             << results.front() << " and " << result;
  return success();
}

/// Nothing is computed beside a plugin; its verifier knows the rest.
static LogicalResult verifyPlugin(kernel::FuncOp kernel, kernel::PluginOp op) {
  for (Operation &other : kernel.getBody().front().without_terminator())
    if (&other != op.getOperation() && !isa<arith::ConstantOp>(other))
      return other.emitOpError("must not be beside a plugin in a kernel");
  return success();
}

LogicalResult codegen::verifyForm(kernel::FuncOp kernel) {
  auto plugins = kernel.getBody().front().getOps<kernel::PluginOp>();
  if (!plugins.empty())
    return verifyPlugin(kernel, *plugins.begin());
  SmallVector<linalg::GenericOp> reductions;
  SmallVector<Operation *> alone; // Scans, attention and sorts.
  for (Type type : kernel.getBody().getArgumentTypes())
    if (!type.isIndex() && !isTensorType(type))
      return kernel.emitOpError(
                 "arguments must be sizes, or tensors of Tripy's "
                 "element types; found ")
             << type;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (failed(verifyOperation(op)))
      return failure();
    if (isa<kernel::ScanOp, kernel::AttentionOp>(op) || isSort(&op))
      alone.push_back(&op);
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (generic && generic.getNumReductionLoops() > 0)
      reductions.push_back(generic);
  }
  Operation *yield = kernel.getBody().front().getTerminator();
  for (Value value : yield->getOperands())
    if (failed(verifyRead(yield, value)))
      return failure();
  for (Type type : kernel.getFunctionType().getResults())
    if (isInt4(elementTypeOf(type)))
      return verifyI4(kernel, /*isMade=*/true);
  if (kernel.getFunctionType().getNumResults() == 0)
    return kernel.emitOpError("must have a result to become code");
  if (alone.size() > 1)
    return alone[1]->emitOpError(
               "must be the only scan, attention or sort of its kernel; found ")
           << alone.size();
  for (Operation *op : alone)
    if (failed(verifyAlone(kernel, op, reductions.size())))
      return failure();
  for (linalg::GenericOp op : reductions)
    if (failed(verifyStart(op)))
      return failure();
  FusionRoot root = kernel.getRoot();
  if (root == FusionRoot::Gemm)
    return success(); // ContractionSpace.cpp checks the rest.
  if (root == FusionRoot::Row && !reductions.empty())
    return verifyRows(kernel, reductions);
  size_t maximum = root == FusionRoot::Reduce ? 1 : 0;
  if (reductions.size() > maximum)
    return reductions[maximum].emitOpError("is one reduction too many in a ")
           << stringifyFusionRoot(root) << " kernel, which may have "
           << maximum;
  return verifyOneShape(kernel);
}
