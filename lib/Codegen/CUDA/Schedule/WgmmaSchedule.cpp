//===- WgmmaSchedule.cpp - When and how tensor cores are used -------------===//

#include "Codegen/CUDA/Contractions/OperandSource.h"
#include "Codegen/CUDA/Contractions/WgmmaGemm.h"

#include "tripy/Dialect/Tripy/Tripy.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

static int64_t tensorNumber(kernel::FuncOp kernel, BlockArgument argument) {
  int64_t number = 0;
  for (BlockArgument other :
       kernel.getBody().getArguments().take_front(argument.getArgNumber()))
    number += isa<RankedTensorType>(other.getType());
  return number;
}

/// Whether loops `dims` are the results [first, first + size) of `map`, in
/// order.
static bool standAt(AffineMap map, unsigned first, ArrayRef<unsigned> dims) {
  for (auto [i, dim] : llvm::enumerate(dims)) {
    auto expr = dyn_cast<AffineDimExpr>(map.getResult(first + i));
    if (!expr || expr.getPosition() != dim)
      return false;
  }
  return true;
}

/// The end of a part's dimension that is the buffer's, or one that only the
/// run-time size tells, at or before the buffer's.
static constexpr int64_t whole = -1, unknownEnd = -2;

/// Follows parts of tensors back to the argument that holds them, and says
/// where the part begins and ends in each dimension.
static BlockArgument findBuffer(Value tensor, SmallVectorImpl<int64_t> &begin,
                                SmallVectorImpl<int64_t> &end) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  begin.assign(rank, 0);
  end.assign(rank, whole);
  while (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>()) {
    RankedTensorType from = slice.getSourceType(), to = slice.getType();
    if (from.getRank() != rank || to.getRank() != rank)
      return BlockArgument();
    for (int64_t dim = 0; dim < rank; ++dim) {
      int64_t offset = slice.getStaticOffsets()[dim];
      int64_t size = slice.getStaticSizes()[dim];
      if (slice.getStaticStrides()[dim] != 1 || ShapedType::isDynamic(offset))
        return BlockArgument();
      // What an inner part ends at is nearer than what the outer one does.
      if (end[dim] >= 0)
        end[dim] += offset;
      else if (ShapedType::isDynamic(size))
        end[dim] = unknownEnd;
      else if (offset != 0 || size != from.getDimSize(dim))
        end[dim] = offset + size;
      begin[dim] += offset;
    }
    tensor = slice.getSource();
  }
  return dyn_cast<BlockArgument>(tensor);
}

/// Recognises [batch, outer..., k] and [batch, k, outer] in `tensor`, which
/// stands for operand `number`.
static std::optional<WgmmaOperand>
recognise(kernel::FuncOp kernel, const WgmmaSchedule &schedule,
          linalg::GenericOp op, unsigned number, ArrayRef<unsigned> outer,
          Value tensor) {
  AffineMap map = op.getMatchingIndexingMap(&op->getOpOperand(number));
  unsigned first = schedule.batch.size();
  if (!isa<RankedTensorType>(tensor.getType()) || schedule.k.size() != 1 ||
      map.getNumResults() != first + outer.size() + 1 ||
      !standAt(map, 0, schedule.batch))
    return std::nullopt;
  SmallVector<int64_t> begin, end;
  BlockArgument argument = findBuffer(tensor, begin, end);
  if (!argument)
    return std::nullopt;
  auto type = cast<RankedTensorType>(argument.getType());
  int64_t inner = type.getShape().back();
  if (ShapedType::isDynamic(inner) || inner == 0 ||
      inner * schedule.elementBytes % 16 != 0)
    return std::nullopt;
  WgmmaOperand found;
  found.buffer = tensorNumber(kernel, argument);
  found.batched = !schedule.batch.empty();
  found.rowBytes = inner * schedule.elementBytes;
  found.innerBegin = begin.back();
  found.innerEnd = end.back();
  found.kMajor = standAt(map, first, outer) &&
                 standAt(map, first + outer.size(), schedule.k);
  // A part may be cut in its rows when they are one dimension. Rows beyond an
  // end that is not known are multiplied for nothing; K has to be known.
  for (size_t dim = 0; dim + 1 < begin.size(); ++dim) {
    bool rows = dim == first && begin.size() == first + 2;
    if (end[dim] == whole)
      continue;
    if (!rows || (end[dim] == unknownEnd && !found.kMajor))
      return std::nullopt;
    found.outerBegin = begin[dim];
    found.outerEnd = std::max(end[dim], whole);
  }
  if (end.back() == unknownEnd)
    return std::nullopt;
  if (found.kMajor)
    return found;
  // Instructions for elements of 16 bits alone read K across the rows.
  if (schedule.elementBytes == 2 && outer.size() == 1 &&
      standAt(map, first, schedule.k) && standAt(map, first + 1, outer))
    return found;
  return std::nullopt;
}

