//===- LevelVerifier.cpp - Checks where a level ends ----------------------===//

#include "tripy/Pipelines/LevelVerifier.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

#include <mutex>

using namespace mlir;
using namespace tripy;

LogicalResult LevelVerifier::verify(Level reached) {
  StringRef level = levelName(reached);
  std::mutex mutex;
  std::optional<std::pair<Location, std::string>> first;
  {
    ScopedDiagnosticHandler handler(
        module.getContext(), [&](Diagnostic &diagnostic) {
          std::lock_guard lock(mutex);
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error && !first)
            first.emplace(diagnostic.getLocation(), diagnostic.str());
          return success();
        });
    if (succeeded(mlir::verify(module)) &&
        succeeded(before.verify(module, level, needsLocations))) {
      before = ProvenanceSnapshot(module);
      return success();
    }
  }
  return emitError(first ? first->first : module.getLoc(),
                   "internal error: the program is broken after the level '")
         << level << "': " << (first ? first->second : "it does not verify");
}
