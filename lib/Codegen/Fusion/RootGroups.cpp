//===- RootGroups.cpp - Kernels around contractions and reductions --------===//
//
// Starts a kernel at each contraction and reduction, the fusion roots, and
// fuses the operations that follow into it. Contractions come first: what
// follows them is computed on results that are still in registers, at no cost.
//
//===----------------------------------------------------------------------===//

#include "FusionGraph.h"

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;
using kernel::FusionRoot;

using Sizes = TensorSizes::Sizes;

//===----------------------------------------------------------------------===//
// Which operations may join
//===----------------------------------------------------------------------===//

/// Whether `value` has one element for each row, perhaps with ones for the
/// reduced dimensions. Its type must say so: a kernel gets the sizes that its
/// type leaves open as arguments, constant or not.
static bool isPerRow(const FusionGraph &graph, const Node *node, Value value) {
  const Sizes &full = node->shape;
  Sizes shape = graph.sizes.get(value);
  if (static_cast<int64_t>(shape.size()) < node->rowRank ||
      shape.size() > full.size() ||
      !std::equal(shape.begin(), shape.begin() + node->rowRank, full.begin()))
    return false;
  ArrayRef<int64_t> type = cast<RankedTensorType>(value.getType()).getShape();
  return llvm::all_of(type.drop_front(node->rowRank),
                      [](int64_t size) { return size == 1; });
}

static bool isTrailing(flatir::ReduceOp reduce) {
  int64_t rank = rankOf(reduce.getInput());
  int64_t first = rank - static_cast<int64_t>(reduce.getDims().size());
  return reduce.getDims().front() == first;
}

/// Whether `op`, which reads `node`'s values, is one of the forms of a row
/// kernel: element-wise over rows or over the full shape, a step between the
/// two, or another reduction of the same dimensions.
static bool joinsRow(const FusionGraph &graph, const Node *node,
                     Operation *op) {
  const Sizes &full = node->shape;
  auto isRow = [&](Value value) { return isPerRow(graph, node, value); };
  Value result = op->getResult(0);
  if (isPointwise(op))
    return graph.sizes.get(result) == full || isRow(result);
  if (auto reduce = dyn_cast<flatir::ReduceOp>(op))
    return isTrailing(reduce) && graph.sizes.get(reduce.getInput()) == full &&
           rankOf(result) == node->rowRank;
  if (auto reshape = dyn_cast<flatir::ReshapeOp>(op))
    return isRow(reshape.getInput()) && isRow(result);
  auto broadcast = dyn_cast<flatir::BroadcastOp>(op);
  if (!broadcast || !isRow(broadcast.getInput()) ||
      !(isRow(result) || graph.sizes.get(result) == full))
    return false;
  // Rows stay where they are.
  return llvm::all_of(llvm::seq(node->rowRank),
                      [&](int64_t i) { return broadcast.getDims()[i] == i; });
}

/// Whether `op` adds or drops dimensions of size 1, as its type says, and
/// nothing else.
static bool keepsElements(const FusionGraph &graph, flatir::ReshapeOp op) {
  auto others = [&](Value value) {
    Sizes sizes;
    ArrayRef<int64_t> type = cast<RankedTensorType>(value.getType()).getShape();
    for (auto [size, known] : llvm::zip_equal(graph.sizes.get(value), type))
      if (known != 1)
        sizes.push_back(size);
    return sizes;
  };
  return others(op.getInput()) == others(op.getResult());
}

/// Whether `value` is a result of an attention's kernel in another order or
/// shape.
static bool isMoved(const Node *node, Value value) {
  Operation *op = value.getDefiningOp();
  bool isView = false;
  for (; op && node->contains(op) && classOf(op) == OpClass::Layout;
       op = op->getOperand(0).getDefiningOp())
    isView = true;
  return isView && op && node->contains(op);
}

