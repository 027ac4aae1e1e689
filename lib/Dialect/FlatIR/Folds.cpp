//===- Folds.cpp - Folders of structural operations -----------------------===//
//
// What needs no arithmetic on elements: identities, compositions, sizes.
//
//===----------------------------------------------------------------------===//

#include "Folds.h"

#include "tripy/Base/CheckedMath.h"
#include "tripy/Dialect/FlatIR/FlatIR.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::flatir;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

//===-- sizes -------------------------------------------------------------===//

/// The number among the `?` of `type` that dimension `dim` has.
static int64_t dynamicNumber(RankedTensorType type, int64_t dim) {
  return llvm::count_if(type.getShape().take_front(dim), ShapedType::isDynamic);
}

/// The size operand for a dynamic dimension of an operation's result; null
/// when it has none.
static Value sizeOperand(Operation *op, int64_t dim) {
  auto pick = [&](auto shaped) -> Value {
    return shaped.getSizes()[dynamicNumber(shaped.getType(), dim)];
  };
  if (auto iota = dyn_cast<IotaOp>(op))
    return pick(iota);
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return pick(broadcast);
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return pick(reshape);
  if (auto slice = dyn_cast<SliceOp>(op))
    return pick(slice);
  if (auto window = dyn_cast<WindowOp>(op))
    return pick(window);
  return {};
}

/// A tensor that has the same size somewhere, nearer to the program's inputs.
struct DimSource {
  Value tensor;
  int64_t dim = 0;
};

static DimSource dimSourceOf(ReduceOp op, int64_t dim) {
  for (int64_t i = 0, rank = rankOf(op.getInput()); i < rank; ++i)
    if (!llvm::is_contained(op.getDims(), i) && dim-- == 0)
      return {op.getInput(), i};
  return {};
}

static DimSource dimSourceOf(DotOp op, int64_t dim) {
  int64_t batches = op.getLhsBatch().size();
  if (dim < batches)
    return {op.getLhs(), op.getLhsBatch()[dim]};
  auto left =
      freeDims(rankOf(op.getLhs()), op.getLhsBatch(), op.getLhsContract());
  if (dim - batches < static_cast<int64_t>(left.size()))
    return {op.getLhs(), left[dim - batches]};
  auto right =
      freeDims(rankOf(op.getRhs()), op.getRhsBatch(), op.getRhsContract());
  return {op.getRhs(), right[dim - batches - left.size()]};
}

static DimSource dimSourceOf(Operation *op, int64_t dim) {
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return {transpose.getInput(), transpose.getPermutation()[dim]};
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return dimSourceOf(reduce, dim);
  if (auto dot = dyn_cast<DotOp>(op))
    return dimSourceOf(dot, dim);
  if (auto concatenate = dyn_cast<ConcatenateOp>(op))
    return dim == asSigned(concatenate.getDim())
               ? DimSource()
               : DimSource{concatenate.getInputs().front(), dim};
  if (isa<FlatIRDialect>(op->getDialect()) &&
      (op->hasTrait<OpTrait::SameOperandsAndResultShape>() ||
       op->hasTrait<OpTrait::SameOperandsAndResultType>()))
    return {op->getOperand(0), dim};
  return {};
}

OpFoldResult DimOp::fold(FoldAdaptor) {
  auto type = cast<RankedTensorType>(getInput().getType());
  int64_t dim = asSigned(getDim());
  if (!type.isDynamicDim(dim))
    return IntegerAttr::get(IndexType::get(getContext()), type.getDimSize(dim));
  Operation *def = getInput().getDefiningOp();
  if (!def)
    return {};
  if (Value size = sizeOperand(def, dim))
    return size;
  DimSource source = dimSourceOf(def, dim);
  if (!source.tensor || source.tensor == getInput())
    return {};
  getInputMutable().assign(source.tensor);
  setDim(source.dim);
  return getResult();
}

bool flatir::isSizeOf(Value size, Value tensor, int64_t dim) {
  auto op = size.getDefiningOp<DimOp>();
  return op && op.getInput() == tensor && asSigned(op.getDim()) == dim;
}

/// Whether a result of type `type` with the dynamic `sizes` has, dimension for
/// dimension, the shape of `tensor`.
static bool hasShapeOf(RankedTensorType type, ValueRange sizes, Value tensor) {
  if (type != tensor.getType())
    return false;
  int64_t next = 0;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim) && !isSizeOf(sizes[next++], tensor, dim))
      return false;
  return true;
}

//===-- movement ----------------------------------------------------------===//

/// The constant `input` as a splat of `type`, when it is one.
static Attribute movedSplat(Attribute input, Type type) {
  return splatOf(type, splatValue(input));
}

static bool isIdentityList(ArrayRef<int64_t> dims) {
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim != static_cast<int64_t>(i))
      return false;
  return true;
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (isIdentityList(getDims()) &&
      hasShapeOf(getType(), getSizes(), getInput()))
    return getInput();
  if (Attribute splat = movedSplat(adaptor.getInput(), getType()))
    return splat;
  auto inner = getInput().getDefiningOp<BroadcastOp>();
  if (!inner || inner == *this)
    return {};
  SmallVector<int64_t> dims;
  for (int64_t dim : inner.getDims())
    dims.push_back(getDims()[dim]);
  getInputMutable().assign(inner.getInput());
  setDims(dims);
  return getResult();
}

