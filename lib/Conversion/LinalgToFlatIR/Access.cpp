//===- Access.cpp - Reads of tensors by affine maps and positions ---------===//
//
// A map that permutes and repeats dimensions is a transpose and a broadcast. A
// dimension that two loops read in steps (the windows of a convolution) is a
// window; one that another expression of several loops reads is a gather, whose
// indices are computed from the loops.
//
//===----------------------------------------------------------------------===//

#include "Raise.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::raise;
using scalar::ScalarFn;

namespace {

/// loop * stride + offset.
struct Strided {
  int64_t stride = 1, offset = 0;
};

/// position * dilation + window * stride + offset, of two loops.
struct Sliding {
  int64_t position = 0, window = 0;
  int64_t dilation = 1, stride = 1, offset = 0;
};

/// Reads one tensor through one map.
class Access {
public:
  Access(Value tensor, AffineMap map, const Space &loops, Lowering &b)
      : tensor(tensor), loops(loops), b(b) {
    for (AffineExpr expr : map.getResults())
      exprs.push_back(simplified(expr, map.getNumDims()));
  }

  Value read(SmallVector<int64_t> &used);

private:
  AffineExpr simplified(AffineExpr expr, unsigned numDims);
  SmallVector<int64_t> loopsOf(AffineExpr expr) const;
  bool areDisjoint() const;
  void agreeWithLoops();
  Value indexOf(AffineExpr expr, ArrayRef<int64_t> used, const Space &space);
  void takeStrided(int64_t dim, int64_t loop, const Strided &access);
  void takeFixed(int64_t dim, int64_t at);
  std::optional<Sliding> asSliding(AffineExpr expr,
                                   ArrayRef<int64_t> used) const;
  bool slidesInside(const Sliding &access, int64_t size) const;
  void takeWindows(int64_t dim, const Sliding &access);
  void takeGathered(int64_t dim, ArrayRef<int64_t> used);
  void take(int64_t dim);

  Value tensor;
  const Space &loops;
  Lowering &b;
  SmallVector<AffineExpr> exprs;
  /// Loops of the dimensions of `tensor` from the one in turn on.
  SmallVector<int64_t> order;
};

} // namespace

/// Loops of size 1 are 0, unless a loop is the whole expression.
AffineExpr Access::simplified(AffineExpr expr, unsigned numDims) {
  if (isa<AffineDimExpr>(expr))
    return expr;
  SmallVector<AffineExpr> dims;
  for (unsigned i = 0; i < numDims; ++i)
    dims.push_back(loops.shape[i] == 1
                       ? getAffineConstantExpr(0, expr.getContext())
                       : getAffineDimExpr(i, expr.getContext()));
  return simplifyAffineExpr(expr.replaceDims(dims), numDims, 0);
}

SmallVector<int64_t> Access::loopsOf(AffineExpr expr) const {
  SmallVector<int64_t> found;
  for (int64_t i = 0; i < loops.rank(); ++i)
    if (expr.isFunctionOfDim(i))
      found.push_back(i);
  return found;
}

/// Whether no loop is in two expressions.
bool Access::areDisjoint() const {
  SmallVector<int64_t> all;
  for (AffineExpr expr : exprs)
    llvm::append_range(all, loopsOf(expr));
  llvm::sort(all);
  return std::adjacent_find(all.begin(), all.end()) == all.end();
}

/// Gives the tensor the loops' sizes where a dimension is a loop.
void Access::agreeWithLoops() {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  SizeList sizes = b.sizesOf(tensor);
  for (auto [dim, expr] : llvm::enumerate(exprs)) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop)
      continue;
    Size size = loops.sizes[loop.getPosition()];
    b.require("equal", size, sizes[dim],
              "the operands of '" + b.sourceName() + "' agree in loop " +
                  Twine(loop.getPosition()));
    shape[dim] = loops.shape[loop.getPosition()];
    sizes[dim] = size;
  }
  tensor = withType(tensor, type.clone(shape), b);
  if (!type.clone(shape).hasStaticShape())
    b.setSizes(tensor, sizes);
}

