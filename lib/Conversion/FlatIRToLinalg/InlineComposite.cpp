//===- InlineComposite.cpp - From composites to primitives ----------------===//

#include "tripy/Conversion/InlineComposite.h"

#include "tripy/Dialect/Tripy/Provenance.h"

using namespace mlir;
using namespace tripy;

static bool hasReason(Location loc) {
  auto fused = dyn_cast<FusedLoc>(loc);
  return fused && isa_and_nonnull<WhyAttr>(fused.getMetadata());
}

void tripy::inlineComposite(flatir::CompositeOp composite,
                            function_ref<void(Operation *)> moved) {
  Block &body = composite.getBody().front();
  for (auto [argument, input] :
       llvm::zip(body.getArguments(), composite.getInputs()))
    argument.replaceAllUsesWith(input);
  std::string reason = ("decompose '" + composite.getName() + "'").str();
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    op.moveBefore(composite);
    if (!hasReason(op.getLoc()))
      op.setLoc(inserted(op.getLoc(), {"decompose", reason}));
    moved(&op);
  }
  composite.replaceAllUsesWith(body.getTerminator()->getOperands());
  composite.erase();
}

void tripy::inlineComposites(
    Block &block, function_ref<void(Operation *, StringAttr)> moved) {
  // Composites still to be inlined, with the name of the outermost one.
  SmallVector<std::pair<flatir::CompositeOp, StringAttr>> worklist;
  for (auto composite : block.getOps<flatir::CompositeOp>())
    worklist.push_back({composite, composite.getNameAttr()});
  while (!worklist.empty()) {
    auto [composite, name] = worklist.pop_back_val();
    StringAttr outermost = name;
    inlineComposite(composite, [&](Operation *op) {
      if (auto nested = dyn_cast<flatir::CompositeOp>(op))
        worklist.push_back({nested, outermost});
      else
        moved(op, outermost);
    });
  }
}
