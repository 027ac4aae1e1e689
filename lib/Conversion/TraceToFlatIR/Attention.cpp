//===- Attention.cpp - Lowers attention of trace --------------------------===//
//
// The composite takes mask and lengths broadcast: its decomposition, and the
// kernel that takes it whole, see one element for each score, and one length
// for each batch. Heads of the query that share one of the key are rows of one
// product: (..., Hk, Hq / Hk * M, D).
//
//===----------------------------------------------------------------------===//

#include "Positions.h"
#include "Reductions.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace tripy;

using flatir::ComparisonDirection;
using Dims = SmallVector<int64_t>;

//===-- operands ----------------------------------------------------------===//

namespace {
/// What query, key and value agree on.
struct AttentionSizes {
  SizeList batch;
  Size queryHeads, keyHeads, queries, keys, depth, width;

  SizeList with(Size heads, Size rows, Size columns) const {
    SizeList all(batch);
    all.append({heads, rows, columns});
    return all;
  }
  SizeList scores() const { return with(queryHeads, queries, keys); }
};
} // namespace

/// One of sizes that are equal, which is checked: a known one if there is any.
static Size agree(ArrayRef<Size> sizes, const Twine &what, Lowering &b) {
  const Size *chosen = llvm::find_if(
      sizes, [](Size size) { return getConstantIntValue(size).has_value(); });
  if (chosen == sizes.end())
    chosen = sizes.begin();
  for (Size size : sizes)
    b.require("equal", *chosen, size,
              "query, key and value of 'attention' agree in " + what);
  return *chosen;
}

static AttentionSizes sizesOf(trace::AttentionOp::Adaptor in, Lowering &b) {
  SizeList q = b.sizesOf(in.getQuery()), k = b.sizesOf(in.getKey()),
           v = b.sizesOf(in.getValue());
  size_t heads = q.size() - 3;
  AttentionSizes sizes;
  for (size_t i = 0; i < heads; ++i)
    sizes.batch.push_back(
        agree({q[i], k[i], v[i]}, "batch dimension " + Twine(i), b));
  sizes.keyHeads = agree({k[heads], v[heads]}, "their heads", b);
  sizes.queryHeads = q[heads];
  if (!getConstantIntValue(sizes.keyHeads) || !getConstantIntValue(q[heads]))
    sizes.queryHeads = sizes.keyHeads =
        agree({sizes.keyHeads, q[heads]}, "their heads", b);
  sizes.queries = q[heads + 1];
  sizes.keys = agree({k[heads + 1], v[heads + 1]}, "the number of keys", b);
  sizes.depth = q.back();
  sizes.width = v.back();
  return sizes;
}

/// The tensor with a type that shows all that is known of its sizes.
static Value shown(Value tensor, const SizeList &sizes, Lowering &b) {
  return b.reshape(
      tensor, sizes, typeWith(sizes, elementTypeOf(tensor)),
      {"reshape", "know the sizes of the operands of 'attention'"});
}

/// Broadcasts `tensor`, which must not be larger, to `sizes`.
static Value spreadTo(Value tensor, StringRef what, int64_t operand,
                      const SizeList &sizes, Lowering &b) {
  SizeList from = b.sizesOf(tensor);
  size_t added = sizes.size() - from.size();
  for (auto [i, size] : llvm::enumerate(from))
    b.require("equal", b.math.ifOne(size, sizes[added + i], size),
              sizes[added + i],
              "dimension " + Twine(i) + " of " + what +
                  " of 'attention' has size 1 or that of the scores");
  return b.broadcast({tensor, what.str(), operand},
                     typeWith(sizes, elementTypeOf(tensor)), sizes);
}

//===-- decomposition -----------------------------------------------------===//

namespace {
class Decomposition {
public:
  /// `args`: query, key and value, then mask and lengths where there are any.
  Decomposition(ValueRange args, StringRef causal, double scale, Lowering &b)
      : b(b), causal(causal), scale(scale), query(args[0]), key(args[1]),
        value(args[2]), element(elementTypeOf(query)),
        wide(accumulatorOf(element)) {
    for (Value arg : args.drop_front(3))
      (elementTypeOf(arg).isInteger(32) ? lengths : mask) = arg;
    SizeList q = b.sizesOf(query), k = b.sizesOf(key);
    size_t heads = q.size() - 3;
    sizes.batch = SizeList(ArrayRef(q).take_front(heads));
    sizes.queryHeads = q[heads];
    sizes.keyHeads = k[heads];
    sizes.queries = q[heads + 1];
    sizes.keys = k[heads + 1];
    sizes.depth = q.back();
    sizes.width = b.sizesOf(value).back();
  }

