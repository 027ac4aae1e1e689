//===- FusionGraph.cpp - Kernels being formed -----------------------------===//

#include "FusionGraph.h"

#include "Remarks.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

/// Nodes between two that may be looked at to contract them: bounds the time
/// that a hostile program can take.
static constexpr size_t maxDistance = 20000;

static bool isNode(Operation *op) {
  if (isa<flatir::PluginOp>(op))
    return true;
  return isProgramOp(op) && op->getNumResults() == 1 &&
         isa<RankedTensorType>(op->getResult(0).getType()) &&
         classOf(op) != OpClass::Data;
}

FusionGraph::FusionGraph(Program &program)
    : sizes(program.sizes), options(program.options),
      functionName(program.function.getName()),
      context(program.function.getContext()), composites(program.composites),
      estimates(program.estimates) {
  for (Operation &op : program.function.getBody().front())
    if (isNode(&op))
      addNode(&op, order.size());
}

Node *FusionGraph::addNode(Operation *op, size_t position) {
  storage.push_back(std::make_unique<Node>());
  Node *node = storage.back().get();
  node->ops.push_back(op);
  order.insert(order.begin() + position, node);
  byOp[op] = node;
  renumber(position, order.size());
  return node;
}

void FusionGraph::renumber(size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i)
    if (order[i])
      order[i]->position = i;
}

std::vector<Node *> FusionGraph::nodes() const {
  std::vector<Node *> present;
  llvm::copy_if(order, std::back_inserter(present),
                [](Node *node) { return node; });
  return present;
}

bool FusionGraph::readsAny(Node *node,
                           const llvm::DenseSet<Node *> &others) const {
  return llvm::any_of(node->ops, [&](Operation *op) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      Node *from = nodeOf(operand);
      return from && from != node && others.contains(from);
    });
  });
}

bool FusionGraph::contract(Node *from, Node *into) {
  auto [first, second] = from->position < into->position
                             ? std::pair(from, into)
                             : std::pair(into, from);
  size_t begin = first->position, end = second->position;
  if (end - begin > maxDistance)
    return false;
  // What follows from `first` goes behind the contracted node, the rest before.
  llvm::DenseSet<Node *> following = {first};
  std::vector<Node *> before, after;
  for (size_t i = begin + 1; i < end; ++i) {
    Node *node = order[i];
    if (!node)
      continue;
    bool follows = readsAny(node, following);
    (follows ? after : before).push_back(node);
    if (follows)
      following.insert(node);
  }
  following.erase(first);
  if (readsAny(second, following))
    return false;
  for (Operation *op : from->ops)
    byOp[op] = into;
  llvm::append_range(into->ops, from->ops);
  from->ops.clear();
  std::fill(order.begin() + begin, order.begin() + end + 1, nullptr);
  // Free places come first, so that a walk towards the front goes on unharmed.
  size_t at = end + 1 - (before.size() + after.size() + 1);
  for (Node *node : before)
    order[at++] = node;
  order[at++] = into;
  for (Node *node : after)
    order[at++] = node;
  renumber(begin, end + 1);
  return true;
}

void FusionGraph::release(Operation *op, Node *node) {
  llvm::erase(node->ops, op);
  node->operandSide.erase(op);
  addNode(op, node->position + 1);
}

/// Says that several kernels compute the result of `op`: floats that are
/// computed in f32 must be rounded in all of them (kernel-round-values).
static void markRepeated(Operation *op) {
  auto element = dyn_cast<FloatType>(elementTypeOf(op->getResult(0)));
  if (element && element.getWidth() < 32 && classOf(op) == OpClass::Elementwise)
    op->setAttr(kernel::repeatedAttrName, UnitAttr::get(op->getContext()));
}

Operation *FusionGraph::duplicate(Operation *op) {
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  markRepeated(op);
  Operation *copy = b.clone(*op);
  if (sizes.contains(op->getResult(0)))
    sizes.set(copy->getResult(0), sizes.get(op->getResult(0)));
  if (StringAttr composite = composites.lookup(op))
    composites[copy] = composite;
  return copy;
}

