//===- InlineCalls.cpp - Calls of functions become what they call ---------===//
//
// MLIR's inliner takes the call graph bottom-up and leaves recursion alone; it
// has no limits, and its locations do not say which function a line is in.
// Programs may be deep or wide, so there is no recursion here, and sizes are
// known before anything is copied.
//
//===----------------------------------------------------------------------===//

#include "tripy/Pipelines/InlineCalls.h"

#include "tripy/Base/CheckedMath.h"
#include "tripy/Dialect/Tripy/Provenance.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tripy;

/// Functions of a cycle that an error names.
static constexpr size_t maxNamedCalls = 8;

//===-- the call graph ----------------------------------------------------===//

namespace {

/// What is known about a function.
struct Callable {
  SmallVector<func::CallOp> calls;
  /// Operations once its calls are inlined; saturates.
  uint64_t operations = 0;
  enum { Unseen, OnPath, Done } state = Unseen;
};

class CallGraph {
public:
  explicit CallGraph(ModuleOp module) : symbols(module) {}

  /// Whether all that `root` calls can be inlined.
  LogicalResult check(func::FuncOp root);
  func::FuncOp calleeOf(func::CallOp call) const {
    return symbols.lookup<func::FuncOp>(call.getCallee());
  }

private:
  /// A function on the way from the root, and its next call to follow.
  struct Step {
    func::FuncOp function;
    size_t next = 0;
  };

  void enter(func::FuncOp function);
  LogicalResult follow(func::CallOp call);
  LogicalResult refuseRecursion(func::CallOp call, func::FuncOp callee);
  LogicalResult finish(func::FuncOp function);

  SymbolTable symbols;
  DenseMap<Operation *, Callable> callables;
  std::vector<Step> path;
};

} // namespace

void CallGraph::enter(func::FuncOp function) {
  Callable &callable = callables[function];
  callable.state = Callable::OnPath;
  function.getBody().walk([&](Operation *op) {
    ++callable.operations;
    if (auto call = dyn_cast<func::CallOp>(op))
      callable.calls.push_back(call);
  });
  path.push_back({function});
}

LogicalResult CallGraph::refuseRecursion(func::CallOp call,
                                         func::FuncOp callee) {
  auto first = llvm::find_if(
      path, [&](const Step &step) { return step.function == callee; });
  InFlightDiagnostic diag =
      call.emitError("a function must not call itself; '");
  diag << callee.getSymName() << "' calls ";
  size_t between = path.end() - first - 1;
  for (size_t i = 1; i <= std::min(between, maxNamedCalls); ++i)
    diag << "'" << first[i].function.getSymName() << "', which calls ";
  if (between > maxNamedCalls)
    diag << "others, one of which calls ";
  if (between == 0)
    return diag << "itself";
  return diag << "'" << callee.getSymName() << "'";
}

LogicalResult CallGraph::follow(func::CallOp call) {
  func::FuncOp callee = calleeOf(call);
  if (!callee || callee.isExternal())
    return call.emitError("a function that is called must be in the program; "
                          "found no body of '")
           << call.getCallee() << "'";
  if (!callee.getBody().hasOneBlock())
    return call.emitError("a function that is called must be straight-line "
                          "code; found several blocks in '")
           << call.getCallee() << "'";
  switch (callables[callee].state) {
  case Callable::Unseen:
    enter(callee);
    return success();
  case Callable::OnPath:
    return refuseRecursion(call, callee);
  case Callable::Done:
    return success();
  }
  llvm_unreachable("all states are above");
}

/// Adds up what the function becomes.
LogicalResult CallGraph::finish(func::FuncOp function) {
  Callable &callable = callables[function];
  for (func::CallOp call : callable.calls) {
    uint64_t more = callables[calleeOf(call)].operations;
    callable.operations =
        checkedAdd(callable.operations, more).value_or(UINT64_MAX);
    if (callable.operations > maxInlinedOperations)
      return call.emitError("a program must have at most ")
             << maxInlinedOperations
             << " operations once its calls are inlined; '"
             << function.getSymName() << "' alone would have more";
  }
  callable.state = Callable::Done;
  return success();
}

LogicalResult CallGraph::check(func::FuncOp root) {
  enter(root);
  while (!path.empty()) {
    Step &step = path.back();
    Callable &callable = callables[step.function];
    if (step.next < callable.calls.size()) {
      if (failed(follow(callable.calls[step.next++])))
        return failure();
      continue;
    }
    if (failed(finish(step.function)))
      return failure();
    path.pop_back();
  }
  return success();
}