  /// The result, of this type.
  Value build(RankedTensorType type);

private:
  int64_t rank() const { return sizes.batch.size() + 3; }
  Size rows();
  Value grouped(Value tensor, Size columns);
  Value product(const Twine &reason, Value left, Value right,
                int64_t contracted, Type result);
  Value positions(int64_t dim);
  Value compare(const Twine &reason, Value x, ComparisonDirection direction,
                Value y);
  Value limits();
  Value visibleByCause();
  Value visible();
  Value scores();
  Value probabilities();
  Value keptValues();

  Lowering &b;
  StringRef causal;
  double scale;
  Value query, key, value, mask, lengths;
  Type element, wide;
  AttentionSizes sizes;
};
} // namespace

/// Rows of the product with one head of the key.
Size Decomposition::rows() {
  std::optional<int64_t> all = getConstantIntValue(sizes.queryHeads);
  std::optional<int64_t> shared = getConstantIntValue(sizes.keyHeads);
  if (!all || !shared || *shared == 0)
    return sizes.queries;
  return b.math.mul(sizes.queries, b.math.constant(*all / *shared));
}

/// (..., Hq, M, columns) -> (..., Hk, Hq / Hk * M, columns).
Value Decomposition::grouped(Value tensor, Size columns) {
  SizeList to = sizes.with(sizes.keyHeads, rows(), columns);
  return b.reshape(
      tensor, to, typeWith(to, elementTypeOf(tensor)),
      {"reshape", "bring heads of 'attention' together that share a key"});
}

/// Contracts the last dimension of `left` with `contracted` of `right`.
Value Decomposition::product(const Twine &reason, Value left, Value right,
                             int64_t contracted, Type result) {
  Dims batch = leadingDims(rank() - 2);
  Dims shape =
      flatir::dotShape(left, right, batch, batch, rank() - 1, contracted);
  return b.step<flatir::DotOp>(reason, RankedTensorType::get(shape, result),
                               left, right, batch, batch, Dims{rank() - 1},
                               Dims{contracted}, /*allowTF32=*/false);
}

/// 0, 1, 2, ... along a dimension of the scores.
Value Decomposition::positions(int64_t dim) {
  SizeList all = sizes.scores();
  RankedTensorType type = typeWith(all, b.getBuilder().getI64Type());
  return b.step<flatir::IotaOp>(dim + 1 == rank() ? "number the keys"
                                                  : "number the queries",
                                type, b.dynamicSizes(type, all), dim);
}

Value Decomposition::compare(const Twine &reason, Value x,
                             ComparisonDirection direction, Value y) {
  return b.step<flatir::CompareOp>(
      reason, withElementType(x.getType(), b.getBuilder().getI1Type()),
      direction, x, y);
}

/// For each score, the number of keys that `lengths` leaves: i64.
Value Decomposition::limits() {
  Value wide =
      b.convert(lengths, b.getBuilder().getI64Type(), "compute in 64 bits");
  Value atLeast = b.step<flatir::MaximumOp>("count a negative length as 0",
                                            wide, b.splat(0, wide));
  Value count = b.step<flatir::MinimumOp>("count all keys at most", atLeast,
                                          sizeLike(sizes.keys, wide, b));
  SizeList all = sizes.scores();
  return b.broadcast({count, "the lengths", -1}, leadingDims(rank() - 3),
                     typeWith(all, elementTypeOf(count)), all);
}

Value Decomposition::visibleByCause() {
  Value column = positions(rank() - 1), row = positions(rank() - 2);
  if (causal == "bottom_right") {
    // column - keys <= row - queries, without negative numbers.
    Value keys = lengths ? limits() : sizeLike(sizes.keys, row, b);
    row = b.step<flatir::AddOp>("count queries from the end", row, keys);
    column = b.step<flatir::AddOp>("count keys from the end", column,
                                   sizeLike(sizes.queries, column, b));
  }
  return compare("hide the keys behind each query", column,
                 ComparisonDirection::Le, row);
}

/// Which keys each query sees; null where it sees all.
Value Decomposition::visible() {
  Value all;
  auto add = [&](Value more) {
    all =
        all ? b.step<flatir::LogicalAndOp>("hide what either hides", all, more)
            : more;
  };
  if (mask && elementTypeOf(mask).isInteger(1))
    add(mask);
  if (lengths)
    add(compare("hide the keys behind the lengths", positions(rank() - 1),
                ComparisonDirection::Lt, limits()));
  if (!causal.empty())
    add(visibleByCause());
  return all;
}

/// In groups; minus infinity where a key is hidden.
Value Decomposition::scores() {
  Value products = product("multiply queries and keys",
                           grouped(query, sizes.depth), key, rank() - 1, wide);
  Value result = b.step<flatir::MulOp>("scale the scores", products,
                                       b.splat(scale, products));
  if (mask && !elementTypeOf(mask).isInteger(1)) {
    Value bias = b.convert(mask, wide, "compute in 32 bits");
    result = b.step<flatir::AddOp>("add the mask", result,
                                   grouped(bias, sizes.keys));
  }
  if (Value seen = visible()) {
    double infinity = std::numeric_limits<double>::infinity();
    result = b.step<flatir::SelectOp>("hide keys", grouped(seen, sizes.keys),
                                      result, b.splat(-infinity, result));
  }
  return result;
}