Operation *FusionGraph::copyInto(Operation *op, Node *reader) {
  Operation *copy = duplicate(op);
  op->getResult(0).replaceUsesWithIf(copy->getResult(0), [&](OpOperand &use) {
    return nodeOf(use.getOwner()) == reader;
  });
  reader->ops.push_back(copy);
  byOp[copy] = reader;
  return copy;
}

void FusionGraph::copyForOthers(Operation *op, Node *node) {
  Operation *copy = duplicate(op);
  op->getResult(0).replaceUsesWithIf(copy->getResult(0), [&](OpOperand &use) {
    return nodeOf(use.getOwner()) != node;
  });
  addNode(copy, node->position + 1);
}

void FusionGraph::erase(Operation *op) {
  Node *node = nodeOf(op);
  assert(op->use_empty() && node->ops.size() == 1);
  order[node->position] = nullptr;
  byOp.erase(op);
  places.erase(op);
  composites.erase(op);
  llvm::erase_if(declined, [&](const Declined &step) { return step.op == op; });
  sizes.forget(op->getResult(0));
  op->erase();
}

SmallVector<Node *> FusionGraph::readers(Operation *op) const {
  SmallVector<Node *> found;
  for (Operation *user : op->getUsers())
    if (Node *node = nodeOf(user); node && !llvm::is_contained(found, node))
      found.push_back(node);
  llvm::sort(found, [](Node *a, Node *b) { return a->position < b->position; });
  return found;
}

bool FusionGraph::isReturned(Operation *op) const {
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>() ||
           isa<kernel::PackedOp>(user);
  });
}

llvm::SetVector<Value> FusionGraph::inputs(const Node *node) const {
  llvm::SetVector<Value> found;
  for (Operation *op : node->ops)
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()) && nodeOf(operand) != node)
        found.insert(operand);
  return found;
}

llvm::SetVector<Value> FusionGraph::outputs(const Node *node) const {
  SmallVector<Operation *> ops(node->ops);
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  llvm::SetVector<Value> found;
  for (Operation *op : ops)
    if (isa<flatir::PluginOp>(op)) // It writes what nobody reads, too.
      found.insert_range(op->getResults());
    else if (llvm::any_of(op->getUsers(), [&](Operation *user) {
               return nodeOf(user) != node;
             }))
      found.insert(op->getResult(0));
  return found;
}

bool Demand::fits() const {
  return ops <= maxOps && scalars <= maxScalarOps &&
         buffers <= softMaxBuffers && reductions <= maxReductions;
}

std::string Demand::describe() const {
  auto text = [](StringRef what, size_t found, size_t maximum) {
    return ("the kernel would have " + Twine(found) + " " + what +
            ", at most " + Twine(maximum) + " are allowed")
        .str();
  };
  if (buffers > softMaxBuffers)
    return text("buffers", buffers, softMaxBuffers);
  if (scalars > maxScalarOps)
    return text("scalar operations", scalars, maxScalarOps);
  if (reductions > maxReductions)
    return text("reductions", reductions, maxReductions);
  return text("operations", ops, maxOps);
}

/// What a kernel makes by itself: an operation that is to join it.
static bool isCreated(Value value) {
  Operation *made = value.getDefiningOp();
  return made && classOf(made) == OpClass::Creation;
}

Demand FusionGraph::demand(const Node *node, Operation *op) const {
  Demand total;
  total.ops = node->ops.size() + 1;
  total.scalars = scalarCost(op) > 0;
  total.reductions = classOf(op) == OpClass::Reduce;
  for (Operation *inside : node->ops) {
    total.scalars += scalarCost(inside) > 0;
    total.reductions += classOf(inside) == OpClass::Reduce;
    Value result = inside->getResult(0);
    total.buffers += llvm::any_of(result.getUsers(), [&](Operation *user) {
      return nodeOf(user) != node && user != op;
    });
  }
  llvm::SetVector<Value> read = inputs(node);
  read.remove(op->getResult(0));
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()) && nodeOf(operand) != node)
      read.insert(operand);
  for (Value value : read)
    ++(isCreated(value) ? total.ops : total.buffers);
  // What a kernel makes by itself, its other readers make, too: it is no
  // result. It was counted among the operations when the first one that reads
  // it joined.
  if (!isCreated(op->getResult(0)))
    total.buffers += llvm::any_of(
        op->getUsers(), [&](Operation *user) { return nodeOf(user) != node; });
  return total;
}