//===-- inlining ----------------------------------------------------------===//

namespace {

class Inliner {
public:
  explicit Inliner(const CallGraph &graph) : graph(graph) {}
  void run(func::FuncOp root);

private:
  struct Pending {
    func::CallOp call;
    /// Calls around it.
    unsigned depth;
    /// The call that is the outermost one to leave out, when there are too
    /// many: locations of deeper ones go on from its location.
    Location anchor;
  };

  void inlineCall(const Pending &pending);
  Location calledFrom(Location callee, Location caller, StringAttr function);
  void relocate(Operation *op, StringAttr function, const Pending &pending);

  const CallGraph &graph;
  std::vector<Pending> calls;
};

} // namespace

/// The callee's place, called from the caller's. Reasons and unions stay
/// outside, where everybody looks for them.
Location Inliner::calledFrom(Location callee, Location caller,
                             StringAttr function) {
  if (auto fused = dyn_cast<FusedLoc>(callee)) {
    SmallVector<Location> parts;
    for (Location part : fused.getLocations())
      parts.push_back(calledFrom(part, caller, function));
    return FusedLoc::get(parts, fused.getMetadata(), callee.getContext());
  }
  if (!isa<CallSiteLoc>(callee))
    callee = NameLoc::get(function, callee);
  return CallSiteLoc::get(callee, caller);
}

void Inliner::relocate(Operation *op, StringAttr function,
                       const Pending &pending) {
  op->walk([&](Operation *inner) {
    bool isCall = isa<func::CallOp>(inner);
    Location caller = isCall && pending.depth >= maxCallDepth
                          ? pending.anchor
                          : func::CallOp(pending.call).getLoc();
    inner->setLoc(calledFrom(inner->getLoc(), caller, function));
    for (Region &region : inner->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setLoc(calledFrom(argument.getLoc(), caller, function));
  });
}

void Inliner::inlineCall(const Pending &pending) {
  func::CallOp call = pending.call;
  func::FuncOp callee = graph.calleeOf(call);
  auto function =
      StringAttr::get(call.getContext(), callee.getSymName() + "()");
  Block &body = callee.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), call.getOperands());
  OpBuilder b(call);
  for (Operation &op : body.without_terminator()) {
    Operation *made = b.clone(op, mapping);
    relocate(made, function, pending);
    made->walk([&](func::CallOp inner) {
      Location anchor =
          pending.depth + 1 == maxCallDepth ? inner.getLoc() : pending.anchor;
      calls.push_back({inner, pending.depth + 1, anchor});
    });
  }
  for (auto [result, value] :
       llvm::zip_equal(call.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  call.erase();
}

void Inliner::run(func::FuncOp root) {
  root.getBody().walk(
      [&](func::CallOp call) { calls.push_back({call, 0, call.getLoc()}); });
  while (!calls.empty()) {
    Pending pending = calls.back();
    calls.pop_back();
    inlineCall(pending);
  }
}

LogicalResult tripy::inlineCalls(func::FuncOp function) {
  if (function.isExternal())
    return success();
  CallGraph graph(function->getParentOfType<ModuleOp>());
  if (failed(graph.check(function)))
    return failure();
  Inliner(graph).run(function);
  return success();
}

//===-- the pass ----------------------------------------------------------===//

namespace {
class InlineCalls : public PassWrapper<InlineCalls, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(InlineCalls)

  StringRef getArgument() const override { return "tripy-inline-calls"; }
  StringRef getDescription() const override {
    return "Puts the bodies of functions in the place of calls";
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::StringSet<> called;
    module.walk([&](func::CallOp call) { called.insert(call.getCallee()); });
    if (called.empty())
      return;
    auto isPart = [&](func::FuncOp function) {
      return function.isPrivate() && called.contains(function.getSymName());
    };
    for (auto function : module.getOps<func::FuncOp>())
      if (!isPart(function) && failed(inlineCalls(function)))
        return signalPassFailure();
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (isPart(function))
        function.erase();
  }
};
} // namespace

std::unique_ptr<Pass> tripy::createInlineCallsPass() {
  return std::make_unique<InlineCalls>();
}

void tripy::registerInlineCallsPass() { PassRegistration<InlineCalls>(); }
