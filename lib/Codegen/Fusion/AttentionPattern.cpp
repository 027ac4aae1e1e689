//===- AttentionPattern.cpp - Attention that users wrote out --------------===//

#include "AttentionPattern.h"

#include "tripy/Dialect/Common/TensorTypes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

using flatir::ReduceKind;

static bool isFloat(Value tensor) {
  Type element = elementTypeOf(tensor);
  return element.isF32() || element.isF16() || element.isBF16();
}

/// A conversion between floats of 16 and 32 bits: what it rounds is a score or
/// a probability, which attention has in f32.
static bool isFloatConvert(Operation *op) {
  return isa_and_nonnull<flatir::ConvertOp>(op) && isFloat(op->getOperand(0)) &&
         isFloat(op->getResult(0));
}

/// The tensor without such conversions.
static Value unconverted(Value tensor) {
  while (isFloatConvert(tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0);
  return tensor;
}

/// Whether nothing but `readers` reads the tensor.
bool AttentionPattern::readsAlone(Value tensor, const Users &readers,
                                  StringRef what) {
  for (Operation *user : tensor.getUsers())
    if (!readers.contains(user))
      return fail(what + " have another use");
  return true;
}

//===-- softmax -----------------------------------------------------------===//

namespace {
/// The reduction of a dimension that was spread over it again.
struct SpreadReduction {
  flatir::ReduceOp reduce;
  /// 1 / the reduction was spread.
  bool isInverted = false;
  SmallVector<Operation *> steps;
};
} // namespace

/// Whether a reshape of what a reduction over `dim` left adds that dimension
/// again, of size 1, and nothing else.
static bool addsDimension(flatir::ReshapeOp op, int64_t dim) {
  SmallVector<int64_t> shape(op.getResult().getType().getShape());
  ArrayRef<int64_t> from =
      cast<RankedTensorType>(op.getInput().getType()).getShape();
  if (shape.size() != from.size() + 1 || shape[dim] != 1)
    return false;
  shape.erase(shape.begin() + dim);
  // Two dynamic sizes may trade factors.
  return from == ArrayRef(shape) &&
         llvm::count_if(from, ShapedType::isDynamic) <= 1;
}

/// broadcast(reduce(x)), by way of conversions, of 1 / x, and of a dimension of
/// size 1.
static SpreadReduction spreadReduction(Value tensor) {
  SpreadReduction found;
  auto broadcast = tensor.getDefiningOp<flatir::BroadcastOp>();
  if (!broadcast)
    return found;
  flatir::ReshapeOp reshape;
  Operation *op = broadcast;
  while (op && !isa<flatir::ReduceOp>(op)) {
    if (op->getNumOperands() == 0)
      return {};
    found.steps.push_back(op);
    Value next = op->getOperand(0);
    if (isa<flatir::DivOp>(op)) {
      if (splatNumber(next) != 1.0 || found.isInverted)
        return {};
      found.isInverted = true;
      next = op->getOperand(1);
    } else if (auto adds = dyn_cast<flatir::ReshapeOp>(op)) {
      if (reshape)
        return {};
      reshape = adds;
    } else if (op != broadcast && !isFloatConvert(op)) {
      return {};
    }
    op = next.getDefiningOp();
  }
  auto reduce = dyn_cast_or_null<flatir::ReduceOp>(op);
  if (!reduce || reduce.getDims().size() != 1 ||
      rankOf(reduce.getInput()) != rankOf(tensor))
    return {};
  int64_t dim = reduce.getDims()[0];
  if (reshape ? !addsDimension(reshape, dim)
              : llvm::is_contained(broadcast.getDims(), dim))
    return {};
  if (rankOf(broadcast.getInput()) != rankOf(tensor) - (reshape ? 0 : 1))
    return {};
  found.steps.push_back(reduce);
  found.reduce = reduce;
  return found;
}

/// Follows views and conversions back from the contraction's operand.
Value AttentionPattern::throughProbabilities(Value tensor) {
  Operation *reader = product;
  while (Operation *op = tensor.getDefiningOp()) {
    bool isStep =
        isFloatConvert(op) || isa<flatir::ReshapeOp, flatir::TransposeOp>(op);
    if (!isStep)
      break;
    readsAlone(tensor, {reader}, "the probabilities");
    behind.push_back(op);
    reader = op;
    tensor = op->getOperand(0);
  }
  readsAlone(tensor, {reader}, "the probabilities");
  return tensor;
}

/// exp(x - max(x)) / sum(exp(x - max(x))), with the sum inverted or not.
bool AttentionPattern::matchSoftmax(Value weights) {
  Operation *last = weights.getDefiningOp();
  if (!isa_and_nonnull<flatir::DivOp, flatir::MulOp>(last))
    return false;
  Value powers = unconverted(last->getOperand(0));
  auto exp = powers.getDefiningOp<flatir::ExpOp>();
  SpreadReduction sum = spreadReduction(last->getOperand(1));
  if (!exp || !sum.reduce || sum.reduce.getKind() != ReduceKind::Sum ||
      sum.isInverted != isa<flatir::MulOp>(last) ||
      unconverted(sum.reduce.getInput()) != powers)
    return false;
  dim = sum.reduce.getDims()[0];
  auto sub = unconverted(exp->getOperand(0)).getDefiningOp<flatir::SubOp>();
  SpreadReduction max =
      sub ? spreadReduction(sub->getOperand(1)) : SpreadReduction();
  if (!max.reduce || max.reduce.getKind() != ReduceKind::Max ||
      max.isInverted || max.reduce.getDims()[0] != dim ||
      unconverted(max.reduce.getInput()) != unconverted(sub->getOperand(0)))
    return false;
  input = unconverted(sub->getOperand(0));
  SmallVector<Operation *> steps{last, exp, sub};
  llvm::append_range(steps, sum.steps);
  llvm::append_range(steps, max.steps);
  replaced.insert_range(steps);
  return true;
}

//===-- scores ------------------------------------------------------------===//

/// Whether a contraction is what the tensor was computed from, by steps that
/// attention has. `isLenient`: by functions of one tensor, too, which are worth
/// a remark.
static bool leadsToDot(Value tensor, bool isLenient = false) {
  llvm::SetVector<Value> pending;
  pending.insert(tensor);
  for (size_t i = 0; i < pending.size(); ++i) {
    Operation *op = pending[i].getDefiningOp();
    if (!op)
      continue;
    if (isa<flatir::DotOp>(op))
      return true;
    bool isUnary =
        isFloatConvert(op) ||
        isa<flatir::ReshapeOp, flatir::TransposeOp, flatir::TanhOp>(op) ||
        (isLenient && classOf(op) == OpClass::Elementwise &&
         op->getNumOperands() == 1);
    if (isUnary) {
      pending.insert(op->getOperand(0));
    } else if (isa<flatir::AddOp, flatir::SubOp, flatir::MulOp, flatir::DivOp>(
                   op)) {
      if (!splatNumber(op->getOperand(0)))
        pending.insert(op->getOperand(0));
      pending.insert(op->getOperand(1));
    } else if (auto select = dyn_cast<flatir::SelectOp>(op)) {
      pending.insert(select.getInput());
      pending.insert(select.getOther());
    }
  }
  return false;
}

bool AttentionPattern::takeBias(Operation *op, Viewed &at, double factor) {
  if (cap)
    return fail("a bias is added to scores before their cap");
  bool isFirst = leadsToDot(op->getOperand(0));
  if (isa<flatir::SubOp>(op) && !isFirst)
    return fail("scores are subtracted from something");
  Value bias = op->getOperand(isFirst ? 1 : 0);
  if (!isFloat(bias))
    return fail("what is added to the scores has another type");
  if (isa<flatir::SubOp>(op))
    factor = -factor;
  biases.push_back({{bias, at.dims}, factor});
  at.tensor = op->getOperand(isFirst ? 0 : 1);
  return true;
}

bool AttentionPattern::takeFill(flatir::SelectOp op, Viewed &at,
                                double factor) {
  if (cap)
    return fail("scores are hidden before their cap");
  bool isFirst = leadsToDot(op.getInput());
  std::optional<double> number =
      splatNumber(isFirst ? op.getOther() : op.getInput());
  if (!number)
    return fail("hidden scores are no constant");
  // Beyond f32 it is infinite.
  double fill = static_cast<float>(*number * factor);
  bool hides = std::isinf(fill) && fill < 0;
  if (!hides && !std::isfinite(fill))
    return fail("hidden scores are not the lowest");
  if (!hides && !biases.empty())
    return fail("a bias is added to hidden scores that are finite");
  if (!fills.empty() && fills.back().fill != fill)
    return fail("scores are hidden by different numbers");
  fills.push_back({{op.getCondition(), at.dims}, isFirst, fill});
  at.tensor = isFirst ? op.getInput() : op.getOther();
  return true;
}

/// One step from the softmax towards the contraction.
bool AttentionPattern::takeStep(Viewed &at, double &factor) {
  Operation *op = at.tensor.getDefiningOp();
  if (isFloatConvert(op)) {
    at.tensor = op->getOperand(0);
    return true;
  }
  if (auto transpose = dyn_cast<flatir::TransposeOp>(op)) {
    at.dims = AxisSpace::beforeTranspose(at.dims, transpose.getPermutation());
    at.tensor = transpose.getInput();
    return true;
  }
  if (auto reshape = dyn_cast<flatir::ReshapeOp>(op)) {
    std::optional<DimAxes> dims =
        axes.regroup(at.dims, program.sizes.get(reshape.getInput()));
    if (!dims)
      return fail("it is not known which dimensions a reshape of the scores "
                  "joins");
    at.dims = *dims;
    at.tensor = reshape.getInput();
    return true;
  }
  // a * tanh(b * s) is cap * tanh(scale * s / cap), with a cap of |a| and a
  // scale of a * b.
  if (isa_and_nonnull<flatir::TanhOp>(op)) {
    if (cap)
      return fail("scores are capped twice");
    cap = std::abs(factor);
    isCapRounded =
        elementTypeOf(op->getResult(0)).getIntOrFloatBitWidth() == 16;
    at.tensor = op->getOperand(0);
    return true;
  }
  if (isa<flatir::MulOp, flatir::DivOp>(op)) {
    bool isSecond = isa<flatir::MulOp>(op) && splatNumber(op->getOperand(0));
    std::optional<double> number =
        splatNumber(op->getOperand(isSecond ? 0 : 1));
    if (!number || !std::isfinite(*number) || *number == 0)
      return fail("the scale is no constant");
    factor = isa<flatir::MulOp>(op) ? factor * *number : factor / *number;
    at.tensor = op->getOperand(isSecond ? 1 : 0);
    return true;
  }
  if (isa<flatir::AddOp, flatir::SubOp>(op))
    return takeBias(op, at, factor);
  if (auto select = dyn_cast<flatir::SelectOp>(op))
    return takeFill(select, at, factor);
  return fail("'" + shortName(op) +
              "' of the scores is no scale, mask or bias");
}

/// From the softmax to the contraction of queries and keys.
bool AttentionPattern::matchScores() {
  ofInput = axes.addEach(program.sizes.get(input));
  Viewed at{input, ofInput};
  keys = ofInput[dim];
  if (keys.empty() || !isFloat(input))
    return false;
  // The softmax was read already; its conversions are part of it.
  Users readers(replaced.begin(), replaced.end());
  for (Operation *user : input.getUsers())
    if (isFloatConvert(user) &&
        llvm::all_of(user->getUsers(),
                     [&](Operation *op) { return replaced.contains(op); })) {
      readers.insert(user);
      replaced.insert(user);
    }
  double factor = 1;
  while (true) {
    if (!readsAlone(at.tensor, readers, "the scores"))
      return false;
    Operation *op = at.tensor.getDefiningOp();
    replaced.insert(op);
    scores = dyn_cast<flatir::DotOp>(op);
    if (scores)
      break;
    if (!takeStep(at, factor))
      return false;
    readers.clear();
    readers.insert(op);
  }
  scale = factor;
  ofScores = at.dims;
  return true;
}

/// From the softmax to the contraction with the values.
bool AttentionPattern::matchProbabilities() {
  ofWeights = ofInput;
  for (Operation *op : llvm::reverse(behind)) {
    if (auto transpose = dyn_cast<flatir::TransposeOp>(op)) {
      ofWeights =
          AxisSpace::behindTranspose(ofWeights, transpose.getPermutation());
    } else if (auto reshape = dyn_cast<flatir::ReshapeOp>(op)) {
      auto dims =
          axes.regroup(ofWeights, program.sizes.get(reshape.getResult()));
      if (!dims)
        return fail("it is not known which dimensions a reshape of the "
                    "probabilities joins");
      ofWeights = *dims;
    }
  }
  return true;
}

//===-- products ----------------------------------------------------------===//

namespace {
/// One operand of a contraction, and its dimensions.
struct Side {
  Value tensor;
  ArrayRef<int64_t> batch, contract;
  SmallVector<int64_t> free;

  Side(flatir::DotOp dot, unsigned number)
      : tensor(dot->getOperand(number)),
        batch(number == 0 ? dot.getLhsBatch() : dot.getRhsBatch()),
        contract(number == 0 ? dot.getLhsContract() : dot.getRhsContract()),
        free(flatir::freeDims(rankOf(tensor), batch, contract)) {}
};
} // namespace

/// The axes of an operand of a contraction whose result's are `ofResult`.
static Viewed operandOf(flatir::DotOp dot, unsigned number,
                        const DimAxes &ofResult, const Axes &contracted) {
  Side side(dot, number);
  Viewed viewed{side.tensor, DimAxes(rankOf(side.tensor))};
  for (auto [i, dim] : llvm::enumerate(side.batch))
    viewed.dims[dim] = ofResult[i];
  size_t first =
      side.batch.size() + (number == 1 ? Side(dot, 0).free.size() : 0);
  for (auto [i, dim] : llvm::enumerate(side.free))
    viewed.dims[dim] = ofResult[first + i];
  viewed.dims[side.contract[0]] = contracted;
  return viewed;
}

/// Relates both contractions; `side` is the operand of the second one that has
/// the probabilities.
bool AttentionPattern::matchProducts(unsigned side) {
  if (scores.getLhsContract().size() != 1)
    return fail("the product of queries and keys contracts several dimensions");
  Side weights(product, side), values(product, 1 - side);
  if (axes.flat(ofWeights[weights.contract[0]]) != axes.flat(keys))
    return fail("the values are not multiplied along the keys");
  SizeList sizes = program.sizes.get(values.tensor);
  DimAxes free, queries;
  for (int64_t dim : values.free)
    free.push_back(axes.add(sizes[dim]));
  for (int64_t dim : weights.free)
    queries.push_back(ofWeights[dim]);
  for (int64_t dim : weights.batch)
    result.push_back(ofWeights[dim]);
  llvm::append_range(result, side == 0 ? queries : free);
  llvm::append_range(result, side == 0 ? free : queries);
  width = axes.flat(free);
  value = operandOf(product, 1 - side, result, keys);

  Side left(scores, 0);
  depth = axes.add(program.sizes.get(left.tensor)[left.contract[0]]);
  Viewed operands[] = {operandOf(scores, 0, ofScores, depth),
                       operandOf(scores, 1, ofScores, depth)};
  auto hasKeys = [&](const Viewed &operand) {
    return llvm::is_contained(axes.flat(operand.dims), axes.flat(keys)[0]);
  };
  bool isFirst = hasKeys(operands[0]);
  if (isFirst == hasKeys(operands[1]))
    return fail("queries and keys share the dimension of the softmax");
  key = operands[isFirst ? 0 : 1];
  query = operands[isFirst ? 1 : 0];
  return matchBatch();
}

/// Axes of a tensor but for some.
static Axes without(const Axes &all, std::initializer_list<Axes> others) {
  Axes left;
  for (unsigned axis : all)
    if (llvm::none_of(others, [&](const Axes &other) {
          return llvm::is_contained(other, axis);
        }))
      left.push_back(axis);
  return left;
}

static bool areSame(Axes a, Axes b) {
  llvm::sort(a);
  llvm::sort(b);
  return a == b;
}

/// Follows views back to what is repeated along an axis: the tensor, without
/// that axis. None where there is no such. Conversions from `element` are left
/// out.
static std::optional<Viewed> beforeRepeat(Viewed at, Type element,
                                          AxisSpace &axes,
                                          const TensorSizes &sizes) {
  while (Operation *op = at.tensor.getDefiningOp()) {
    if (isa<flatir::ConvertOp>(op) &&
        elementTypeOf(op->getOperand(0)) == element) {
      at.tensor = op->getOperand(0);
    } else if (auto transpose = dyn_cast<flatir::TransposeOp>(op)) {
      at = {transpose.getInput(),
            AxisSpace::beforeTranspose(at.dims, transpose.getPermutation())};
    } else if (auto reshape = dyn_cast<flatir::ReshapeOp>(op)) {
      auto dims = axes.regroup(at.dims, sizes.get(reshape.getInput()));
      if (!dims)
        return std::nullopt;
      at = {reshape.getInput(), *dims};
    } else if (auto broadcast = dyn_cast<flatir::BroadcastOp>(op)) {
      Viewed before{broadcast.getInput(), {}};
      SizeList from = sizes.get(broadcast.getInput()),
               to = sizes.get(broadcast.getResult());
      for (auto [i, dim] : llvm::enumerate(broadcast.getDims())) {
        bool isOne = isConstantIntValue(from[i], 1);
        // A dynamic size may be 1 at run time.
        if (!isOne && !getConstantIntValue(from[i]) && from[i] != to[dim])
          return std::nullopt;
        before.dims.push_back(isOne ? Axes() : at.dims[dim]);
      }
      return before;
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

/// Which axes all operands have: heads of the query may share those of the key,
/// by broadcasts of the product or of keys and values.
bool AttentionPattern::matchBatch() {
  auto outer = [&](const Viewed &tensor) {
    return without(axes.flat(tensor.dims),
                   {axes.flat(keys), axes.flat(depth), axes.flat(width)});
  };
  Axes all = outer(query);
  auto endsWith = [&](const Viewed &tensor, const Axes &last) {
    Axes own = axes.flat(tensor.dims);
    return llvm::all_of(
               axes.flat(keys),
               [&](unsigned axis) { return llvm::is_contained(own, axis); }) &&
           llvm::all_of(axes.flat(last), [&](unsigned axis) {
             return llvm::is_contained(own, axis);
           });
  };
  for (Viewed *operand : {&key, &value}) {
    std::optional<Viewed> before = beforeRepeat(
        *operand, elementTypeOf(value.tensor), axes, program.sizes);
    // What is repeated once is as good as what is repeated for each head.
    if (before && endsWith(*before, operand == &key ? depth : width))
      *operand = *before;
  }
  all = outer(query);
  batch = outer(key);
  if (!areSame(batch, outer(value)))
    return fail("keys and values differ in the heads that share them");
  if (!without(batch, {all}).empty())
    return fail("keys have dimensions that the queries lack");
  rows = without(all, {batch});
  // In the order of the scores.
  batch = without(axes.flat(ofInput), {rows, axes.flat(keys)});
  rows = without(axes.flat(ofInput), {batch, axes.flat(keys)});
  keys = axes.flat(keys);
  depth = axes.flat(depth);
  width = axes.flat(width);
  Axes found = axes.flat(result);
  Axes expected(batch);
  llvm::append_range(expected, rows);
  llvm::append_range(expected, width);
  if (!areSame(found, expected))
    return fail("the result's dimensions are not those of queries and values");
  return true;
}

bool AttentionPattern::match(unsigned side) {
  if (product.getLhsContract().size() != 1)
    return false;
  Value weights = throughProbabilities(product->getOperand(side));
  std::string shared = std::move(reason);
  reason.clear();
  if (!matchSoftmax(weights) || !leadsToDot(input, /*isLenient=*/true))
    return false;
  if (!shared.empty())
    return fail(shared);
  replaced.insert(product);
  replaced.insert_range(behind);
  Users normalizing;
  for (Operation *op : replaced)
    normalizing.insert(op);
  for (Operation *op : SmallVector<Operation *>(replaced.getArrayRef()))
    if (op != product && op != weights.getDefiningOp())
      for (Operation *user : op->getResult(0).getUsers())
        if (!normalizing.contains(user) && !isFloatConvert(user) &&
            !llvm::is_contained(behind, op))
          return fail("the exponentials have another use");
  return matchScores() && matchProbabilities() && matchProducts(side);
}