/// The value of an expression at each point of `space`, whose dimensions are
/// the loops `used`.
Value Access::indexOf(AffineExpr expr, ArrayRef<int64_t> used,
                      const Space &space) {
  Type i64 = b.getBuilder().getI64Type();
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return splat(IntegerAttr::get(i64, constant.getValue()), space, b);
  if (auto loop = dyn_cast<AffineDimExpr>(expr))
    return countAlong(llvm::find(used, loop.getPosition()) - used.begin(),
                      space, b);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = indexOf(binary.getLHS(), used, space);
  Value rhs = indexOf(binary.getRHS(), used, space);
  Steps s(space, b);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return s.fn(ScalarFn::Add, {lhs, rhs});
  case AffineExprKind::Mul:
    return s.fn(ScalarFn::Mul, {lhs, rhs});
  case AffineExprKind::FloorDiv:
    return s.fn(ScalarFn::FloorDiv, {lhs, rhs});
  case AffineExprKind::Mod:
    return s.fn(ScalarFn::Mod, {lhs, rhs});
  default: // x ceildiv y is -(-x floordiv y).
    return s.fn(ScalarFn::Neg,
                s.fn(ScalarFn::FloorDiv, {s.fn(ScalarFn::Neg, lhs), rhs}));
  }
}

/// Dimension `dim` is read by steps of `loop`, inside.
void Access::takeStrided(int64_t dim, int64_t loop, const Strided &access) {
  Space part = spaceOf(tensor, b);
  part.shape[dim] = loops.shape[loop];
  part.sizes[dim] = loops.sizes[loop];
  SizeList offsets(part.rank(), b.math.constant(0));
  offsets[dim] = b.math.constant(access.offset);
  SmallVector<int64_t> strides(part.rank(), 1);
  strides[dim] = access.stride;
  tensor = slice(tensor, offsets, strides, part, b);
  order.insert(order.begin(), loop);
}

/// Dimension `dim`, of a known size, is read at `at`, inside.
void Access::takeFixed(int64_t dim, int64_t at) {
  Space part = spaceOf(tensor, b);
  part.shape[dim] = 1;
  part.sizes[dim] = b.math.constant(1);
  SizeList offsets(part.rank(), b.math.constant(0));
  offsets[dim] = b.math.constant(at);
  if (cast<RankedTensorType>(tensor.getType()).getDimSize(dim) != 1)
    tensor =
        slice(tensor, offsets, SmallVector<int64_t>(part.rank(), 1), part, b);
  part.shape.erase(part.shape.begin() + dim);
  part.sizes.erase(part.sizes.begin() + dim);
  tensor = reshape(tensor, part, b);
}

void Access::takeGathered(int64_t dim, ArrayRef<int64_t> used) {
  Space points = loops.select(used);
  Value index = indexOf(exprs[dim], used, points);
  tensor = gather(tensor, index, dim, b);
  order.insert(order.begin(), used.begin(), used.end());
}

/// Of an expression of one loop, in the form that simplification gives.
static std::optional<Strided> asStrided(AffineExpr expr) {
  Strided found;
  auto takeConstant = [&](AffineExprKind kind, int64_t &value) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary || binary.getKind() != kind)
      return;
    if (auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS())) {
      value = constant.getValue();
      expr = binary.getLHS();
    }
  };
  takeConstant(AffineExprKind::Add, found.offset);
  takeConstant(AffineExprKind::Mul, found.stride);
  return isa<AffineDimExpr>(expr) ? std::optional(found) : std::nullopt;
}

/// Whether all steps of a loop of `count` steps read below `size`.
static bool isInside(const Strided &access, int64_t count, int64_t size) {
  if (ShapedType::isDynamic(count) || ShapedType::isDynamic(size) ||
      count == 0 || access.offset < 0 || access.stride <= 0)
    return false;
  return saturatingAdd(saturatingMul(count - 1, access.stride), access.offset) <
         size;
}