/// The constant `input` under the shape of `type`: a resource shares its data,
/// and a small dense constant is copied. Null otherwise.
static Attribute reshapedConstant(Attribute input, RankedTensorType type) {
  constexpr size_t maxCopiedBytes = 64 << 10;
  if (!input || !type.hasStaticShape())
    return {};
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(input))
    return DenseResourceElementsAttr::get(type, resource.getRawHandle());
  auto dense = dyn_cast<DenseElementsAttr>(input);
  if (!dense || dense.getRawData().size() > maxCopiedBytes)
    return {};
  return dense.reshape(type);
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (hasShapeOf(getType(), getSizes(), getInput()))
    return getInput();
  if (Attribute splat = movedSplat(adaptor.getInput(), getType()))
    return splat;
  if (Attribute moved = reshapedConstant(adaptor.getInput(), getType()))
    return moved;
  auto inner = getInput().getDefiningOp<ReshapeOp>();
  if (!inner || inner == *this)
    return {};
  getInputMutable().assign(inner.getInput());
  return getResult();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  if (isIdentityList(getPermutation()) && getInput().getType() == getType())
    return getInput();
  if (Attribute splat = movedSplat(adaptor.getInput(), getType()))
    return splat;
  auto inner = getInput().getDefiningOp<TransposeOp>();
  if (!inner || inner == *this)
    return {};
  SmallVector<int64_t> permutation;
  for (int64_t dim : getPermutation())
    permutation.push_back(inner.getPermutation()[dim]);
  getInputMutable().assign(inner.getInput());
  setPermutation(permutation);
  return getResult();
}

/// Takes from the input of `inner`, a slice, what `outer` takes of it. False
/// where an offset is not known, or leaves the range of strides.
static bool composeSlices(SliceOp outer, SliceOp inner) {
  SmallVector<int64_t> offsets, strides;
  if (!outer.getOffsets().empty() || !inner.getOffsets().empty())
    return false;
  for (auto [from, step, offset, stride] :
       llvm::zip(inner.getStaticOffsets(), inner.getStrides(),
                 outer.getStaticOffsets(), outer.getStrides())) {
    std::optional<int64_t> distance = checkedMul(step, offset);
    std::optional<int64_t> sum =
        distance ? checkedAdd(from, *distance) : std::nullopt;
    std::optional<int64_t> both = checkedMul(step, stride);
    if (!sum || !both || *sum < 0)
      return false;
    offsets.push_back(*sum);
    strides.push_back(*both);
  }
  if (!stepsValid(strides))
    return false;
  outer.getInputMutable().assign(inner.getInput());
  outer.setStaticOffsets(offsets);
  outer.setStrides(strides);
  return true;
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (Attribute splat = movedSplat(adaptor.getInput(), getType()))
    return splat;
  bool whole =
      llvm::all_of(getStaticOffsets(),
                   [](int64_t offset) { return offset == 0; }) &&
      llvm::all_of(getStrides(), [](int64_t stride) { return stride == 1; });
  if (whole && hasShapeOf(getType(), getSizes(), getInput()))
    return getInput();
  // Of no elements, offsets mean nothing, and may be outside.
  auto inner = getInput().getDefiningOp<SliceOp>();
  bool isEmpty = llvm::is_contained(getType().getShape(), 0);
  if (inner && inner != *this && !isEmpty && composeSlices(*this, inner))
    return getResult();
  return {};
}

/// The splat value that all of `inputs` have, or null.
static Attribute commonSplat(ArrayRef<Attribute> inputs) {
  Attribute first = splatValue(inputs.front());
  if (!first || !llvm::all_of(inputs, [&](Attribute input) {
        return splatValue(input) == first;
      }))
    return {};
  return first;
}

OpFoldResult ConcatenateOp::fold(FoldAdaptor adaptor) {
  if (getInputs().size() == 1 && getInputs().front().getType() == getType())
    return getInputs().front();
  if (Attribute splat = splatOf(getType(), commonSplat(adaptor.getInputs())))
    return splat;
  int64_t dim = asSigned(getDim());
  auto isEmpty = [&](Value input) {
    return cast<RankedTensorType>(input.getType()).getDimSize(dim) == 0;
  };
  SmallVector<Value> kept;
  for (Value input : getInputs())
    if (!isEmpty(input))
      kept.push_back(input);
  if (kept.empty() || kept.size() == getInputs().size())
    return {};
  // An input that goes may be the only one to know another dimension's size.
  auto knows = [&](Value input) {
    auto from = cast<RankedTensorType>(input.getType());
    for (int64_t i = 0; i < from.getRank(); ++i)
      if (i != dim && from.getDimSize(i) != getType().getDimSize(i))
        return false;
    return true;
  };
  if (!llvm::all_of(kept, knows))
    return {};
  getInputsMutable().assign(kept);
  return getResult();
}

OpFoldResult ReduceOp::fold(FoldAdaptor adaptor) {
  // Equal elements, at least one: their maximum is each of them.
  bool idempotent =
      getKind() != ReduceKind::Sum && getKind() != ReduceKind::Prod;
  return idempotent ? movedSplat(adaptor.getInput(), getType()) : Attribute();
}

//===-- conditions --------------------------------------------------------===//

namespace {
/// A condition that holds for all sizes -> nothing. One that never holds stays,
/// so that running the program says why.
struct DropMetRequirement : OpRewritePattern<RequireOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RequireOp op,
                                PatternRewriter &rewriter) const override {
    if (!holds(op))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }

private:
  static bool holds(RequireOp op) {
    const CheckKindInfo *info = findCheckKind(op.getKind());
    if (!info)
      return false;
    if (op.getLhs() == op.getRhs() && !info->op)
      return true;
    return decide(info->kind, rangeOf(op.getLhs()), rangeOf(op.getRhs())) ==
           true;
  }

  static Interval rangeOf(Value size) {
    APInt known;
    if (!matchPattern(size, m_ConstantInt(&known)))
      return anySize;
    return {known.getSExtValue(), known.getSExtValue()};
  }
};
} // namespace

void RequireOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<DropMetRequirement>(context);
}