/// Whether all that the kernel does with `source` is to read, for each element
/// of the result, the one at the same place. There may be several results where
/// the source is read for the input of a norm alone.
static bool isReadInPlace(kernel::FuncOp kernel, BlockArgument source,
                          bool hasNorm) {
  auto result = kernel.getFunctionType().getResults();
  if ((result.size() != 1 && !hasNorm) || source.getType() != result.front() ||
      cast<RankedTensorType>(result.front()).getElementTypeBitWidth() != 16)
    return false;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(result.front()).getShape();
  // At computed places, as of a flip.
  auto isApart = [&](tensor::ExtractOp read) {
    return read.getTensor().getType().getShape() == shape
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  if (kernel.getBody().walk(isApart).wasInterrupted())
    return false;
  for (Operation &each : kernel.getBody().front()) {
    auto op = dyn_cast<linalg::GenericOp>(each);
    bool reads = llvm::is_contained(each.getOperands(), Value(source));
    if (!op) {
      if (reads ||
          !isa<linalg::FillOp, tensor::EmptyOp, tensor::DimOp,
               tensor::ExtractSliceOp, arith::ConstantOp, kernel::YieldOp>(
              each))
        return false;
      continue;
    }
    if (op.getNumReductionLoops() > 0) {
      if (reads)
        return false;
      continue;
    }
    for (OpOperand &operand : each.getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (type && type.getShape() == shape &&
          !op.getMatchingIndexingMap(&operand).isIdentity())
        return false;
    }
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    if (reads && type.getShape() != shape)
      return false;
  }
  return true;
}

SmallVector<BlockArgument>
WgmmaSchedule::epilogueTensors(kernel::FuncOp kernel) const {
  auto isOfOperands = [&](Operation *user) {
    return llvm::is_contained(ops, user) || prologue.ops.contains(user);
  };
  auto isRead = [&](BlockArgument argument) {
    return isa<RankedTensorType>(argument.getType()) &&
           !llvm::all_of(argument.getUsers(), isOfOperands);
  };
  return llvm::filter_to_vector(kernel.getBody().getArguments(), isRead);
}

/// Number of the tensor that the epilogue reads where it stores.
static constexpr int64_t noSource = -1;

/// The source where TMA can store the results, if there is one; nothing where
/// it cannot. It stores rows of 16-bit or 32-bit floats, in the order of the
/// contraction's, and nothing is read that has as many elements (which threads
/// read better in runs of a row) but one tensor that comes in boxes as well.
static std::optional<int64_t> sourceOfTMA(kernel::FuncOp kernel,
                                          const WgmmaSchedule &schedule) {
  int64_t columns = schedule.extent(schedule.n, 1);
  int64_t bits = 0;
  for (Type result : kernel.getFunctionType().getResults()) {
    auto type = cast<RankedTensorType>(result);
    int64_t width =
        type.getElementType().isFloat() ? type.getElementTypeBitWidth() : 0;
    if ((width != 16 && width != 32) || (bits != 0 && width != bits))
      return std::nullopt;
    bits = width;
  }
  if (columns * bits / 8 % 16 != 0)
    return std::nullopt;
  // The rows of the result are loops m in order, after the batch.
  AffineMap map = schedule.op().getIndexingMapsArray().back();
  SmallVector<unsigned> order(schedule.batch);
  llvm::append_range(order, schedule.m);
  llvm::append_range(order, schedule.n);
  if (map.getNumResults() != order.size() || !standAt(map, 0, order))
    return std::nullopt;
  int64_t source = noSource;
  for (BlockArgument argument : schedule.epilogueTensors(kernel)) {
    auto type = cast<RankedTensorType>(argument.getType());
    int64_t tensor = tensorNumber(kernel, argument);
    bool isOperand = tensor == schedule.a.buffer ||
                     llvm::any_of(schedule.b, [&](const WgmmaOperand &b) {
                       return b.buffer == tensor;
                     });
    if (isOperand ||
        (type.hasStaticShape() && type.getNumElements() <= 2 * columns))
      continue;
    bool hasNorm = !schedule.norm.reductions.empty();
    if (source != noSource || !isReadInPlace(kernel, argument, hasNorm))
      return std::nullopt;
    source = tensor;
  }
  return source;
}

/// The same of warps that store the results row by row: 16-bit floats and rows
/// that are equally far apart. Loops of several dimensions are rows where they
/// stand side by side in front of the columns.
static std::optional<int64_t> sourceOfWarps(kernel::FuncOp kernel,
                                            const WgmmaSchedule &schedule) {
  AffineMap map = schedule.op().getIndexingMapsArray().back();
  unsigned rank = map.getNumResults(), rows = schedule.m.size();
  if (rows == 0 || rank < rows + 1 || !standAt(map, rank - 1, schedule.n) ||
      (rows > 1 && !standAt(map, rank - 1 - rows, schedule.m)))
    return std::nullopt;
  for (Type result : kernel.getFunctionType().getResults()) {
    auto type = cast<RankedTensorType>(result);
    Type element = type.getElementType();
    if ((!element.isF16() && !element.isBF16()) || type.getRank() != rank)
      return std::nullopt;
    ArrayRef<int64_t> shape = type.getShape();
    for (AffineExpr each : llvm::reverse(map.getResults())) {
      if (cast<AffineDimExpr>(each).getPosition() == schedule.m.back())
        break;
      if (ShapedType::isDynamic(shape.back()))
        return std::nullopt;
      shape = shape.drop_back();
    }
  }
  // One for all of an outer dimension, such as embeddings of places, has other
  // sizes than the result.
  int64_t columns = schedule.extent(schedule.n, 1);
  int64_t source = noSource;
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(kernel.getFunctionType().getResult(0)).getShape();
  for (BlockArgument argument : schedule.epilogueTensors(kernel)) {
    auto type = cast<RankedTensorType>(argument.getType());
    if (type.getShape() == shape) {
      if (source != noSource ||
          !isReadInPlace(kernel, argument, /*hasNorm=*/false))
        return std::nullopt;
      source = tensorNumber(kernel, argument);
      continue;
    }
    if (rows == 1)
      continue;
    if (!type.hasStaticShape() || type.getNumElements() > 2 * columns)
      return std::nullopt;
  }
  return source;
}

/// The instruction's name of what it multiplies; nothing for other types.
static std::optional<NVVM::WGMMATypes> instructionType(linalg::GenericOp op) {
  auto left = dyn_cast<RankedTensorType>(op.getInputs()[0].getType());
  auto right = dyn_cast<RankedTensorType>(op.getInputs()[1].getType());
  if (!left || !right || left.getElementType() != right.getElementType())
    return std::nullopt;
  Type element = left.getElementType();
  Type sum = cast<RankedTensorType>(op.getResult(0).getType()).getElementType();
  if (sum.isInteger(32))
    return element.isSignlessInteger(8) ? std::optional(NVVM::WGMMATypes::s8)
                                        : std::nullopt;
  if (!sum.isF32())
    return std::nullopt;
  if (element.isF16())
    return NVVM::WGMMATypes::f16;
  if (element.isBF16())
    return NVVM::WGMMATypes::bf16;
  if (isa<Float8E4M3FNType>(element))
    return NVVM::WGMMATypes::e4m3;
  if (isa<Float8E5M2Type>(element))
    return NVVM::WGMMATypes::e5m2;
  if (element.isF32() && op->hasAttr(allowTF32AttrName))
    return NVVM::WGMMATypes::tf32;
  return std::nullopt;
}

static bool sameLoops(ArrayRef<unsigned> loops,
                      const SmallVectorImpl<unsigned> &found) {
  return llvm::equal(loops, found);
}

/// Takes over the contractions of `kernel`, and the reductions behind them;
/// false when the contractions are not of one size, of one type, with one A.
static bool takeContractions(kernel::FuncOp kernel, WgmmaSchedule &schedule) {
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>()) {
    if (op.getNumReductionLoops() == 0)
      continue;
    if (op.getNumDpsInputs() == 1 && !schedule.ops.empty()) {
      schedule.norm.reductions.push_back(op);
      continue;
    }
    auto dims = linalg::inferContractionDims(op);
    if (failed(dims) || op.getNumDpsInputs() != 2 ||
        !schedule.norm.reductions.empty())
      return false;
    std::optional<NVVM::WGMMATypes> type = instructionType(op);
    auto result = cast<RankedTensorType>(op.getResult(0).getType());
    if (!type)
      return false;
    if (schedule.ops.empty()) {
      schedule.batch.assign(dims->batch.begin(), dims->batch.end());
      schedule.m.assign(dims->m.begin(), dims->m.end());
      schedule.n.assign(dims->n.begin(), dims->n.end());
      schedule.k.assign(dims->k.begin(), dims->k.end());
      schedule.type = *type;
      auto element = cast<RankedTensorType>(op.getInputs()[0].getType());
      schedule.elementBytes = element.getElementTypeBitWidth() / 8;
    } else {
      linalg::GenericOp first = schedule.op();
      if (*type != schedule.type || op.getInputs()[0] != first.getInputs()[0] ||
          result != first.getResult(0).getType() ||
          op.getIndexingMapsArray()[0] != first.getIndexingMapsArray()[0] ||
          op.getIndexingMapsArray()[2] != first.getIndexingMapsArray()[2] ||
          !sameLoops(dims->batch, schedule.batch) ||
          !sameLoops(dims->m, schedule.m) || !sameLoops(dims->n, schedule.n) ||
          !sameLoops(dims->k, schedule.k))
        return false;
    }
    schedule.ops.push_back(op);
  }
  return !schedule.ops.empty() && schedule.ops.size() <= 4;
}

