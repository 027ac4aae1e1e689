//===- PairContractions.cpp - Several contractions in one kernel ----------===//
//
// Contractions of the same operand whose results meet in an element-wise
// operation, such as the two projections of a gated unit, are computed side by
// side: what they meet in reads both from registers. Independent contractions
// of the same operand, such as the projections of an attention, are launched
// together, with several results.
//
//===----------------------------------------------------------------------===//

#include "FusionGraph.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

/// Operations that are looked at behind one contraction.
static constexpr size_t maxFollowers = 400;
/// Contractions that are looked at after one.
static constexpr size_t window = 16;

/// Whether the loops of two contractions correspond: equal left operands, equal
/// roles of all dimensions, equal result shapes and precision.
static bool areAlike(const FusionGraph &graph, flatir::DotOp a,
                     flatir::DotOp b) {
  return a.getLhs() == b.getLhs() && a.getLhsBatch() == b.getLhsBatch() &&
         a.getRhsBatch() == b.getRhsBatch() &&
         a.getLhsContract() == b.getLhsContract() &&
         a.getRhsContract() == b.getRhsContract() &&
         graph.sizes.sameShape(a.getResult(), b.getResult()) &&
         rankOf(a.getRhs()) == rankOf(b.getRhs()) &&
         elementTypeOf(a.getResult()) == elementTypeOf(b.getResult()) &&
         a.getAllowTF32() == b.getAllowTF32();
}

/// Element-wise operations over `dot`'s shape that follow from it.
static llvm::SetVector<Operation *> followers(const FusionGraph &graph,
                                              flatir::DotOp dot) {
  TensorSizes::Sizes shape = graph.sizes.get(dot.getResult());
  llvm::SetVector<Operation *> found;
  SmallVector<Operation *> pending = {dot};
  while (!pending.empty() && found.size() < maxFollowers)
    for (Operation *user : pending.pop_back_val()->getUsers())
      if (graph.nodeOf(user) && isPointwise(user) &&
          graph.sizes.get(user->getResult(0)) == shape && found.insert(user))
        pending.push_back(user);
  return found;
}

/// The first operation that follows from `dot` too; null if there is none.
static Operation *meeting(const FusionGraph &graph,
                          const llvm::SetVector<Operation *> &reached,
                          flatir::DotOp dot) {
  Operation *first = nullptr;
  for (Operation *op : followers(graph, dot))
    if (reached.contains(op) && (!first || op->isBeforeInBlock(first)))
      first = op;
  return first;
}

static bool readsFrom(const FusionGraph &graph, const Node *reader,
                      const Node *read) {
  return llvm::any_of(graph.inputs(reader),
                      [&](Value value) { return graph.nodeOf(value) == read; });
}

void fusion::pairContractions(FusionGraph &graph, Node *node,
                              ArrayRef<Operation *> following) {
  auto dot = cast<flatir::DotOp>(node->ops.front());
  llvm::SetVector<Operation *> reached = followers(graph, dot);
  int64_t count = 1;
  for (Operation *op :
       following.take_front(std::min(window, following.size()))) {
    auto other = cast<flatir::DotOp>(op);
    if (!areAlike(graph, dot, other) || graph.nodeOf(op)->isPlaced())
      continue;
    Operation *where = meeting(graph, reached, other);
    if (!where)
      continue;
    if (count == graph.options.pairedFor(dot)) {
      graph.remarkDeclined(other, node,
                           "the emitter computes fewer contractions side by "
                           "side");
      continue;
    }
    if (Demand demand = graph.demand(node, other); !demand.fits()) {
      graph.remarkDeclined(other, node, demand.describe());
      continue;
    }
    if (readsFrom(graph, graph.nodeOf(op), node) ||
        !graph.contract(graph.nodeOf(op), node)) {
      graph.remarkDeclined(other, node,
                           "it needs other results that depend on this kernel");
      continue;
    }
    node->operandSide.insert(other);
    ++count;
    graph.remarkFused(
        other, node,
        "both results meet in '" + graph.nameOf(where) + "'; saves 2 x " +
            Twine(graph.bytes(other.getResult())) + " bytes and reading " +
            Twine(graph.bytes(dot.getLhs())) + " bytes twice");
  }
}

//===----------------------------------------------------------------------===//
// Independent contractions
//===----------------------------------------------------------------------===//

static SmallVector<flatir::DotOp> dotsOf(const Node *node) {
  SmallVector<flatir::DotOp> dots;
  for (Operation *op : node->ops)
    if (classOf(op) == OpClass::Dot)
      dots.push_back(cast<flatir::DotOp>(op));
  return dots;
}

/// Whether two contractions read one left operand in the same way.
static bool shareLeft(flatir::DotOp a, flatir::DotOp b) {
  return a.getLhs() == b.getLhs() && a.getLhsBatch() == b.getLhsBatch() &&
         a.getLhsContract() == b.getLhsContract() &&
         elementTypeOf(a.getResult()) == elementTypeOf(b.getResult()) &&
         a.getAllowTF32() == b.getAllowTF32();
}

/// Why the kernels `a` and `b`, which share a left operand, stay apart; empty
/// when they may be one.
static std::string whyApart(const FusionGraph &graph, const Node *a,
                            const Node *b) {
  SmallVector<flatir::DotOp> left = dotsOf(a), right = dotsOf(b);
  const FusionOptions &options = graph.options;
  bool isOneShape = areAlike(graph, left.front(), right.front());
  flatir::DotOp dot = left.front();
  if (options.needsOneShape(dot) && !isOneShape)
    return "the emitter computes contractions of one shape together";
  if (static_cast<int64_t>(left.size() + right.size()) > options.pairedFor(dot))
    return "the emitter computes fewer contractions together";
  Demand demand = graph.demandTogether(a, b);
  return demand.fits() ? "" : demand.describe();
}

/// Launches `b` with `a` if that is possible and pays.
static void tryMerge(FusionGraph &graph, Node *a, Node *b) {
  flatir::DotOp first = dotsOf(a).front(), second = dotsOf(b).front();
  if (!shareLeft(first, second) || readsFrom(graph, a, b) ||
      readsFrom(graph, b, a))
    return;
  if (graph.elements(a->shape) == 0 || graph.elements(b->shape) == 0)
    return;
  if (std::string reason = whyApart(graph, a, b); !reason.empty())
    return graph.remarkDeclined(second, a, reason);
  SmallPtrSet<Operation *, 8> operandSide = b->operandSide;
  if (!graph.contract(b, a))
    return graph.remarkDeclined(
        second, a, "it needs other results that depend on this kernel");
  a->operandSide.insert(operandSide.begin(), operandSide.end());
  graph.remarkFused(second, a,
                    "both read the same operand; saves a launch and reading " +
                        Twine(graph.bytes(first.getLhs())) + " bytes twice");
}

void fusion::mergeContractions(FusionGraph &graph, ArrayRef<Node *> nodes) {
  for (size_t i = 0; i < nodes.size(); ++i)
    for (size_t j = i + 1; j < std::min(nodes.size(), i + window); ++j)
      if (!nodes[i]->ops.empty() && !nodes[j]->ops.empty())
        tryMerge(graph, nodes[i], nodes[j]);
}
