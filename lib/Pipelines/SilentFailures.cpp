//===- SilentFailures.cpp - No failure without a message ------------------===//

#include "tripy/Pipelines/SilentFailures.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"

#include <map>
#include <mutex>

using namespace mlir;
using namespace tripy;

ErrorWatch::ErrorWatch(MLIRContext *context)
    : ScopedDiagnosticHandler(context) {
  setHandler([this](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      seen = true;
    return failure(); // Others print it.
  });
}

LogicalResult ErrorWatch::explain(LogicalResult result, Location loc,
                                  const Twine &step, const Twine &what) const {
  if (failed(result) && !seen)
    emitError(loc, "what fails must say why; ")
        << step << " failed on " << what << " without a message";
  return result;
}

/// "'func.func' @main".
static std::string describe(Operation *op) {
  std::string text = "'" + op->getName().getStringRef().str() + "'";
  if (auto name =
          op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
    text += " @" + name.getValue().str();
  return text;
}

namespace {

/// Each run of a pass has a watch of its own: the newest handler is the first
/// to see an error, also one that waits for other threads to be printed.
class SilentFailures : public PassInstrumentation {
public:
  void runBeforePass(Pass *pass, Operation *op) override {
    auto watch = std::make_unique<ErrorWatch>(op->getContext());
    std::lock_guard<std::mutex> lock(mutex);
    watches[{pass, op}] = std::move(watch);
  }
  void runAfterPass(Pass *pass, Operation *op) override { take(pass, op); }
  void runAfterPassFailed(Pass *pass, Operation *op) override {
    if (std::unique_ptr<ErrorWatch> watch = take(pass, op))
      (void)watch->explain(failure(), op->getLoc(),
                           "the pass '" + pass->getName() + "'", describe(op));
  }

private:
  std::unique_ptr<ErrorWatch> take(Pass *pass, Operation *op) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = watches.find({pass, op});
    if (found == watches.end())
      return nullptr;
    std::unique_ptr<ErrorWatch> watch = std::move(found->second);
    watches.erase(found);
    return watch;
  }

  std::mutex mutex;
  std::map<std::pair<Pass *, Operation *>, std::unique_ptr<ErrorWatch>> watches;
};

} // namespace

void tripy::reportSilentFailures(PassManager &pm) {
  pm.addInstrumentation(std::make_unique<SilentFailures>());
}
