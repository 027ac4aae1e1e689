//===- MarkAccuracy.cpp - Which results end in 16 bits --------------------===//
//
// Follows what a function feeds through the bodies, reductions and views of a
// kernel, before the emitters spread it over lanes, shuffles and shared memory,
// where it could not be followed any more.
//
//===----------------------------------------------------------------------===//

#include "EmitCUDA.h"

#include "tripy/Codegen/Math.h"
#include "tripy/Dialect/Common/ScalarFns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;

namespace {
/// Where the values that one operation feeds are rounded.
class Ends {
public:
  explicit Ends(Value roundedOperand) : roundedOperand(roundedOperand) {}
  /// Follows `value`; false when it ends in more than 16 bits, or in an
  /// operation that jumps, such as a comparison.
  bool follow(Value value);
  bool onlyF16 = true;

private:
  bool rounds(Type type);
  bool visit(OpOperand &use);
  bool visitOperand(linalg::GenericOp op, OpOperand &use);

  Value roundedOperand;
  llvm::DenseSet<Value> seen;
  SmallVector<Value> worklist;
};
} // namespace

/// Values followed at most: larger kernels keep the accurate form.
static constexpr size_t maxValues = 512;

bool Ends::rounds(Type type) {
  Type element = getElementTypeOrSelf(type);
  onlyF16 &= element.isF16();
  return element.isF16() || element.isBF16();
}

bool Ends::visitOperand(linalg::GenericOp op, OpOperand &use) {
  worklist.push_back(op.getMatchingBlockArgument(&use));
  return true;
}

bool Ends::visit(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<kernel::YieldOp>(user))
    return rounds(use.get().getType());
  if (auto generic = dyn_cast<linalg::GenericOp>(user))
    return visitOperand(generic, use);
  if (isa<linalg::YieldOp>(user)) {
    worklist.push_back(user->getParentOp()->getResult(use.getOperandNumber()));
    return true;
  }
  if (isa<arith::TruncFOp, kernel::RoundOp>(user))
    return rounds(user->getResult(0).getType());
  bool passes = isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp,
                    tensor::ConcatOp, tensor::ExtractSliceOp, tensor::CastOp,
                    tensor::ExtractOp, arith::SelectOp, arith::ExtFOp>(user) ||
                scalar::readingOf(user) != scalar::Reading::Jumps;
  if (!passes || user->getNumResults() != 1 ||
      !isa<FloatType>(getElementTypeOrSelf(user->getResult(0).getType())))
    return false;
  worklist.push_back(user->getResult(0));
  return true;
}

bool Ends::follow(Value value) {
  worklist.push_back(value);
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (seen.size() > maxValues)
      return false;
    if (next == roundedOperand) {
      if (!rounds(next.getType()))
        return false;
      continue;
    }
    for (OpOperand &use : next.getUses())
      if (!visit(use))
        return false;
  }
  return true;
}

void codegen::markAccuracy(kernel::FuncOp kernel, Value roundedOperand) {
  kernel.walk([&](Operation *op) {
    bool isFunction =
        isa<arith::DivFOp>(op) ||
        (op->getDialect() && isa<math::MathDialect>(op->getDialect()));
    if (!isFunction || op->getNumResults() != 1 ||
        !isa<FloatType>(op->getResult(0).getType()))
      return;
    Ends ends(roundedOperand);
    if (ends.follow(op->getResult(0)))
      op->setAttr(ends.onlyF16 ? feedsF16Name : feeds16Name,
                  UnitAttr::get(op->getContext()));
  });
}