/// Whether `op` moves whole rows of an attention's result, which nothing else
/// reads: the kernel writes it where they belong, and has no other result.
/// Sizes that are dynamic stay dimensions of their own.
static bool movesRows(const FusionGraph &graph, const Node *node,
                      Operation *op) {
  Value input = op->getOperand(0);
  auto staysInside = [&](Operation *own) {
    return own == input.getDefiningOp() ||
           llvm::all_of(own->getUsers(),
                        [&](Operation *user) { return node->contains(user); });
  };
  if (graph.nodeOf(input) != node || !input.hasOneUse() ||
      !llvm::all_of(node->ops, staysInside))
    return false;
  if (auto transpose = dyn_cast<flatir::TransposeOp>(op)) {
    ArrayRef<int64_t> order = transpose.getPermutation();
    return order.back() == static_cast<int64_t>(order.size()) - 1;
  }
  auto reshape = dyn_cast<flatir::ReshapeOp>(op);
  if (!reshape)
    return false;
  auto from = cast<RankedTensorType>(input.getType());
  RankedTensorType to = reshape.getResult().getType();
  Sizes fromSizes = graph.sizes.get(input),
        toSizes = graph.sizes.get(reshape.getResult());
  auto groups = from.getRank() == to.getRank()
                    ? std::nullopt
                    : getReassociationIndicesForReshape(from, to);
  if (!groups || groups->empty())
    return false;
  bool isExpanded = to.getRank() > from.getRank();
  if (isExpanded && groups->back().size() > 1)
    return false;
  RankedTensorType fine = isExpanded ? to : from;
  for (auto [i, group] : llvm::enumerate(*groups))
    for (int64_t dim : group) {
      if (!fine.isDynamicDim(dim))
        continue;
      OpFoldResult own = isExpanded ? toSizes[dim] : fromSizes[dim];
      if (group.size() > 1 || own != (isExpanded ? fromSizes : toSizes)[i])
        return false;
    }
  return true;
}

static bool joins(const FusionGraph &graph, const Node *node, Operation *op) {
  if (node->root == FusionRoot::Attention) {
    if (classOf(op) == OpClass::Layout)
      return movesRows(graph, node, op);
    // What is moved is written, and not read.
    if (llvm::any_of(op->getOperands(),
                     [&](Value operand) { return isMoved(node, operand); }))
      return false;
  }
  if (node->root == FusionRoot::Row)
    return joinsRow(graph, node, op);
  if (node->root == FusionRoot::Sort)
    return false; // Positions are sorted where they lie in memory.
  if (node->root == FusionRoot::Plugin)
    return false; // The user's kernel is what it is.
  // Reduced dimensions that are kept with size 1.
  if (auto reshape = dyn_cast<flatir::ReshapeOp>(op);
      reshape && node->root == FusionRoot::Reduce && graph.options.reducesApart)
    return graph.sizes.get(reshape.getInput()) == node->shape &&
           keepsElements(graph, reshape);
  return isPointwise(op) && graph.sizes.get(op->getResult(0)) == node->shape;
}

//===----------------------------------------------------------------------===//
// Growth
//===----------------------------------------------------------------------===//

/// Operations not placed yet that read values of `node`, in order.
static SmallVector<Operation *> candidates(const FusionGraph &graph,
                                           const Node *node) {
  llvm::SetVector<Operation *> found;
  for (Operation *op : node->ops)
    for (Operation *user : op->getUsers())
      if (Node *reader = graph.nodeOf(user); reader && !reader->isPlaced())
        found.insert(user);
  SmallVector<Operation *> sorted(found.getArrayRef());
  llvm::sort(sorted, [&](Operation *a, Operation *b) {
    return graph.nodeOf(a)->position < graph.nodeOf(b)->position;
  });
  return sorted;
}

/// The value of `node` that `op` reads.
static Value readValue(const FusionGraph &graph, const Node *node,
                       Operation *op) {
  for (Value operand : op->getOperands())
    if (graph.nodeOf(operand) == node)
      return operand;
  return op->getOperand(0);
}

/// Takes in what follows, until nothing more joins.
static void grow(FusionGraph &graph, Node *node) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (Operation *op : candidates(graph, node)) {
      if (!joins(graph, node, op) || !graph.fits(node, op))
        continue;
      Value read = readValue(graph, node, op);
      if (!graph.contract(graph.nodeOf(op), node))
        continue;
      // What others need as well is stored all the same.
      bool isStored = graph.outputs(node).contains(read);
      graph.remarkFused(op, node,
                        (isStored ? "saves reading " : "saves 2 x ") +
                            Twine(graph.bytes(read)) + " bytes");
      changed = true;
    }
  }
}

/// Says why what reads the finished kernel is not part of it.
static void remarkNeighbours(FusionGraph &graph, const Node *node) {
  for (Operation *op : candidates(graph, node)) {
    if (isCheap(op))
      continue;
    Demand demand = graph.demand(node, op);
    std::string why =
        !joins(graph, node, op)
            ? "it is not element-wise over the kernel's iteration space"
        : !demand.fits() ? demand.describe()
                         : "it needs other results that depend on this kernel";
    Value read = readValue(graph, node, op);
    graph.remarkDeclined(op, node, why,
                         "storing and reading " + Twine(graph.bytes(read)) +
                             " bytes");
  }
}

