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

class ProvenanceVerifier : public PassInstrumentation {
public:
  explicit ProvenanceVerifier(std::atomic<bool> &broken) : broken(broken) {}

  void runBeforePass(Pass *pass, Operation *root) override {
    ProvenanceSnapshot snapshot(root);
    std::lock_guard lock(mutex);
    before.insert_or_assign({pass, root}, std::move(snapshot));
  }
  void runAfterPass(Pass *pass, Operation *root) override {
    if (failed(take(pass, root).verify(root, pass->getArgument())))
      broken = true;
  }
  void runAfterPassFailed(Pass *pass, Operation *root) override {
    take(pass, root);
  }

private:
  ProvenanceSnapshot take(Pass *pass, Operation *root) {
    std::lock_guard lock(mutex);
    auto it = before.find({pass, root});
    ProvenanceSnapshot snapshot = std::move(it->second);
    before.erase(it);
    return snapshot;
  }

  std::atomic<bool> &broken;
  /// Passes run on several functions at once.
  std::mutex mutex;
  DenseMap<std::pair<Pass *, Operation *>, ProvenanceSnapshot> before;
};

} // namespace

/// Whether an operation belongs to what the user wrote, or came from it.
static bool isOfProgram(Operation *op) {
  return isa_and_present<trace::TraceDialect, flatir::FlatIRDialect>(
      op->getDialect());
}

/// Whether the user may have written it: what is raised to flatir, too.
static bool mayBeWritten(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  return isOfProgram(op) || dialect == "linalg" || dialect == "tensor" ||
         dialect == "arith" || dialect == "math";
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

/// Constants are merged by folding, and upstream builds terminators of named
/// operations without location.
static bool needsLocation(Operation *op) {
  return !op->hasTrait<OpTrait::ConstantLike>() &&
         !op->hasTrait<OpTrait::IsTerminator>();
}

/// Takes note of a location. Returns whether it leads to a user's line.
bool ProvenanceSnapshot::add(Location location) {
  auto [entry, isNew] = locations.try_emplace(location, false);
  if (isNew) {
    users.insert_range(userLocations(location));
    entry->second = isKnownLocation(location);
  }
  return entry->second;
}

/// Whether a location leads to a user's line, of this moment or a later one.
bool ProvenanceSnapshot::isKnown(Location location) const {
  auto found = locations.find(location);
  return found == locations.end() ? isKnownLocation(location) : found->second;
}

ProvenanceSnapshot::ProvenanceSnapshot(Operation *root) {
  for (Operation *op = root; op; op = op->getParentOp())
    add(op->getLoc());
  root->walk([&](Operation *op) {
    bool isKnown = add(op->getLoc());
    complete &= isKnown || !needsLocation(op);
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        complete &= add(argument.getLoc());
    if (mayBeWritten(op) && !op->hasTrait<OpTrait::IsTerminator>() &&
        (!isOfProgram(op) || computes(op)) && !isInKernel(op))
      results[op->getLoc()] += std::max<int64_t>(op->getNumResults(), 1);
  });
}

/// Whether the rules are about this operation.
static bool isChecked(Operation *op) {
  return needsLocation(op) &&
         (isOfProgram(op) ||
          isa_and_present<kernel::KernelDialect>(op->getDialect()) ||
          isInKernel(op));
}

LogicalResult ProvenanceSnapshot::verify(Operation *root, StringRef step,
                                         bool needsLocations) const {
  DenseMap<Location, int64_t> own;
  WalkResult result = root->walk([&](Operation *op) {
    if (!isChecked(op) || (!needsLocations && !isKnown(op->getLoc())))
      return WalkResult::advance();
    return failed(checkLocation(op, step)) || failed(checkReason(op, own, step))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Whether a location is that of a call site, of a place and a caller that both
/// were there before: a call was inlined.
bool ProvenanceSnapshot::isInlined(Location user) const {
  auto call = dyn_cast<CallSiteLoc>(user);
  if (!call)
    return false;
  // Callers may be many, one called by the next.
  for (; call; call = dyn_cast<CallSiteLoc>(call.getCaller())) {
    Location callee = call.getCallee();
    auto name = dyn_cast<NameLoc>(callee);
    if (name && !users.contains(callee))
      callee = name.getChildLoc();
    if (!users.contains(callee))
      return false;
    if (users.contains(call.getCaller()))
      return true;
  }
  return false;
}

LogicalResult ProvenanceSnapshot::checkLocation(Operation *op,
                                                StringRef step) const {
  if (!isKnown(op->getLoc()))
    return op->emitError("every operation has the location of a user's line; "
                         "after '")
           << step << "' this one has none";
  if (!locations.contains(op->getLoc()))
    for (Location user : userLocations(op->getLoc()))
      if (!users.contains(user) && !isInlined(user))
        return op->emitError("a pass takes locations from the operations that "
                             "it replaces; '")
               << step << "' made up this one";
  return success();
}

LogicalResult ProvenanceSnapshot::checkReason(Operation *op,
                                              DenseMap<Location, int64_t> &own,
                                              StringRef step) const {
  if (!isa_and_present<flatir::FlatIRDialect>(op->getDialect()) ||
      !computes(op) || isInKernel(op))
    return success();
  Location location = op->getLoc();
  if (!whysOf(location).empty() || isInlined(location))
    return success();
  auto fused = dyn_cast<FusedLoc>(location);
  bool isNew = !locations.contains(location);
  if (isNew && !(fused && fused.getLocations().size() > 1))
    return op->emitError("an inserted operation says why; after '")
           << step << "' this one does not";
  if (isNew)
    return success();
  if (++own[location] > results.lookup(location))
    return op->emitError("an inserted operation says why; after '")
           << step
           << "' more operations than results carry the location of the "
              "user's operation without a reason, and this is one";
  return success();
}

void tripy::verifyProvenance(PassManager &pm, std::atomic<bool> &broken) {
  pm.addInstrumentation(std::make_unique<ProvenanceVerifier>(broken));
}