/// Whether `user` reads its operand at an index of its own.
static bool movesIndex(Operation *user) {
  OpClass c = classOf(user);
  return c == OpClass::Layout || c == OpClass::Join;
}

int64_t FusionGraph::placesIn(const Node *node, Operation *op) const {
  int64_t shared = 1, moved = 0;
  for (OpOperand &use : op->getUses()) {
    Operation *user = use.getOwner();
    if (nodeOf(user) != node)
      continue;
    auto found = places.find(user);
    int64_t count = found == places.end() ? 1 : found->second;
    if (movesIndex(user))
      moved += count;
    else
      shared = std::max(shared, count);
    if (moved > maxPlaces)
      break;
  }
  bool isMoved = moved > 0 && llvm::all_of(op->getUsers(), movesIndex);
  return std::min((isMoved ? 0 : shared) + moved, maxPlaces + 1);
}

Demand FusionGraph::demandTogether(const Node *a, const Node *b) const {
  llvm::SetVector<Value> read = inputs(a);
  for (Value value : inputs(b))
    read.insert(value);
  Demand total;
  for (Operation *op : llvm::concat<Operation *const>(a->ops, b->ops)) {
    total.scalars += scalarCost(op) > 0;
    total.reductions += classOf(op) == OpClass::Reduce;
  }
  total.ops = a->ops.size() + b->ops.size() + llvm::count_if(read, isCreated);
  total.buffers = read.size() + outputs(a).size() + outputs(b).size();
  return total;
}

//===----------------------------------------------------------------------===//
// Names and remarks
//===----------------------------------------------------------------------===//

StringRef FusionGraph::nameOf(Operation *op) const {
  StringAttr composite = composites.lookup(op);
  return composite ? composite.getValue() : shortName(op);
}

std::string FusionGraph::describe(const Node *node) const {
  SmallVector<Operation *> ops(node->ops);
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  SmallVector<StringRef> names;
  auto collect = [&](bool main) {
    for (Operation *op : ops)
      if (classOf(op) != OpClass::Creation &&
          main == (composites.contains(op) || !isCheap(op)))
        if (StringRef name = nameOf(op); !llvm::is_contained(names, name))
          names.push_back(name);
  };
  collect(/*main=*/true);
  if (names.empty())
    collect(/*main=*/false);
  if (names.empty())
    names.push_back(nameOf(ops.front()));
  constexpr size_t shown = 5;
  std::string text = llvm::join(ArrayRef(names).take_front(shown), "_");
  return names.size() > shown ? text + "_etc" : text;
}

static Operation *rootOf(const Node *node) {
  for (Operation *op : node->ops)
    if (isSeed(op))
      return op;
  return node->ops.front();
}

/// "'exp' of 'softmax' into 'dot'".
std::string FusionGraph::describeMove(Operation *op, const Node *into) const {
  std::string text = ("'" + shortName(op) + "'").str();
  if (StringAttr composite = composites.lookup(op))
    text += (" of '" + composite.getValue() + "'").str();
  return text + (" into '" + nameOf(rootOf(into)) + "'").str();
}

bool FusionGraph::reports() const { return context->getRemarkEngine(); }

void FusionGraph::remarkFused(Operation *op, const Node *into,
                              const Twine &why) const {
  remarkTaken(op->getLoc(), functionName,
              "fused " + describeMove(op, into) + ": " + why);
}

void FusionGraph::remarkDeclined(Operation *op, const Node *into,
                                 const Twine &why, const Twine &cost) {
  if (!reports())
    return;
  std::string reason = why.str(), price = cost.str();
  declined.push_back({op, rootOf(into), reason});
  remarkNotTaken(op->getLoc(), functionName,
                 "did not fuse " + describeMove(op, into) + ": " + reason +
                     (price.empty() ? "" : "; costs " + price));
}
