//===- BuildDispatches.cpp - From fused kernels to kernel.dispatch --------===//

#include "FusionGraph.h"

#include "tripy/Dialect/Tripy/Provenance.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

namespace {
/// Makes the dispatch of one kernel.
class DispatchBuilder {
public:
  DispatchBuilder(FusionGraph &graph, Node *node, OpBuilder &builder)
      : graph(graph), node(node), b(builder) {}

  /// `host` maps tensors of the function to results of dispatches, and gets
  /// this one's.
  LogicalResult build(DenseMap<Value, Value> &host);

private:
  void orderOps();
  void collectInputs();
  void addSize(Value size);
  SmallVector<int64_t> sizeArgs();
  void fillBody(kernel::DispatchOp dispatch);
  Location location();

  FusionGraph &graph;
  Node *node;
  OpBuilder &b;
  llvm::SetVector<Value> outputs;
  /// Operations in an order that depends on the results only, so that equal
  /// kernels become equal text.
  SmallVector<Operation *> ops;
  llvm::SetVector<Value> tensors, sizes;
};
} // namespace

/// Post-order from the results, without recursion.
void DispatchBuilder::orderOps() {
  llvm::DenseSet<Operation *> done;
  SmallVector<std::pair<Operation *, unsigned>> stack;
  for (Value output : outputs) {
    stack.push_back({output.getDefiningOp(), 0});
    while (!stack.empty()) {
      auto &[op, next] = stack.back();
      if (done.contains(op)) {
        stack.pop_back();
        continue;
      }
      if (next == op->getNumOperands()) {
        done.insert(op);
        ops.push_back(op);
        stack.pop_back();
        continue;
      }
      Value operand = op->getOperand(next++);
      if (graph.nodeOf(operand) == node)
        stack.push_back({operand.getDefiningOp(), 0});
    }
  }
}

void DispatchBuilder::addSize(Value size) { sizes.insert(size); }

void DispatchBuilder::collectInputs() {
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()) &&
          graph.nodeOf(operand) != node)
        tensors.insert(operand);
  for (Value tensor : tensors)
    for (Value size : graph.sizes.dynamic(tensor))
      addSize(size);
  for (Value output : outputs)
    for (Value size : graph.sizes.dynamic(output))
      addSize(size);
  // Constants are made inside.
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (operand.getType().isIndex() && !getConstantIntValue(operand))
        addSize(operand);
}

SmallVector<int64_t> DispatchBuilder::sizeArgs() {
  SmallVector<int64_t> numbers;
  auto append = [&](Value tensor) {
    for (Value size : graph.sizes.dynamic(tensor))
      numbers.push_back(tensors.size() +
                        (llvm::find(sizes, size) - sizes.begin()));
  };
  llvm::for_each(tensors, append);
  llvm::for_each(outputs, append);
  return numbers;
}

/// All lines and reasons of the operations inside. A constant may be that of
/// many kernels and name the lines of all: it counts where there is nothing
/// else. Those that folding made have none: a kernel of such constants alone is
/// there for those who read it.
Location DispatchBuilder::location() {
  SmallVector<Location> locations, constants;
  for (Operation *op : ops)
    (op->hasTrait<OpTrait::ConstantLike>() ? constants : locations)
        .push_back(op->getLoc());
  if (locations.empty())
    locations = std::move(constants);
  if (llvm::none_of(locations, isKnownLocation))
    for (Value output : outputs)
      for (Operation *user : output.getUsers())
        locations.push_back(user->getLoc());
  return fuseLocations(locations);
}

void DispatchBuilder::fillBody(kernel::DispatchOp dispatch) {
  SmallVector<Type> types(dispatch.getInputs().getTypes());
  SmallVector<Location> locations;
  for (Value input : dispatch.getInputs())
    locations.push_back(input.getLoc());
  OpBuilder::InsertionGuard guard(b);
  Region &body = dispatch.getBody();
  Block *block = b.createBlock(&body, body.end(), types, locations);
  IRMapping mapping;
  for (auto [i, tensor] : llvm::enumerate(tensors))
    mapping.map(tensor, block->getArgument(i));
  for (auto [i, size] : llvm::enumerate(sizes))
    mapping.map(size, block->getArgument(tensors.size() + i));
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (!mapping.contains(operand)) {
        int64_t value = *getConstantIntValue(operand);
        mapping.map(operand,
                    arith::ConstantIndexOp::create(b, operand.getLoc(), value));
      }
    b.clone(*op, mapping);
  }
  SmallVector<Value> yielded;
  for (Value output : outputs)
    yielded.push_back(mapping.lookup(output));
  kernel::YieldOp::create(b, dispatch.getLoc(), yielded);
}

LogicalResult DispatchBuilder::build(DenseMap<Value, Value> &host) {
  outputs = graph.outputs(node);
  orderOps();
  collectInputs();
  Location loc = location();
  if (tensors.size() + outputs.size() > maxBuffers)
    return emitError(loc) << "a kernel must have at most " << maxBuffers
                          << " inputs and results; found "
                          << tensors.size() + outputs.size();
  SmallVector<Value> inputs, resultSizes;
  for (Value tensor : tensors)
    inputs.push_back(host.contains(tensor) ? host.lookup(tensor) : tensor);
  llvm::append_range(inputs, sizes);
  SmallVector<Type> types;
  for (Value output : outputs) {
    types.push_back(output.getType());
    llvm::append_range(resultSizes, graph.sizes.dynamic(output));
  }
  auto dispatch = kernel::DispatchOp::create(
      b, loc, types, *node->root, inputs, resultSizes, sizeArgs(),
      graph.options.ranges->of(sizes.getArrayRef()));
  dispatch->setAttr("name", b.getStringAttr(graph.describe(node)));
  fillBody(dispatch);
  for (auto [output, result] : llvm::zip(outputs, dispatch.getResults()))
    host[output] = result;
  return success();
}

LogicalResult fusion::buildDispatches(FusionGraph &graph,
                                      func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  OpBuilder b(terminator);
  DenseMap<Value, Value> host;
  SmallVector<Operation *> replaced;
  for (Node *node : graph.nodes()) {
    if (failed(DispatchBuilder(graph, node, b).build(host)))
      return failure();
    llvm::append_range(replaced, node->ops);
  }
  auto readHost = [&](Operation *reader) {
    for (OpOperand &operand : reader->getOpOperands())
      if (Value result = host.lookup(operand.get()))
        operand.set(result);
  };
  readHost(terminator);
  auto names =
      llvm::to_vector(function.getBody().front().getOps<kernel::PackedOp>());
  for (kernel::PackedOp packed : names) {
    readHost(packed);
    packed->moveBefore(terminator);
  }
  for (Operation *op : replaced)
    op->dropAllReferences();
  for (Operation *op : replaced)
    op->erase();
  return success();
}
