//===- Contraction.cpp - Raises contractions ------------------------------===//
//
// A sum of products, of what is computed of one operand's elements with what is
// computed of another's, is a flatir.dot. Where an operand is read in windows,
// as by a convolution, its elements are gathered, and the contracted loops
// become one dimension.
//
//===----------------------------------------------------------------------===//

#include "Generic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::raise;

/// What is computed of the elements of one operand.
struct GenericRaising::Factor {
  OpOperand *operand;
  Value value;
};

/// Loops by role.
struct GenericRaising::Contraction {
  SmallVector<int64_t> batch, left, right, contracted;
  /// Of size 1, in both operands.
  SmallVector<int64_t> dropped;
  /// Whether the first factor is the right operand.
  bool swapped = false;
  /// Whether an operand is read in windows.
  bool windows = false;
};

/// None where `value` depends on several tensors, or on indices.
std::optional<GenericRaising::Factor> GenericRaising::factorOf(Value value) {
  OpOperand *tensor = nullptr;
  llvm::SetVector<Value> pending;
  pending.insert(value);
  for (size_t i = 0; i < pending.size(); ++i) {
    Value next = pending[i];
    if (next.getParentBlock() != &body)
      continue;
    auto argument = dyn_cast<BlockArgument>(next);
    if (!argument) {
      Operation *made = next.getDefiningOp();
      if (isa<linalg::IndexOp, tensor::ExtractOp>(made))
        return std::nullopt;
      pending.insert_range(made->getOperands());
      continue;
    }
    OpOperand &operand = op->getOpOperand(argument.getArgNumber());
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    if (tensor || op.isDpsInit(&operand))
      return std::nullopt;
    tensor = &operand;
  }
  return tensor ? std::optional(Factor{tensor, value}) : std::nullopt;
}

/// Whether a dot of the operand's own type computes the factor by itself.
static bool convertsInDot(Value factor, Type from, Type sum) {
  Operation *extension = factor.getDefiningOp();
  Value element = isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(extension)
                      ? extension->getOperand(0)
                      : factor;
  return isa<BlockArgument>(element) && isContractionResult(from, sum);
}

std::optional<GenericRaising::Contraction>
GenericRaising::rolesOf(const Factor &lhs, const Factor &rhs, unsigned number) {
  AffineMap left = op.getMatchingIndexingMap(lhs.operand);
  AffineMap right = op.getMatchingIndexingMap(rhs.operand);
  Contraction roles;
  roles.windows = isWindow(*lhs.operand) || isWindow(*rhs.operand);
  roles.contracted = reduced;
  for (int64_t loop : reduced)
    if (!left.isFunctionOfDim(loop) || !right.isFunctionOfDim(loop))
      return std::nullopt;
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
  bool hasBatch = false, hasLeft = false, hasRight = false;
  for (AffineExpr expr : result.getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    bool inLeft = left.isFunctionOfDim(loop);
    bool inRight = right.isFunctionOfDim(loop);
    if (!inLeft && !inRight)
      return std::nullopt;
    roles.swapped |= inRight && !inLeft && roles.left.empty();
    bool isOne = loops.shape[loop] == 1;
    if (inLeft && inRight) {
      (isOne ? roles.dropped : roles.batch).push_back(loop);
      hasBatch |= !isOne;
      continue;
    }
    (inLeft ? roles.left : roles.right).push_back(loop);
    (inLeft ? hasLeft : hasRight) |= !isOne;
  }
  // Without a batch an operand is used for many results; with one it may be
  // that each result is a sum of its own.
  bool isSum = roles.windows ? !hasLeft || !hasRight : !hasLeft && !hasRight;
  if (hasBatch && isSum && loops.rank() <= maxRank)
    return std::nullopt;
  if (roles.swapped)
    std::swap(roles.left, roles.right);
  return roles;
}

/// Adds loops of size 1 that a read has dropped.
static void addLoops(View &view, AffineMap map, const Space &loops,
                     Lowering &b) {
  for (int64_t loop = 0; loop < loops.rank(); ++loop)
    if (map.isFunctionOfDim(loop) && !llvm::is_contained(view.loops, loop))
      view.loops.push_back(loop);
  view.tensor = reshape(view.tensor, loops.select(view.loops), b);
}

/// Takes out loops of size 1.
static void dropLoops(View &view, ArrayRef<int64_t> dropped, const Space &loops,
                      Lowering &b) {
  llvm::erase_if(view.loops, [&](int64_t loop) {
    return llvm::is_contained(dropped, loop);
  });
  view.tensor = reshape(view.tensor, loops.select(view.loops), b);
}

namespace {
/// The body for the elements of one operand, and numbers.
class FactorRaising : public BodyRaising {
public:
  FactorRaising(linalg::GenericOp op, Operation *written, Raising &program,
                BlockArgument element, Value tensor)
      : BodyRaising(*op.getBlock(), written, op == written, program), op(op),
        element(element), tensor(tensor) {
    isShared = true;
  }

private:
  Value argument(BlockArgument argument, const Space &space) override {
    if (argument == element)
      return tensor;
    Lowering b = program.builderFor(written);
    return program.valueAt(op->getOperand(argument.getArgNumber()), space, b);
  }

