//===- Contraction.cpp - Lowers matrix products of trace ------------------===//
//
// flatir.dot orders its result as batch, left, right dimensions. That is
// matmul's order as long as every dimension that only the left operand has
// comes after those that both have: such a dimension is not broadcast, but left
// to the left operand.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tripy;

using Dims = SmallVector<int64_t>;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Checks that contracted sizes agree.
static void requireContracted(Size left, Size right, int64_t leftDim,
                              int64_t rightDim, Lowering &b) {
  b.require("equal", left, right,
            "dimension " + Twine(leftDim) + " of the left operand of '" +
                b.sourceName() + "' agrees with dimension " + Twine(rightDim) +
                " of the right operand");
}

/// What the user said of a contraction's precision.
struct Precision {
  /// Of the result.
  Type element;
  bool allowTF32;

  template <typename OpTy> static Precision of(OpTy op) {
    return {elementTypeOf(op.getResult()), op.getAllowTF32()};
  }
};

/// Contracts dimension `left` of lhs with `right` of rhs; the first `batch`
/// dimensions of both are a batch.
static Value contract(Value lhs, int64_t left, Value rhs, int64_t right,
                      int64_t batch, Precision precision, Lowering &b) {
  Dims batchDims = leadingDims(batch);
  SmallVector<int64_t> shape =
      flatir::dotShape(lhs, rhs, batchDims, batchDims, left, right);
  return b.primary<flatir::DotOp>(
      RankedTensorType::get(shape, precision.element), lhs, rhs, batchDims,
      batchDims, Dims{left}, Dims{right}, precision.allowTF32);
}

//===-- matmul ------------------------------------------------------------===//

namespace {

/// A stack of matrices, aligned with the other operand's: `lead` are its batch
/// sizes, none where it has fewer dimensions.
struct Stack {
  NamedTensor tensor;
  SizeList sizes;
  SmallVector<std::optional<Size>> lead;

  Stack(NamedTensor tensor, int64_t batchRank, Lowering &b)
      : tensor(std::move(tensor)), sizes(b.sizesOf(this->tensor.value)),
        lead(batchRank) {
    int64_t own = static_cast<int64_t>(sizes.size()) - 2;
    for (int64_t i = 0; i < own; ++i)
      lead[batchRank - own + i] = sizes[i];
  }
  /// Whether the tensor is the same along batch dimension `i`, or lacks it.
  bool isConstantAlong(int64_t i) const {
    return !lead[i] || isConstantIntValue(*lead[i], 1);
  }
  /// The size in the tensor's type of batch dimension `i`, which it has.
  int64_t typeSize(int64_t i) const {
    RankedTensorType type = typeOf(tensor.value);
    return type.getDimSize(type.getRank() - 2 + i -
                           static_cast<int64_t>(lead.size()));
  }
};

} // namespace

/// How many of the last batch dimensions only the left operand has. The result
/// takes them as they are: a size that its type does not know is none of them.
static int64_t countLeftOnly(const Stack &left, const Stack &right,
                             ArrayRef<int64_t> resultShape) {
  int64_t count = 0, rank = left.lead.size();
  while (count < rank) {
    int64_t i = rank - 1 - count;
    bool both =
        left.lead[i] && right.lead[i] && *left.lead[i] == *right.lead[i];
    if (both || !left.lead[i] || !right.isConstantAlong(i) ||
        left.typeSize(i) != resultShape[i])
      break;
    ++count;
  }
  return count;
}

/// Removes the last `count` batch dimensions, of size 1, where there are any.
static void dropBatch(Stack &stack, int64_t count, Lowering &b) {
  int64_t own = static_cast<int64_t>(stack.sizes.size()) - 2;
  int64_t dropped = std::min(count, own);
  if (dropped > 0) {
    RankedTensorType from = typeOf(stack.tensor.value);
    SmallVector<int64_t> shape(from.getShape());
    shape.erase(shape.begin() + own - dropped, shape.begin() + own);
    stack.sizes.erase(stack.sizes.begin() + own - dropped,
                      stack.sizes.begin() + own);
    auto type = from.clone(shape);
    stack.tensor.value = b.reshape(stack.tensor.value, stack.sizes, type,
                                   {"batch",
                                    ("drop the batch dimensions of size 1 of " +
                                     stack.tensor.name + " of 'matmul'"),
                                    stack.tensor.operand});
  }
  stack.lead.truncate(stack.lead.size() - count);
}