/// Rows without a key are 0.
Value Decomposition::probabilities() {
  Value score = scores();
  int64_t dim = rank() - 1;
  double infinity = std::numeric_limits<double>::infinity();
  Value max = reduceStep("find the largest score", flatir::ReduceKind::Max,
                         score, dim, b);
  Value isNone = compare("find the queries that see no key", max,
                         ComparisonDirection::Eq, b.splat(-infinity, max));
  max = b.step<flatir::SelectOp>("subtract 0 there", isNone, b.splat(0, max),
                                 max);
  Value centered = b.step<flatir::SubOp>(
      "subtract the largest score, so that exp cannot overflow,", score,
      spread(max, "the largest score", score, dim, b));
  Value power = b.step<flatir::ExpOp>("compute exp", centered);
  Value sum =
      reduceStep("sum the powers", flatir::ReduceKind::Sum, power, dim, b);
  Value isZero = compare("find the queries that see no key", sum,
                         ComparisonDirection::Eq, b.splat(0, sum));
  sum = b.step<flatir::SelectOp>("divide by 1 there", isZero, b.splat(1, sum),
                                 sum);
  return b.step<flatir::DivOp>("divide by the sum of the powers", power,
                               spread(sum, "the sum", score, dim, b));
}

/// The values, 0 behind the lengths: 0 times what is there may be NaN.
Value Decomposition::keptValues() {
  if (!lengths)
    return value;
  SizeList all = b.sizesOf(value);
  auto type = cast<RankedTensorType>(value.getType());
  Type i64 = b.getBuilder().getI64Type();
  RankedTensorType numbers = type.clone(i64);
  Value number = b.step<flatir::IotaOp>(
      "number the keys", numbers, b.dynamicSizes(numbers, all), rank() - 2);
  Value limit = b.broadcast(
      {b.convert(lengths, i64, "compute in 64 bits"), "the lengths", -1},
      leadingDims(rank() - 3), numbers, all);
  Value kept = compare("find the values before the lengths", number,
                       ComparisonDirection::Lt, limit);
  return b.step<flatir::SelectOp>("leave out the values behind the lengths",
                                  kept, value, b.splat(0, value));
}

Value Decomposition::build(RankedTensorType type) {
  Value weights =
      b.convert(probabilities(), element, "multiply in the operands' type");
  Value result =
      product("average the values", weights, keptValues(), rank() - 2, element);
  return b.reshape(result,
                   sizes.with(sizes.queryHeads, sizes.queries, sizes.width),
                   type, {"reshape", "take heads of 'attention' apart again"});
}

//===-- attention ---------------------------------------------------------===//

// trace.attention %q, %k, %v -> composite { softmax(scale q k^T + mask) v }
static Lowered lowerAttention(trace::AttentionOp op,
                              trace::AttentionOp::Adaptor in, Lowering &b) {
  AttentionSizes sizes = sizesOf(in, b);
  OpBuilder &builder = b.getBuilder();
  double scale =
      1 / std::sqrt(static_cast<double>(*getConstantIntValue(sizes.depth)));
  if (std::optional<APFloat> given = in.getScale())
    scale = given->convertToDouble();
  StringRef causal = in.getCausal().value_or("");
  SmallVector<NamedAttribute> config;
  if (!causal.empty())
    config.push_back(builder.getNamedAttr("causal", in.getCausalAttr()));
  config.push_back(
      builder.getNamedAttr("scale", builder.getF64FloatAttr(scale)));
  SmallVector<Value> operands = {
      shown(in.getQuery(),
            sizes.with(sizes.queryHeads, sizes.queries, sizes.depth), b),
      shown(in.getKey(), sizes.with(sizes.keyHeads, sizes.keys, sizes.depth),
            b),
      shown(in.getValue(), sizes.with(sizes.keyHeads, sizes.keys, sizes.width),
            b)};
  if (in.getMask())
    operands.push_back(
        spreadTo(in.getMask(), "the mask", 3, sizes.scores(), b));
  if (in.getLengths())
    operands.push_back(
        spreadTo(in.getLengths(), "the lengths", 4, sizes.batch, b));
  return {b.composite(
      "attention", config, operands,
      [&](ValueRange args) {
        return Decomposition(args, causal, scale, b)
            .build(op.getResult().getType());
      },
      op.getResult().getType(),
      sizes.with(sizes.queryHeads, sizes.queries, sizes.width))};
}

void tripy::addAttentionPatterns(PatternAdder &adder) {
  adder.add<trace::AttentionOp>(lowerAttention);
}