//===----------------------------------------------------------------------===//
// Trimming
//===----------------------------------------------------------------------===//

/// Whether a value feeds a contraction, directly or through views.
static bool feedsDot(Operation *op) {
  SmallVector<Operation *> worklist = {op};
  llvm::DenseSet<Operation *> seen;
  while (!worklist.empty()) {
    Operation *next = worklist.pop_back_val();
    for (Operation *user : next->getUsers()) {
      if (classOf(user) == OpClass::Dot || classOf(user) == OpClass::Attention)
        return true;
      if (isCheap(user) && seen.insert(user).second)
        worklist.push_back(user);
    }
  }
  return false;
}

/// Bytes that `node` would write instead of `op`'s result.
static int64_t bytesInstead(const FusionGraph &graph, const Node *node,
                            Operation *op) {
  llvm::SetVector<Value> written = graph.outputs(node);
  int64_t instead = 0;
  for (Value operand : op->getOperands())
    if (graph.nodeOf(operand) == node && !written.contains(operand))
      instead += graph.bytes(operand);
  return instead;
}

/// Whether `op`, which nothing in `node` reads, had better be computed where it
/// is read: when its result is larger than what would be written instead.
static bool isBetterOutside(const FusionGraph &graph, const Node *node,
                            Operation *op) {
  OpClass c = classOf(op);
  if (isSeed(op) || graph.isReturned(op))
    return false;
  // What an attention moves is written once, where it belongs.
  if (node->root == FusionRoot::Attention && c == OpClass::Layout)
    return false;
  if (isCheap(op) && c != OpClass::Convert)
    return true;
  if (c != OpClass::Convert && (isExpensive(op) || feedsDot(op)))
    return false;
  return bytesInstead(graph, node, op) < graph.bytes(op->getResult(0));
}

/// Gives back operations at the end that are better computed by the readers.
static void trim(FusionGraph &graph, Node *node) {
  SmallVector<Operation *> ops(node->ops);
  for (Operation *op : llvm::reverse(ops)) {
    bool readInside = false, readOutside = false;
    for (Operation *user : op->getUsers())
      (graph.nodeOf(user) == node ? readInside : readOutside) = true;
    OpClass c = classOf(op);
    bool isView = isCheap(op) && c != OpClass::Convert;
    if (readInside && readOutside && isView && !graph.isReturned(op))
      graph.copyForOthers(op, node);
    else if (!readInside && readOutside && isBetterOutside(graph, node, op)) {
      graph.remarkDeclined(
          op, node,
          "its readers recompute it from a smaller tensor: stores " +
              Twine(bytesInstead(graph, node, op)) + " bytes instead of " +
              Twine(graph.bytes(op->getResult(0))));
      graph.release(op, node);
    }
  }
}

//===----------------------------------------------------------------------===//
// Siblings
//===----------------------------------------------------------------------===//

/// Whether `node` reads `value` in the order of its elements, perhaps as a
/// tensor of another shape.
static bool readsInOrder(const FusionGraph &graph, const Node *node,
                         Value value) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    OpClass c = classOf(user);
    return graph.nodeOf(user) != node || isPointwise(user) ||
           c == OpClass::Convert || isa<flatir::ReduceOp>(user) ||
           isa<flatir::ReshapeOp>(user);
  });
}

/// Whether what `reader` makes of values of `node` stays in the rows that the
/// values are of.
static bool readsItsOwnRows(const FusionGraph &graph, const Node *node,
                            const Node *reader) {
  llvm::SetVector<Operation *> reached;
  auto addReaders = [&](Operation *op) {
    for (Operation *user : op->getUsers())
      if (graph.nodeOf(user) == reader)
        reached.insert(user);
  };
  for (Operation *op : node->ops)
    addReaders(op);
  for (size_t i = 0; i < reached.size(); ++i) {
    if (!joinsRow(graph, node, reached[i]))
      return false;
    addReaders(reached[i]);
  }
  return true;
}

/// Elements that are read in less time than a kernel is launched.
static constexpr int64_t fewElements = 1 << 16;