/// The sizes of the batch dimensions that remain, checked.
static SizeList commonBatch(const Stack &left, const Stack &right,
                            ArrayRef<int64_t> shape, Lowering &b) {
  SizeList batch;
  for (auto [i, l, r] : llvm::enumerate(left.lead, right.lead)) {
    Size one = b.math.constant(1);
    Size both = b.broadcastSize(
        l.value_or(one), r.value_or(one),
        "the operands of 'matmul' have equal sizes, or size 1, in batch "
        "dimension " +
            Twine(i));
    batch.push_back(
        ShapedType::isDynamic(shape[i]) ? both : b.math.constant(shape[i]));
  }
  return batch;
}

/// Gives the operand all batch dimensions. `own` counts those that the result
/// takes from it alone.
static Value withBatch(const Stack &stack, ArrayRef<Size> batch,
                       ArrayRef<int64_t> shape, Lowering &b) {
  RankedTensorType from = typeOf(stack.tensor.value);
  int64_t have = llvm::count_if(stack.lead, [](auto size) { return size; });
  SizeList sizes(batch);
  llvm::append_range(sizes, ArrayRef(stack.sizes).drop_front(have));
  SmallVector<int64_t> target(shape.take_front(batch.size()));
  llvm::append_range(target, from.getShape().drop_front(have));
  return b.broadcast(stack.tensor, from.clone(target), sizes);
}

/// Two operands of rank 2 at least.
static Value lowerStacks(NamedTensor lhs, NamedTensor rhs,
                         ArrayRef<int64_t> resultShape, Precision precision,
                         Lowering &b) {
  int64_t rank = resultShape.size() - 2;
  Stack left(std::move(lhs), rank, b), right(std::move(rhs), rank, b);
  int64_t leftOnly = countLeftOnly(left, right, resultShape),
          batchRank = rank - leftOnly;
  dropBatch(right, leftOnly, b);
  // The left operand keeps them: they are between batch and rows.
  left.lead.truncate(batchRank);
  SizeList batch = commonBatch(left, right, resultShape, b);
  Value x = withBatch(left, batch, resultShape, b);
  Value y = withBatch(right, batch, resultShape, b);
  return contract(x, rankOf(x) - 1, y, batchRank, batchRank, precision, b);
}

// trace.matmul -> flatir.broadcast, flatir.reshape; flatir.dot
static Lowered lowerMatmul(trace::MatmulOp op, trace::MatmulOp::Adaptor in,
                           Lowering &b) {
  Value lhs = in.getLhs(), rhs = in.getRhs();
  int64_t leftRank = rankOf(lhs), rightRank = rankOf(rhs);
  int64_t left = leftRank - 1, right = std::max<int64_t>(rightRank - 2, 0);
  requireContracted(b.sizesOf(lhs)[left], b.sizesOf(rhs)[right], left, right,
                    b);
  // A vector has neither batch nor rows. On the left it changes places, so that
  // the other operand's dimensions stay in order.
  if (leftRank == 1)
    return {contract(rhs, right, lhs, 0, 0, Precision::of(op), b)};
  if (rightRank == 1)
    return {contract(lhs, left, rhs, 0, 0, Precision::of(op), b)};
  return {
      lowerStacks({lhs, "the left operand", 0}, {rhs, "the right operand", 1},
                  op.getResult().getType().getShape(), Precision::of(op), b)};
}

//===-- linear ------------------------------------------------------------===//

// trace.linear %x, %w, %b -> flatir.dot; flatir.broadcast, flatir.add. Floats
// of 8 bits have no sums: f32 is rounded once.
static Lowered lowerLinear(trace::LinearOp op, trace::LinearOp::Adaptor in,
                           Lowering &b) {
  Value input = in.getInput(), weight = in.getWeight(), bias = in.getBias();
  int64_t last = rankOf(input) - 1;
  requireContracted(b.sizesOf(input)[last], b.sizesOf(weight)[1], last, 1, b);
  Precision precision = Precision::of(op);
  Type element = precision.element;
  if (bias && isFloat8(element))
    precision.element = Float32Type::get(op.getContext());
  Value product = contract(input, last, weight, 1, 0, precision, b);
  if (!bias)
    return {product};
  b.require("equal", b.sizesOf(weight)[0], b.sizesOf(bias)[0],
            "the bias of 'linear' has the size of the weight's dimension 0");
  bias = b.convert(bias, precision.element, "compute in 32 bits");
  bias =
      b.broadcast({bias, "the bias", 2}, typeOf(product), b.sizesOf(product));
  Value sum = b.insert<flatir::AddOp>(
      Why{"linear", "add the bias of 'linear'", 2}, product, bias);
  return {b.convert(sum, element, "round the result once")};
}

void tripy::addContractionPatterns(PatternAdder &adder) {
  adder.add<trace::MatmulOp>(lowerMatmul).add<trace::LinearOp>(lowerLinear);
}