  linalg::GenericOp op;
  BlockArgument element;
  Value tensor;
};
} // namespace

std::optional<View> GenericRaising::factorTensor(const Factor &factor,
                                                 bool asIs) {
  std::optional<View> view = read(*factor.operand);
  if (!view)
    return view;
  addLoops(*view, op.getMatchingIndexingMap(factor.operand), loops, b);
  if (asIs)
    return view;
  BlockArgument element = op.getMatchingBlockArgument(factor.operand);
  FactorRaising raising(op, written, program, element, view->tensor);
  view->tensor = raising.evaluate(factor.value, loops.select(view->loops));
  return view->tensor ? view : std::nullopt;
}

/// Positions of `wanted` in the dimensions of a view.
static SmallVector<int64_t> positionsOf(ArrayRef<int64_t> wanted,
                                        const View &view) {
  SmallVector<int64_t> positions;
  for (int64_t loop : wanted)
    positions.push_back(llvm::find(view.loops, loop) - view.loops.begin());
  return positions;
}

View GenericRaising::multiply(const Contraction &roles, const View &lhs,
                              const View &rhs, Type element) {
  // A dot orders what is left of an operand as the operand does.
  auto leftOver = [&](const View &view, ArrayRef<int64_t> own) {
    SmallVector<int64_t> found;
    for (int64_t loop : view.loops)
      if (llvm::is_contained(own, loop))
        found.push_back(loop);
    return found;
  };
  View made;
  made.loops = roles.batch;
  llvm::append_range(made.loops, leftOver(lhs, roles.left));
  llvm::append_range(made.loops, leftOver(rhs, roles.right));
  made.tensor = b.primary<flatir::DotOp>(
      loops.select(made.loops).type(element), lhs.tensor, rhs.tensor,
      positionsOf(roles.batch, lhs), positionsOf(roles.batch, rhs),
      positionsOf(roles.contracted, lhs), positionsOf(roles.contracted, rhs),
      /*allowTF32=*/false);
  return made;
}

/// Stands for all contracted loops as one dimension.
static constexpr int64_t mergedLoop = -1;

/// The contracted loops as one dimension, before or behind the others, as they
/// mostly are.
static View mergeContracted(const View &view, ArrayRef<int64_t> contracted,
                            const Space &loops, Lowering &b) {
  View rows;
  for (int64_t loop : view.loops)
    if (!llvm::is_contained(contracted, loop))
      rows.loops.push_back(loop);
  bool isFirst = llvm::is_contained(contracted, view.loops.front());
  SmallVector<int64_t> order(isFirst ? contracted : ArrayRef(rows.loops));
  llvm::append_range(order, isFirst ? ArrayRef(rows.loops) : contracted);
  Value ordered = transpose(view.tensor, positionsOf(order, view), b);
  Space space = loops.select(rows.loops);
  Size size = b.math.product(loops.select(contracted).sizes);
  std::optional<int64_t> known = getConstantIntValue(size);
  size_t at = isFirst ? 0 : rows.loops.size();
  space.shape.insert(space.shape.begin() + at,
                     known.value_or(ShapedType::kDynamic));
  space.sizes.insert(space.sizes.begin() + at,
                     known ? size : Size(b.math.value(size)));
  rows.loops.insert(rows.loops.begin() + at, mergedLoop);
  rows.tensor = reshape(ordered, space, b);
  return rows;
}

/// None where it is no contraction; without a tensor after an error.
std::optional<View>
GenericRaising::contract(unsigned number, Operation *combiner, Value element) {
  Operation *product = element.getDefiningOp();
  if (!isa<arith::AddFOp, arith::AddIOp>(combiner) || !product ||
      product->getBlock() != &body ||
      !isa<arith::MulFOp, arith::MulIOp>(product) ||
      element.getType().isInteger(1))
    return std::nullopt;
  Type sum = element.getType();
  std::optional<Factor> first = factorOf(product->getOperand(0));
  std::optional<Factor> second = factorOf(product->getOperand(1));
  if (!first || !second || first->operand->get() == second->operand->get())
    return std::nullopt;
  std::optional<Contraction> roles = rolesOf(*first, *second, number);
  if (!roles)
    return std::nullopt;
  if (roles->swapped)
    std::swap(first, second);
  Type from = elementTypeOf(first->operand->get());
  bool asIs = from == elementTypeOf(second->operand->get()) &&
              convertsInDot(first->value, from, sum) &&
              convertsInDot(second->value, from, sum);
  std::optional<View> lhs = factorTensor(*first, asIs);
  std::optional<View> rhs = factorTensor(*second, asIs);
  if (!lhs || !rhs)
    return View();
  for (View *view : {&*lhs, &*rhs})
    dropLoops(*view, roles->dropped, loops, b);
  if (roles->windows) {
    lhs = mergeContracted(*lhs, reduced, loops, b);
    rhs = mergeContracted(*rhs, reduced, loops, b);
    roles->contracted = {mergedLoop};
  }
  View made = multiply(*roles, *lhs, *rhs, sum);
  llvm::append_range(made.loops, roles->dropped);
  made.tensor = reshape(made.tensor, loops.select(made.loops), b);
  return made;
}
