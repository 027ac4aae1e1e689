//===- FusionGraph.h - Kernels being formed ---------------------*- C++ -*-===//
//
// The operations of a function, contracted step by step into kernels. Internal
// to the fusion pass.
//
// Nodes are kept in an order in which every node follows those it reads. Two
// nodes are contracted only when no path leads from one to the other through a
// third: then the order can be kept, and no two kernels ever wait for each
// other.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_CODEGEN_FUSION_FUSIONGRAPH_H
#define TRIPY_CODEGEN_FUSION_FUSIONGRAPH_H

#include "Prepare.h"
#include "tripy/Dialect/Kernel/Kernel.h"

#include "llvm/ADT/SetVector.h"

#include <memory>
#include <vector>

namespace tripy::fusion {

/// Buffers that one kernel takes: a launch has bounded parameter space.
constexpr size_t maxBuffers = 24;
/// What the pass fills; the rest is for operands found later to need a buffer.
constexpr size_t softMaxBuffers = 20;
/// Element-wise operations of a kernel, which its registers must hold.
constexpr int64_t maxScalarOps = 200;
/// Reductions of a kernel: what is before one is computed again for the next
/// wherever a row does not stay in registers, so that code and time grow with
/// their square.
constexpr size_t maxReductions = 16;
/// All operations of a kernel, which bounds the emitters' work.
constexpr size_t maxOps = 400;

/// Indices for each element of a kernel's results at which it computes an
/// element of one operation. An operation read by a value and by a shifted copy
/// of it is computed at two, and one in front of n such steps at 2^n: code and
/// time would grow like that. A stencil of 3 x 3, of computed values, stays one
/// kernel.
constexpr int64_t maxPlaces = 16;

/// An operation not yet placed, or a kernel.
struct Node {
  /// Unset while the operation is not placed.
  std::optional<kernel::FusionRoot> root;
  llvm::SmallVector<mlir::Operation *> ops;
  size_t position = 0;

  /// The shape that the fusion root iterates over: row: the full shape;
  /// otherwise that of the results.
  TensorSizes::Sizes shape;
  /// row: the number of leading dimensions that are not reduced.
  int64_t rowRank = 0;
  /// gemm: the contraction and the views between it and its inputs.
  llvm::SmallPtrSet<mlir::Operation *, 8> operandSide;

  bool isPlaced() const { return root.has_value(); }
  bool contains(mlir::Operation *op) const {
    return llvm::is_contained(ops, op);
  }
};

/// What a kernel would need.
struct Demand {
  size_t ops = 0, buffers = 0, reductions = 0;
  int64_t scalars = 0;

  bool fits() const;
  /// The limit that is exceeded, and by what.
  std::string describe() const;
};

/// A step that was not taken: `op` did not join the kernel of `into`.
struct Declined {
  mlir::Operation *op, *into;
  std::string why;
};

class FusionGraph {
public:
  /// Nodes for all flatir operations of `function` that compute tensors, but
  /// data constants.
  explicit FusionGraph(Program &program);

  /// In order; empty nodes have been contracted into others.
  std::vector<Node *> nodes() const;
  size_t size() const { return order.size(); }
  Node *at(size_t position) const { return order[position]; }
  /// Null for operations that are no node (sizes, data constants, return).
  Node *nodeOf(mlir::Operation *op) const { return byOp.lookup(op); }
  Node *nodeOf(mlir::Value value) const {
    mlir::Operation *op = value.getDefiningOp();
    return op ? nodeOf(op) : nullptr;
  }

  /// Moves the operations of `first` to `second`, which reads it, or the other
  /// way round. False, and nothing is changed, when a path through a third node
  /// connects them.
  bool contract(Node *from, Node *into);
  /// Takes `op` out of `node` again; nothing in `node` reads it.
  void release(mlir::Operation *op, Node *node);
  /// Makes a copy of `op`, in `reader`, for what reads it there.
  mlir::Operation *copyInto(mlir::Operation *op, Node *reader);
  /// Makes a copy of `op`, which is in `node`, for what reads it elsewhere: a
  /// node of its own.
  void copyForOthers(mlir::Operation *op, Node *node);
  /// Forgets and erases an operation without uses.
  void erase(mlir::Operation *op);

  /// Nodes that read `op`'s result, in order of position.
  llvm::SmallVector<Node *> readers(mlir::Operation *op) const;
  bool isReturned(mlir::Operation *op) const;