/// Adds the factors of loops, and the constant, in a sum of both; false for
/// other expressions.
static bool addTerms(AffineExpr expr, MutableArrayRef<int64_t> factors,
                     int64_t &offset) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    offset += constant.getValue();
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (binary && binary.getKind() == AffineExprKind::Add)
    return addTerms(binary.getLHS(), factors, offset) &&
           addTerms(binary.getRHS(), factors, offset);
  int64_t factor = 1;
  if (binary && binary.getKind() == AffineExprKind::Mul)
    if (auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS())) {
      factor = constant.getValue();
      expr = binary.getLHS();
    }
  auto loop = dyn_cast<AffineDimExpr>(expr);
  if (!loop)
    return false;
  factors[loop.getPosition()] += factor;
  return true;
}

/// The steps of two loops of known sizes. The shorter one is the window's.
std::optional<Sliding> Access::asSliding(AffineExpr expr,
                                         ArrayRef<int64_t> used) const {
  SmallVector<int64_t> factors(loops.rank(), 0);
  int64_t offset = 0;
  if (used.size() != 2 || !addTerms(expr, factors, offset))
    return std::nullopt;
  int64_t first = used[0], second = used[1];
  if (loops.shape[first] < loops.shape[second])
    std::swap(first, second);
  return Sliding{second, first, factors[second], factors[first], offset};
}

/// Whether all windows are inside of a dimension of `size`, and their steps
/// are such as flatir.window has.
bool Access::slidesInside(const Sliding &access, int64_t size) const {
  constexpr int64_t maxStep = int64_t(1) << 20;
  int64_t positions = loops.shape[access.position];
  int64_t windows = loops.shape[access.window];
  auto isStep = [](int64_t step) { return 1 <= step && step <= maxStep; };
  return !ShapedType::isDynamic(positions) && !ShapedType::isDynamic(windows) &&
         positions > 0 && windows > 0 && isStep(access.dilation) &&
         isStep(access.stride) && access.offset >= 0 &&
         saturatingAdd(
             access.offset,
             saturatingAdd(saturatingMul(positions - 1, access.dilation),
                           saturatingMul(windows - 1, access.stride))) < size;
}

/// Dimension `dim` is read in windows, inside.
void Access::takeWindows(int64_t dim, const Sliding &access) {
  Space from = spaceOf(tensor, b);
  Space taken = from;
  taken.shape[dim] = loops.shape[access.window];
  taken.sizes[dim] = loops.sizes[access.window];
  taken.shape.insert(taken.shape.begin(), loops.shape[access.position]);
  taken.sizes.insert(taken.sizes.begin(), loops.sizes[access.position]);
  RankedTensorType type = taken.type(elementTypeOf(tensor));
  tensor = b.step<flatir::WindowOp>(
      "read in windows", type, tensor, b.dynamicSizes(type, taken.sizes), dim,
      loops.shape[access.position], access.stride, access.dilation, int64_t(1),
      -access.offset, b.getBuilder().getZeroAttr(type.getElementType()));
  // The position goes in front of the window.
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(1, taken.rank()));
  permutation.insert(permutation.begin() + dim, 0);
  tensor = transpose(tensor, permutation, b);
  order.insert(order.begin(), {access.position, access.window});
}

/// Replaces dimension `dim` by the loops that its expression reads.
void Access::take(int64_t dim) {
  AffineExpr expr = exprs[dim];
  if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
    order.insert(order.begin(), loop.getPosition());
    return;
  }
  SmallVector<int64_t> used = loopsOf(expr);
  int64_t size = cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
  // A dynamic size is below 0, so that no position is inside.
  if (auto at = dyn_cast<AffineConstantExpr>(expr);
      at && at.getValue() >= 0 && at.getValue() < size)
    return takeFixed(dim, at.getValue());
  std::optional<Strided> strided =
      used.size() == 1 ? asStrided(expr) : std::nullopt;
  if (strided && isInside(*strided, loops.shape[used.front()], size))
    return takeStrided(dim, used.front(), *strided);
  std::optional<Sliding> sliding = asSliding(expr, used);
  bool hasRank = rankOf(tensor) < maxRank;
  if (sliding && hasRank && slidesInside(*sliding, size))
    return takeWindows(dim, *sliding);
  takeGathered(dim, used);
}

