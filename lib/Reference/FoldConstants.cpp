//===- FoldConstants.cpp - --flatir-fold-constants ------------------------===//

#include "tripy/Reference/Passes.h"

#include "tripy/Dialect/FlatIR/Quantized.h"
#include "tripy/Reference/Evaluator.h"

#include "llvm/ADT/SetVector.h"

namespace tripy {
#define GEN_PASS_DEF_FOLDCONSTANTSPASS
#include "tripy/Reference/Passes.h.inc"
} // namespace tripy

using namespace mlir;
using namespace tripy;
using namespace tripy::reference;

/// An iota that needs no size: as good as a constant, and smaller.
static bool isStaticIota(Operation *op) {
  auto iota = dyn_cast<flatir::IotaOp>(op);
  return iota && iota.getType().hasStaticShape();
}

/// Whether a tensor is nothing but scales of dequantized tensors.
static bool isScale(Value value) {
  return !value.use_empty() &&
         llvm::all_of(value.getUses(), [](OpOperand &use) {
           Operation *user = use.getOwner();
           if (isa<flatir::ReshapeOp>(user))
             return isScale(user->getResult(0));
           return use.getOperandNumber() == 1 && user->getNumResults() == 1 &&
                  flatir::matchDequantize(user->getResult(0)).has_value();
         });
}

/// Quantized constants stay what they are, a number for each scale and 8 bits
/// for each element: that is why they were quantized.
static bool keepsQuantized(Operation *op) {
  if (isa<flatir::BroadcastOp, flatir::ReshapeOp>(op))
    return isScale(op->getResult(0));
  return op->getNumResults() == 1 &&
         flatir::matchDequantize(op->getResult(0)).has_value();
}

static bool isFoldable(Operation *op) {
  if (!isa_and_nonnull<flatir::FlatIRDialect>(op->getDialect()) ||
      isa<flatir::ConstantOp, flatir::IotaOp, flatir::YieldOp>(op) ||
      op->getNumResults() == 0 || op->getNumOperands() == 0 ||
      keepsQuantized(op))
    return false;
  auto isStaticTensor = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  return llvm::all_of(op->getResultTypes(), isStaticTensor) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           Operation *def = operand.getDefiningOp();
           return def && isStaticTensor(operand.getType()) &&
                  (isa<flatir::ConstantOp>(def) || isStaticIota(def));
         });
}

/// Locations beyond this many say nothing more about a constant.
static constexpr size_t maxFusedLocations = 16;

static Location fuseLocations(Operation *op) {
  llvm::SmallSetVector<Location, 4> locations;
  locations.insert(op->getLoc());
  for (Value operand : op->getOperands()) {
    Location loc = operand.getLoc();
    auto fused = dyn_cast<FusedLoc>(loc);
    // Those without a reason of their own are the work of earlier folds.
    if (fused && !fused.getMetadata())
      locations.insert_range(fused.getLocations());
    else
      locations.insert(loc);
  }
  ArrayRef<Location> kept = locations.getArrayRef();
  return FusedLoc::get(op->getContext(), kept.take_front(maxFusedLocations));
}

namespace {
class FoldConstants : public tripy::impl::FoldConstantsPassBase<FoldConstants> {
public:
  using FoldConstantsPassBase::FoldConstantsPassBase;

  void runOnOperation() override {
    // Operations in order, so that one pass folds whole chains; the outer
    // operation first, so that a composite folds as one.
    SmallVector<Operation *> dead;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isFoldable(op) || !fold(op))
        return WalkResult::advance();
      dead.push_back(op);
      return WalkResult::skip();
    });
    for (Operation *op : llvm::reverse(dead))
      erase(op);
  }

private:
  bool fold(Operation *op);
  bool foldBySplats(Operation *op);
  bool computeResults(Operation *op);
  void replace(Value result, ElementsAttr value, Location loc);
  std::optional<Tensor> operandValue(Operation *def);
  void erase(Operation *op);
  EvaluateOptions limits() const { return {64 * maxBytes, maxSteps}; }
};
} // namespace

/// The tensor that a constant or an iota stands for.
std::optional<Tensor> FoldConstants::operandValue(Operation *def) {
  if (auto constant = dyn_cast<flatir::ConstantOp>(def)) {
    // A large splat would have to be written out.
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (dense && dense.isSplat() &&
        dense.getNumElements() > static_cast<int64_t>(maxSteps))
      return std::nullopt;
    return readConstant(constant.getValue());
  }
  FailureOr<SmallVector<Tensor>> value = evaluateQuietly(def, {}, limits());
  if (failed(value))
    return std::nullopt;
  return value->front();
}

bool FoldConstants::fold(Operation *op) {
  return foldBySplats(op) || computeResults(op);
}

/// The operation's own folder keeps splats, of any size.
bool FoldConstants::foldBySplats(Operation *op) {
  SmallVector<Attribute> constants(op->getNumOperands());
  for (auto [constant, operand] : llvm::zip(constants, op->getOperands()))
    if (auto def = operand.getDefiningOp<flatir::ConstantOp>())
      constant = def.getValue();
  SmallVector<OpFoldResult> folded;
  if (failed(op->fold(constants, folded)) || folded.size() != 1)
    return false;
  auto splat =
      dyn_cast_or_null<SplatElementsAttr>(dyn_cast<Attribute>(folded[0]));
  if (!splat)
    return false;
  replace(op->getResult(0), splat, fuseLocations(op));
  return true;
}

void FoldConstants::replace(Value result, ElementsAttr value, Location loc) {
  OpBuilder builder(result.getDefiningOp());
  result.replaceAllUsesWith(
      flatir::ConstantOp::create(builder, loc, result.getType(), value));
}

bool FoldConstants::computeResults(Operation *op) {
  for (Type type : op->getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    std::optional<int64_t> elements = volumeOf(tensor.getShape());
    // A smaller bound than maxBytes for i1, which takes a byte while computed.
    if (!elements ||
        uint64_t(*elements) >
            maxBytes / dtypeSize(*dtypeOf(tensor.getElementType())))
      return false;
  }
  SmallVector<Tensor> operands;
  for (Value operand : op->getOperands()) {
    std::optional<Tensor> value = operandValue(operand.getDefiningOp());
    if (!value)
      return false;
    operands.push_back(std::move(*value));
  }
  FailureOr<SmallVector<Tensor>> results =
      evaluateQuietly(op, operands, limits());
  if (failed(results))
    return false;
  Location loc = fuseLocations(op);
  for (auto [result, tensor] : llvm::zip(op->getResults(), *results))
    replace(result,
            toAttribute(tensor, cast<RankedTensorType>(result.getType())), loc);
  return true;
}

/// Drops a folded operation, and constants that only it used.
void FoldConstants::erase(Operation *op) {
  llvm::SmallSetVector<Operation *, 4> sources;
  for (Value operand : op->getOperands())
    sources.insert(operand.getDefiningOp());
  op->erase();
  for (Operation *source : sources)
    if (source->use_empty())
      source->erase();
}
