//===- VerifyProvenance.cpp - Operations say why they exist ---------------===//

#include "tripy/Dialect/Tripy/Provenance.h"

#include "tripy/Dialect/FlatIR/FlatIR.h"
#include "tripy/Dialect/Kernel/Kernel.h"
#include "tripy/Dialect/Trace/Trace.h"
#include "tripy/Pipelines/Provenance.h"

#include "mlir/Pass/PassInstrumentation.h"

#include <mutex>

using namespace mlir;
using namespace tripy;

namespace {

/// What is known about a program before a pass.
struct Snapshot {
  /// All locations, and what no lowering made of them.
  DenseSet<Location> locations, userLocations;
  /// How many results operations of each location have.
  DenseMap<Location, int64_t> results;
};

class ProvenanceVerifier : public PassInstrumentation {
public:
  explicit ProvenanceVerifier(std::atomic<bool> &broken) : broken(broken) {}

  void runBeforePass(Pass *pass, Operation *root) override;
  void runAfterPass(Pass *pass, Operation *root) override;
  void runAfterPassFailed(Pass *pass, Operation *root) override {
    take(pass, root);
  }

private:
  Snapshot take(Pass *pass, Operation *root) {
    std::lock_guard lock(mutex);
    auto it = before.find({pass, root});
    Snapshot snapshot = std::move(it->second);
    before.erase(it);
    return snapshot;
  }
  LogicalResult checkOp(Operation *op, const Snapshot &snapshot,
                        DenseMap<Location, int64_t> &own, Pass *pass);
  LogicalResult checkReason(Operation *op, const Snapshot &snapshot,
                            DenseMap<Location, int64_t> &own, Pass *pass);

  std::atomic<bool> &broken;
  /// Passes run on several functions at once.
  std::mutex mutex;
  DenseMap<std::pair<Pass *, Operation *>, Snapshot> before;
};

} // namespace

/// Whether an operation belongs to what the user wrote, or came from it.
static bool isOfProgram(Operation *op) {
  return isa_and_present<trace::TraceDialect, flatir::FlatIRDialect>(
      op->getDialect());
}

static bool isInKernel(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp())
    if (isa<kernel::DispatchOp, kernel::FuncOp>(parent))
      return true;
  return false;
}

/// Whether an operation stands for a user's: a terminator stands for none.
static bool computes(Operation *op) {
  return isOfProgram(op) && !op->hasTrait<OpTrait::IsTerminator>() &&
         !op->hasTrait<OpTrait::ConstantLike>();
}

void ProvenanceVerifier::runBeforePass(Pass *pass, Operation *root) {
  Snapshot snapshot;
  auto add = [&](Location location) {
    if (snapshot.locations.insert(location).second)
      snapshot.userLocations.insert_range(userLocations(location));
  };
  for (Operation *op = root; op; op = op->getParentOp())
    add(op->getLoc());
  root->walk([&](Operation *op) {
    add(op->getLoc());
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        add(argument.getLoc());
    if (computes(op) && !isInKernel(op))
      snapshot.results[op->getLoc()] +=
          std::max<int64_t>(op->getNumResults(), 1);
  });
  std::lock_guard lock(mutex);
  before[{pass, root}] = std::move(snapshot);
}

void ProvenanceVerifier::runAfterPass(Pass *pass, Operation *root) {
  Snapshot snapshot = take(pass, root);
  DenseMap<Location, int64_t> own;
  WalkResult result = root->walk([&](Operation *op) {
    return failed(checkOp(op, snapshot, own, pass)) ? WalkResult::interrupt()
                                                    : WalkResult::advance();
  });
  if (result.wasInterrupted())
    broken = true;
}

LogicalResult ProvenanceVerifier::checkOp(Operation *op,
                                          const Snapshot &snapshot,
                                          DenseMap<Location, int64_t> &own,
                                          Pass *pass) {
  bool checked = isOfProgram(op) ||
                 isa_and_present<kernel::KernelDialect>(op->getDialect()) ||
                 isInKernel(op);
  // Upstream builds terminators of named operations without location.
  if (!checked || op->hasTrait<OpTrait::ConstantLike>() ||
      op->hasTrait<OpTrait::IsTerminator>())
    return success();
  if (!isKnownLocation(op->getLoc()))
    return op->emitError("every operation has the location of a user's line; "
                         "after '")
           << pass->getArgument() << "' this one has none";
  if (!snapshot.locations.contains(op->getLoc()))
    for (Location user : userLocations(op->getLoc()))
      if (!snapshot.userLocations.contains(user))
        return op->emitError("a pass takes locations from the operations that "
                             "it replaces; '")
               << pass->getArgument() << "' made up this one";
  return checkReason(op, snapshot, own, pass);
}

LogicalResult ProvenanceVerifier::checkReason(Operation *op,
                                              const Snapshot &snapshot,
                                              DenseMap<Location, int64_t> &own,
                                              Pass *pass) {
  if (!isa_and_present<flatir::FlatIRDialect>(op->getDialect()) ||
      !computes(op) || isInKernel(op))
    return success();
  Location location = op->getLoc();
  if (!whysOf(location).empty())
    return success();
  auto fused = dyn_cast<FusedLoc>(location);
  bool isNew = !snapshot.locations.contains(location);
  if (isNew && !(fused && fused.getLocations().size() > 1))
    return op->emitError("an inserted operation says why; after '")
           << pass->getArgument() << "' this one does not";
  if (isNew)
    return success();
  if (++own[location] > snapshot.results.lookup(location))
    return op->emitError("an inserted operation says why; after '")
           << pass->getArgument()
           << "' more operations than results carry the location of the "
              "user's operation without a reason, and this is one";
  return success();
}

void tripy::verifyProvenance(PassManager &pm, std::atomic<bool> &broken) {
  pm.addInstrumentation(std::make_unique<ProvenanceVerifier>(broken));
}