/// Why two row kernels over the same rows had better be one; empty if they had
/// not: they read something in common, one reads the other, or they are short
/// and read results of one kernel.
static std::string whyTogether(const FusionGraph &graph, const Node *a,
                               const Node *b) {
  if (a->rowRank != b->rowRank || a->shape != b->shape ||
      !readsItsOwnRows(graph, a, b) || !readsItsOwnRows(graph, b, a))
    return "";
  int64_t elements = graph.elements(a->shape);
  llvm::SetVector<Value> left = graph.inputs(a), right = graph.inputs(b);
  bool shares = llvm::any_of(right, [&](Value value) {
    return graph.nodeOf(value) == a ||
           (left.contains(value) &&
            graph.elements(graph.sizes.get(value)) == elements &&
            readsInOrder(graph, a, value) && readsInOrder(graph, b, value));
  });
  if (shares)
    return "reads " + std::to_string(elements) +
           " elements once instead of twice";
  llvm::SmallPtrSet<Node *, 4> made;
  for (Value value : left)
    if (Node *maker = graph.nodeOf(value))
      made.insert(maker);
  bool together =
      elements <= fewElements && llvm::any_of(right, [&](Value value) {
        return made.contains(graph.nodeOf(value));
      });
  return together ? "saves a launch" : "";
}

/// Joins row kernels over the same rows: their operands are read once.
static void joinSiblings(FusionGraph &graph, ArrayRef<Node *> rows) {
  constexpr size_t window = 8;
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t j = i + 1; j < std::min(rows.size(), i + window); ++j) {
      Node *a = rows[i], *b = rows[j];
      if (a->ops.empty() || b->ops.empty())
        continue;
      std::string why = whyTogether(graph, a, b);
      if (why.empty() || !graph.demandTogether(a, b).fits())
        continue;
      Operation *seed = b->ops.front();
      if (!graph.contract(b, a))
        continue;
      graph.remarkFused(seed, a, why);
      grow(graph, a);
    }
  }
}

void fusion::fuseRowsOfOneInput(FusionGraph &graph) {
  SmallVector<Node *> rows;
  for (Node *node : graph.nodes())
    if (node->root == FusionRoot::Row)
      rows.push_back(node);
  joinSiblings(graph, rows);
}

//===----------------------------------------------------------------------===//
// Seeds
//===----------------------------------------------------------------------===//

static void seed(FusionGraph &graph, Node *node, Operation *op) {
  auto reduce = dyn_cast<flatir::ReduceOp>(op);
  OpClass c = classOf(op);
  if (c == OpClass::Scan || c == OpClass::Attention || c == OpClass::Sort ||
      c == OpClass::Plugin) {
    node->root = c == OpClass::Scan     ? FusionRoot::Scan
                 : c == OpClass::Sort   ? FusionRoot::Sort
                 : c == OpClass::Plugin ? FusionRoot::Plugin
                                        : FusionRoot::Attention;
    node->shape = graph.sizes.get(op->getResult(0));
    return;
  }
  if (!reduce) {
    node->root = FusionRoot::Gemm;
    node->shape = graph.sizes.get(op->getResult(0));
    node->operandSide.insert(op);
    return;
  }
  node->root = isTrailing(reduce) ? FusionRoot::Row : FusionRoot::Reduce;
  node->shape = graph.sizes.get(isTrailing(reduce) ? reduce.getInput()
                                                   : Value(reduce.getResult()));
  node->rowRank = rankOf(reduce.getResult());
}

void fusion::formRootGroups(FusionGraph &graph) {
  SmallVector<Operation *> attentions, dots, rows, others;
  for (Node *node : graph.nodes()) {
    Operation *op = node->ops.front();
    if (classOf(op) == OpClass::Attention)
      attentions.push_back(op);
    else if (classOf(op) == OpClass::Dot)
      dots.push_back(op);
    else if (auto reduce = dyn_cast<flatir::ReduceOp>(op))
      (isTrailing(reduce) ? rows : others).push_back(op);
    else if (isSeed(op))
      others.push_back(op);
  }
  SmallVector<Node *> rowNodes, gemmNodes, grown;
  for (ArrayRef<Operation *> seeds :
       {ArrayRef(attentions), ArrayRef(dots), ArrayRef(rows), ArrayRef(others)})
    for (auto [i, op] : llvm::enumerate(seeds)) {
      Node *node = graph.nodeOf(op);
      if (node->isPlaced())
        continue; // Another kernel took it in.
      seed(graph, node, op);
      if (node->root == FusionRoot::Gemm)
        pairContractions(graph, node, seeds.drop_front(i + 1));
      grow(graph, node);
      grown.push_back(node);
      if (node->root == FusionRoot::Row)
        rowNodes.push_back(node);
      if (node->root == FusionRoot::Gemm)
        gemmNodes.push_back(node);
    }
  mergeContractions(graph, gemmNodes);
  joinSiblings(graph, rowNodes);
  for (Node *node : grown)
    if (!node->ops.empty()) {
      trim(graph, node);
      remarkNeighbours(graph, node);
    }
}