  /// Tensors that `node` reads from memory, and those that it writes.
  llvm::SetVector<mlir::Value> inputs(const Node *node) const;
  llvm::SetVector<mlir::Value> outputs(const Node *node) const;
  /// What `node` with `op` would need, and two nodes as one.
  Demand demand(const Node *node, mlir::Operation *op) const;
  Demand demandTogether(const Node *a, const Node *b) const;
  bool fits(const Node *node, mlir::Operation *op) const {
    return demand(node, op).fits();
  }
  /// Indices at which `node` would compute `op`, which it reads, for each
  /// element of its results: element-wise readers share theirs, views and joins
  /// have their own. At most maxPlaces + 1.
  int64_t placesIn(const Node *node, mlir::Operation *op) const;
  /// Says that `op` has joined a kernel, which computes it at so many.
  void setPlaces(mlir::Operation *op, int64_t count) { places[op] = count; }

  int64_t bytes(mlir::Value tensor) const {
    return estimates.bytes(tensor, sizes);
  }
  int64_t multiplications(flatir::DotOp dot) const {
    return estimates.multiplications(dot, sizes);
  }
  int64_t elements(const TensorSizes::Sizes &shape) const {
    return estimates.elements(shape);
  }

  /// "softmax" for an operation of that composite, else the operation's name.
  llvm::StringRef nameOf(mlir::Operation *op) const;
  /// Names of the main operations of a node, joined by '_'.
  std::string describe(const Node *node) const;

  /// Whether anybody wants remarks.
  bool reports() const;
  /// Remarks of category "fusion" at the operation's line. `cost` completes
  /// "; costs".
  void remarkFused(mlir::Operation *op, const Node *into,
                   const llvm::Twine &why) const;
  void remarkDeclined(mlir::Operation *op, const Node *into,
                      const llvm::Twine &why, const llvm::Twine &cost = "");

  TensorSizes &sizes;
  const FusionOptions &options;
  const std::string functionName;
  /// In the order of the decisions; kept when somebody wants remarks.
  std::vector<Declined> declined;

private:
  std::string describeMove(mlir::Operation *op, const Node *into) const;
  mlir::Operation *duplicate(mlir::Operation *op);
  bool readsAny(Node *node, const llvm::DenseSet<Node *> &others) const;
  void renumber(size_t begin, size_t end);
  Node *addNode(mlir::Operation *op, size_t position);

  mlir::MLIRContext *context;
  Composites &composites;
  const Estimates &estimates;
  std::vector<std::unique_ptr<Node>> storage;
  std::vector<Node *> order;
  llvm::DenseMap<mlir::Operation *, Node *> byOp;
  /// Of operations that have joined the kernels of their readers; others are
  /// computed at one.
  llvm::DenseMap<mlir::Operation *, int64_t> places;
};

/// Takes into `node`, which has a contraction alone so far, other contractions
/// of the same operand whose results meet this one's in an element-wise
/// operation; `following` are the contractions after it.
void pairContractions(FusionGraph &graph, Node *node,
                      llvm::ArrayRef<mlir::Operation *> following);
/// Makes one kernel of contractions' kernels that read the same operand and do
/// not depend on each other.
void mergeContractions(FusionGraph &graph, llvm::ArrayRef<Node *> nodes);
/// A contraction of `kernel` that is to stay on tensor cores; null if there is
/// none.
flatir::DotOp tensorDot(const FusionGraph &graph, const Node *kernel);
/// Whether tensor cores are fed through `op`: a part of rows of a multiple of
/// 16 bytes, cut in the rows or, if these are one dimension, in their number.
bool isTensorView(flatir::DotOp dot, mlir::Operation *op);
/// Gives contractions' kernels the element-wise functions that compute their
/// left operands, where tensor cores can have them on the way.
void formPrologues(FusionGraph &graph);
/// Builds kernels around contractions, rows and reductions.
void formRootGroups(FusionGraph &graph);
/// Places everything else.
void formLoops(FusionGraph &graph);
/// Joins row kernels over the same rows that read one tensor, now that they
/// have the element-wise operations in front of their reductions.
void fuseRowsOfOneInput(FusionGraph &graph);
/// Replaces the function's operations by dispatches. Fails with a diagnostic
/// when a kernel has more than maxBuffers buffers.
llvm::LogicalResult buildDispatches(FusionGraph &graph,
                                    mlir::func::FuncOp function);

} // namespace tripy::fusion

#endif // TRIPY_CODEGEN_FUSION_FUSIONGRAPH_H
