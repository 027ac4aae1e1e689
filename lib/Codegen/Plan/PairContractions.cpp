//===- PairContractions.cpp - Several contractions in one kernel ----------===//
//
// Contractions of the same operand whose results meet in an element-wise
// operation, such as the two projections of a gated unit, are computed side by
// side: what they meet in reads both from registers.
//
//===----------------------------------------------------------------------===//

#include "FusionGraph.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

/// Operations that are looked at behind one contraction.
static constexpr size_t maxFollowers = 400;

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

void fusion::pairContractions(FusionGraph &graph, Node *node) {
  auto dot = dyn_cast<flatir::DotOp>(node->ops.front());
  if (!dot || node->hero != kernel::Hero::Gemm)
    return;
  llvm::SetVector<Operation *> reached = followers(graph, dot);
  SmallVector<Operation *> users(dot.getLhs().getUsers());
  llvm::sort(users,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  int64_t count = 1;
  for (Operation *user : users) {
    auto other = dyn_cast<flatir::DotOp>(user);
    if (!other || other == dot || !areAlike(graph, dot, other) ||
        !graph.nodeOf(user) || graph.nodeOf(user)->isPlaced())
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
    if (!graph.fits(node, other)) {
      graph.remarkDeclined(
          other, node, "the kernel would have too many buffers or operations");
      continue;
    }
    if (!graph.contract(graph.nodeOf(user), node)) {
      graph.remarkDeclined(other, node,
                           "it needs other results that depend on this kernel");
      continue;
    }
    node->operandSide.insert(other);
    ++count;
    graph.remarkFused(other, node,
                      "both meet in '" + graph.nameOf(where) + "'; saves 2 x " +
                          Twine(graph.bytes(other.getResult())) +
                          " bytes and reading " +
                          Twine(graph.bytes(dot.getLhs())) + " bytes twice");
  }
}