std::optional<WgmmaSchedule> codegen::recogniseWgmma(kernel::FuncOp kernel) {
  WgmmaSchedule schedule;
  if (!takeContractions(kernel, schedule) || schedule.n.size() != 1 ||
      schedule.m.empty())
    return std::nullopt;
  // The columns' number decides how results are stored.
  if (schedule.extent(schedule.n, 0) == 0)
    return std::nullopt;
  Value left = schedule.op().getInputs()[0];
  if (left.getDefiningOp<linalg::GenericOp>()) {
    std::optional<WgmmaPrologue> prologue = findPrologue(schedule);
    if (!prologue)
      return std::nullopt;
    schedule.prologue = std::move(*prologue);
    left = schedule.prologue.input;
  }
  auto a = recognise(kernel, schedule, schedule.op(), 0, schedule.m, left);
  if (!a || (schedule.prologue.input && !a->kMajor))
    return std::nullopt;
  schedule.a = *a;
  for (linalg::GenericOp op : schedule.ops) {
    auto b = recognise(kernel, schedule, op, 1, schedule.n, op.getInputs()[1]);
    if (!b || (!schedule.b.empty() && b->kMajor != schedule.b.front().kMajor))
      return std::nullopt;
    schedule.b.push_back(*b);
  }
  // Coordinates of copies and numbers of tiles have 32 bits.
  for (const auto &dims : {schedule.batch, schedule.m, schedule.n, schedule.k})
    if (schedule.extent(dims, 0) > INT32_MAX)
      return std::nullopt;
  auto result = cast<RankedTensorType>(kernel.getFunctionType().getResult(0));
  std::optional<int64_t> ofTMA = sourceOfTMA(kernel, schedule);
  std::optional<int64_t> ofWarps = sourceOfWarps(kernel, schedule);
  if (ofTMA)
    schedule.boxColumns = 128 * 8 / int64_t(result.getElementTypeBitWidth());
  schedule.source = ofTMA ? *ofTMA : ofWarps.value_or(noSource);
  schedule.mayStoreByWarps = ofWarps == schedule.source;
  if (!schedule.norm.reductions.empty() && !recogniseNorm(kernel, schedule))
    return std::nullopt;
  return schedule;
}
