//===- LoopGroups.cpp - Placing what no hero took in ----------------------===//
//
// Goes backwards through the operations. All readers of an operation are placed
// when its turn comes: it joins the kernels that read it, as copies when it
// costs less to compute again than to read, or becomes a kernel's result.
//
//===----------------------------------------------------------------------===//

#include "FusionGraph.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;
using kernel::Hero;

/// Elements from which on computing an expensive operation again and again, for
/// a broadcast, costs more than another launch.
static constexpr int64_t manyElements = 1 << 16;
static constexpr int64_t manyTimes = 8;

/// Whether an operation joins a kernel, and if not, why.
struct Verdict {
  bool joins;
  const char *reason = "";
};

/// Whether `op` is read between the inputs of a gemm and its contraction.
static bool isOnOperandSide(const Node *kernel, Operation *op) {
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    return kernel->operandSide.contains(user);
  });
}

/// Whether `kernel` may compute `op` from its operands where it reads it.
static Verdict judge(const FusionGraph &graph, const Node *kernel,
                     Operation *op) {
  if (!isLoopType(op))
    return {false, "it is another hero"};
  if (kernel->hero == Hero::Gemm && isOnOperandSide(kernel, op) &&
      !isGemmOperandView(op))
    return {false, "operands of a contraction are read many times"};
  if (!graph.fits(kernel, op))
    return {false, "the kernel would have too many buffers or operations"};
  int64_t made =
      std::max<int64_t>(graph.elements(graph.sizes.get(op->getResult(0))), 1);
  int64_t used = graph.elements(kernel->shape);
  if (isExpensive(op) && used >= manyElements && used / made >= manyTimes)
    return {false, "it would be computed again for each element that it is "
                   "broadcast to"};
  return {true};
}

/// Bytes of the tensors that `op` reads, splat constants being free.
static int64_t bytesRead(const FusionGraph &graph, Operation *op) {
  int64_t bytes = 0;
  llvm::SmallPtrSet<void *, 4> seen;
  for (Value operand : op->getOperands()) {
    if (!isa<RankedTensorType>(operand.getType()) ||
        !seen.insert(operand.getAsOpaquePointer()).second)
      continue;
    // A broadcast reads what it broadcasts.
    Operation *made = operand.getDefiningOp();
    while (made && isa<flatir::BroadcastOp>(made)) {
      operand = made->getOperand(0);
      made = operand.getDefiningOp();
    }
    if (!made || classOf(made) != OpClass::Creation)
      bytes += graph.bytes(operand);
  }
  return bytes;
}

/// Whether `copies` computations of `op` cost less than writing its result
/// once and reading it back.
static bool isCheaperAgain(const FusionGraph &graph, Operation *op,
                           int64_t copies) {
  if (isExpensive(op))
    return false;
  int64_t read = bytesRead(graph, op);
  int64_t result = graph.bytes(op->getResult(0));
  // The first reader may write the result on its way.
  return copies * read <= read + result + (copies - 1) * result;
}

/// Whether `kernel` may write `op`'s result besides its own.
static bool mayWrite(const FusionGraph &graph, const Node *kernel,
                     Operation *op) {
  return (kernel->hero == Hero::Loop || kernel->hero == Hero::Row) &&
         graph.sizes.get(op->getResult(0)) == kernel->shape;
}

/// Moves an operation that only `kernel` reads, or that `kernel` is to write.
static bool join(FusionGraph &graph, Operation *op, Node *kernel) {
  bool operand = kernel->hero == Hero::Gemm && isOnOperandSide(kernel, op);
  if (!graph.contract(graph.nodeOf(op), kernel))
    return false;
  if (operand)
    kernel->operandSide.insert(op);
  return true;
}

static void copyInto(FusionGraph &graph, Operation *op, Node *kernel) {
  bool operand = kernel->hero == Hero::Gemm && isOnOperandSide(kernel, op);
  Operation *copy = graph.copyInto(op, kernel);
  if (operand)
    kernel->operandSide.insert(copy);
}

/// Makes `op` the result of a kernel: of one that reads it if possible.
static void materialize(FusionGraph &graph, Operation *op,
                        ArrayRef<Node *> willing) {
  for (Node *kernel : willing)
    if (mayWrite(graph, kernel, op) && join(graph, op, kernel)) {
      graph.remarkFused(op, kernel,
                        "its result is written on the way; saves reading " +
                            Twine(graph.bytes(op->getResult(0))) + " bytes");
      return;
    }
  Node *node = graph.nodeOf(op);
  node->hero = Hero::Loop;
  node->shape = graph.sizes.get(op->getResult(0));
}

/// Places an operation whose readers are all placed.
static void place(FusionGraph &graph, Operation *op) {
  SmallVector<Node *> readers = graph.readers(op), willing;
  bool returned = graph.isReturned(op);
  if (readers.empty() && !returned)
    return graph.erase(op);
  bool cheap = isCheap(op);
  for (Node *kernel : readers) {
    Verdict verdict = judge(graph, kernel, op);
    if (verdict.joins)
      willing.push_back(kernel);
    else if (!cheap)
      graph.remarkDeclined(op, kernel, verdict.reason);
  }
  bool all = !returned && willing.size() == readers.size();
  if (all && readers.size() == 1 && join(graph, op, readers.front())) {
    if (!cheap)
      graph.remarkFused(op, readers.front(),
                        "saves 2 x " + Twine(graph.bytes(op->getResult(0))) +
                            " bytes");
    return;
  }
  if (!cheap && !(all && isCheaperAgain(graph, op, readers.size()))) {
    if (all)
      graph.remarkDeclined(op, readers.back(),
                           "computing it again costs more than reading it");
    return materialize(graph, op, willing);
  }
  for (Node *kernel : willing) {
    copyInto(graph, op, kernel);
    if (!cheap)
      graph.remarkFused(op, kernel,
                        "computing it again costs less than "
                        "reading it");
  }
  if (op->use_empty())
    return graph.erase(op);
  materialize(graph, op, {});
}

void fusion::formLoops(FusionGraph &graph) {
  for (size_t position = graph.size(); position-- > 0;) {
    Node *node = graph.at(position);
    if (node && !node->isPlaced())
      place(graph, node->ops.front());
  }
}
