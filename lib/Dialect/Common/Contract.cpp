//===- Contract.cpp - The trait of operations with numbered rules ---------===//

#include "tripy/Dialect/Common/Contract.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

InFlightDiagnostic tripy::inferenceError(MLIRContext *context,
                                         std::optional<Location> loc,
                                         StringRef name) {
  if (loc)
    return emitError(*loc) << "'" << name << "' op ";
  // Rules stream into what they get, which a default-constructed diagnostic
  // does not allow: give them one that is never reported.
  InFlightDiagnostic diagnostic = emitError(UnknownLoc::get(context));
  diagnostic.abandon();
  return diagnostic;
}

LogicalResult tripy::detail::verifyResultTypes(Operation *op,
                                               TypeRange inferred) {
  if (op->getNumResults() != inferred.size())
    return op->emitOpError("has ") << op->getNumResults() << " results, "
                                   << inferred.size() << " are inferred";
  for (auto [declared, type] : llvm::zip(op->getResultTypes(), inferred))
    if (declared != type)
      return op->emitOpError("result type ")
             << declared << " differs from the inferred type " << type;
  return success();
}