Value Access::read(SmallVector<int64_t> &used) {
  agreeWithLoops();
  if (!areDisjoint()) {
    for (AffineExpr expr : exprs)
      llvm::append_range(used, loopsOf(expr));
    llvm::sort(used);
    used.erase(llvm::unique(used), used.end());
    Space points = loops.select(used);
    SmallVector<Value> positions;
    for (AffineExpr expr : exprs)
      positions.push_back(indexOf(expr, used, points));
    return readAt(tensor, positions, points, b);
  }
  for (int64_t dim = exprs.size(); dim-- > 0;)
    take(dim);
  used = order;
  return tensor;
}

Value raise::spreadLoops(Value tensor, ArrayRef<int64_t> order,
                         const Space &space, Lowering &b) {
  SmallVector<int64_t> permutation =
      llvm::to_vector(llvm::seq<int64_t>(order.size()));
  llvm::sort(permutation,
             [&](int64_t x, int64_t y) { return order[x] < order[y]; });
  SmallVector<int64_t> dims(order);
  llvm::sort(dims);
  return spread(transpose(tensor, permutation, b), dims, space, b);
}

Value raise::readThrough(Value tensor, AffineMap map, const Space &loops,
                         SmallVector<int64_t> &used, Lowering &b) {
  return Access(tensor, map, loops, b).read(used);
}

//===-- positions ---------------------------------------------------------===//

Value raise::countAlong(int64_t dim, const Space &space, Lowering &b) {
  RankedTensorType type = space.type(b.getBuilder().getI64Type());
  return b.step<flatir::IotaOp>("count along a loop", type,
                                b.dynamicSizes(type, space.sizes), dim);
}

Value raise::gather(Value tensor, Value index, int64_t dim, Lowering &b) {
  Space from = spaceOf(tensor, b), at = spaceOf(index, b);
  b.require("at_most",
            b.math.minimum(b.math.constant(1), b.math.product(at.sizes)),
            from.sizes[dim],
            "dimension " + Twine(dim) + " of an operand of '" + b.sourceName() +
                "' is not empty where it is read");
  from.shape.erase(from.shape.begin() + dim);
  from.shape.insert(from.shape.begin() + dim, at.shape.begin(), at.shape.end());
  return b.step<flatir::GatherOp>("read at computed positions",
                                  from.type(elementTypeOf(tensor)), tensor,
                                  index, dim);
}

Value raise::sizeAsTensor(Size size, const Space &space, Lowering &b) {
  Type i64 = b.getBuilder().getI64Type();
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return splat(IntegerAttr::get(i64, *known), space, b);
  Value number = b.step<flatir::FromIndexOp>("take a size as a number",
                                             RankedTensorType::get({}, i64),
                                             b.math.value(size));
  return spread(number, {}, space, b);
}

Value raise::readAt(Value tensor, ArrayRef<Value> positions, const Space &space,
                    Lowering &b) {
  Space from = spaceOf(tensor, b);
  Steps s(space, b);
  Value linear = sizeAsTensor(b.math.constant(0), space, b);
  for (auto [size, position] : llvm::zip(from.sizes, positions)) {
    Value scaled = s.fn(ScalarFn::Mul, {linear, sizeAsTensor(size, space, b)});
    linear = s.fn(ScalarFn::Add, {scaled, position});
  }
  Space flat;
  flat.sizes.push_back(b.math.product(from.sizes));
  flat.shape.push_back(
      getConstantIntValue(flat.sizes[0]).value_or(ShapedType::kDynamic));
  return gather(reshape(tensor, flat, b), linear, 0, b);
}
