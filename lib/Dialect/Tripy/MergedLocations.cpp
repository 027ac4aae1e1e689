//===- MergedLocations.cpp - Lines of operations that became one ----------===//

#include "tripy/Dialect/Tripy/MergedLocations.h"

#include "tripy/Dialect/Tripy/Provenance.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tripy;

void MergedLocations::notifyOperationReplaced(Operation *op, Operation *kept) {
  if (isKnownLocation(op->getLoc()))
    merged[kept].push_back(op->getLoc());
}

void MergedLocations::notifyOperationErased(Operation *op) { merged.erase(op); }

void MergedLocations::apply() {
  for (auto &[kept, locations] : merged) {
    // Its own line comes first: where one is shown, it is this.
    if (isKnownLocation(kept->getLoc()))
      locations.insert(locations.begin(), kept->getLoc());
    kept->setLoc(fuseLocations(locations));
  }
  merged.clear();
}

/// The value of a constant; null for other operations.
static Attribute constantValue(Operation *op) {
  Attribute value;
  bool isConstant = op->hasTrait<OpTrait::ConstantLike>() &&
                    op->getNumResults() == 1 &&
                    matchPattern(op, m_Constant(&value));
  return isConstant ? value : Attribute();
}

ConstantLocations::ConstantLocations(Operation *function) {
  function->walk([&](Operation *op) {
    if (Attribute value = constantValue(op);
        value && isKnownLocation(op->getLoc()))
      lines[{value, op->getResult(0).getType()}].push_back(op->getLoc());
  });
}

void ConstantLocations::restore(Operation *function) const {
  function->walk([&](Operation *op) {
    Attribute value = constantValue(op);
    if (!value || isKnownLocation(op->getLoc()))
      return;
    auto known = lines.find({value, op->getResult(0).getType()});
    if (known != lines.end())
      op->setLoc(fuseLocations(known->second));
  });
}
