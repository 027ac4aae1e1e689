//===- LoopGroups.cpp - Placing what no fusion root took in ---------------===//
//
// Goes backwards through the operations, so that all readers of an operation
// have been placed before it. The operation is fused into the kernels that read
// it (copied, where computing it again costs less than reading it), or becomes
// the result of a kernel.
//
//===----------------------------------------------------------------------===//

#include "FusionGraph.h"

#include "tripy/Codegen/Passes.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;
using kernel::FusionRoot;
using Sizes = TensorSizes::Sizes;

/// From this number of elements on, recomputing an expensive operation for each
/// element of a broadcast costs more than another launch.
static constexpr int64_t manyElements = 1 << 16;
static constexpr int64_t manyTimes = 8;

/// Scalar operations for each element of a contraction's operand that cost less
/// than storing and loading the element.
static constexpr int64_t maxOperandCost = 8;

/// Whether an operation joins a kernel, and if not, why.
struct Verdict {
  bool joins;
  std::string reason;
};

/// Whether `op` is read between the inputs of a gemm and its contraction.
static bool isOnOperandSide(const Node *kernel, Operation *op) {
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    return kernel->operandSide.contains(user);
  });
}

flatir::DotOp fusion::tensorDot(const FusionGraph &graph, const Node *kernel) {
  for (Operation *op : kernel->operandSide)
    if (auto dot = dyn_cast<flatir::DotOp>(op))
      return graph.options.onTensorCores(dot) &&
                     graph.multiplications(dot) >=
                         graph.options.machine->copiedProducts
                 ? dot
                 : flatir::DotOp();
  return flatir::DotOp();
}

/// `op` as a box of its input at a known place; null for others.
static flatir::SliceOp asPart(Operation *op) {
  auto slice = dyn_cast_or_null<flatir::SliceOp>(op);
  if (!slice || !slice.getOffsets().empty() ||
      llvm::any_of(slice.getStrides(), [](int64_t s) { return s != 1; }))
    return flatir::SliceOp();
  return slice;
}

bool fusion::isTensorView(flatir::DotOp dot, Operation *op) {
  flatir::SliceOp slice = asPart(op);
  if (!slice)
    return false;
  // Rows as they lie in memory.
  Value whole = slice.getInput();
  while (flatir::SliceOp outer = asPart(whole.getDefiningOp()))
    whole = outer.getInput();
  if (!hasTensorRows(whole))
    return false;
  RankedTensorType from = slice.getInput().getType();
  RankedTensorType to = slice.getResult().getType();
  int64_t rank = from.getRank();
  int64_t rows = dot.getLhsBatch().size();
  for (int64_t dim = 0; dim + 1 < rank; ++dim) {
    bool isCut = slice.getStaticOffsets()[dim] != 0 ||
                 from.getDimSize(dim) != to.getDimSize(dim) ||
                 from.isDynamicDim(dim);
    if (isCut && !(dim == rows && rank == rows + 2))
      return false;
  }
  return true;
}

/// The operand of a contraction of `kernel` that `op` is computed for.
static OpOperand *operandFor(const Node *kernel, Operation *op) {
  while (true) {
    OpOperand *next = nullptr;
    for (OpOperand &use : op->getUses())
      if (kernel->operandSide.contains(use.getOwner()))
        next = &use;
    if (!next || classOf(next->getOwner()) == OpClass::Dot)
      return next;
    op = next->getOwner();
  }
}

/// How often an emitter computes each element of `operand`: once for each tile
/// of the other side, which has 64 elements or more.
static int64_t timesRead(const FusionGraph &graph, OpOperand &operand) {
  constexpr int64_t tile = 64;
  auto dot = cast<flatir::DotOp>(operand.getOwner());
  TensorSizes::Sizes result = graph.sizes.get(dot.getResult());
  size_t left = rankOf(dot.getLhs()) - dot.getLhsContract().size();
  size_t batch = dot.getLhsBatch().size();
  bool isLeft = operand.getOperandNumber() == 0;
  ArrayRef<OpFoldResult> other = ArrayRef(result).drop_front(left);
  if (!isLeft)
    other = ArrayRef(result).slice(batch, left - batch);
  return llvm::divideCeil(graph.elements(Sizes(other)), tile);
}

/// Whether `op`, on the operand side of a tensor-core kernel, makes a vector
/// that the function of the left operand reads: it is broadcast, which nothing
/// else is there (see formPrologues()).
static bool isPrologueVector(const Node *kernel, Operation *op) {
  llvm::SetVector<Operation *> pending;
  pending.insert(op);
  for (size_t i = 0; i < pending.size(); ++i) {
    if (!isCheap(pending[i]))
      return false;
    for (Operation *user : pending[i]->getUsers())
      if (kernel->operandSide.contains(user) && !isa<flatir::BroadcastOp>(user))
        pending.insert(user);
  }
  return true;
}

/// The windows that `op` is a view of, or is: several elements of it are one
/// element in memory, each at a computed place. Null for others.
static flatir::WindowOp windowsBehind(Operation *op) {
  while (op &&
         (classOf(op) == OpClass::Layout || classOf(op) == OpClass::Convert))
    op = op->getOperand(0).getDefiningOp();
  return dyn_cast_or_null<flatir::WindowOp>(op);
}

/// Whether `op` makes elements of 8 bits of longer ones, as quantize does last.
static bool narrowsToBytes(Operation *op) {
  auto convert = dyn_cast<flatir::ConvertOp>(op);
  auto bits = [](Value value) {
    return elementTypeOf(value).getIntOrFloatBitWidth();
  };
  return convert && bits(convert.getResult()) == 8 &&
         bits(convert.getInput()) > 8;
}

/// Whether `op` is in front of windows on the operand side of `kernel`.
static bool isBeforeWindows(const Node *kernel, Operation *op) {
  llvm::SetVector<Operation *> pending;
  pending.insert(op);
  for (size_t i = 0; i < pending.size(); ++i)
    for (Operation *user : pending[i]->getUsers()) {
      if (!kernel->operandSide.contains(user) || isa<flatir::DotOp>(user))
        continue;
      if (isa<flatir::WindowOp>(user))
        return true;
      pending.insert(user);
    }
  return false;
}

/// Whether `kernel` slides `windows`, which `op` views.
static bool slidesWindows(const FusionGraph &graph, const Node *kernel,
                          Operation *op, flatir::WindowOp windows) {
  OpOperand *operand = operandFor(kernel, op);
  return operand && operand->getOperandNumber() == 1 &&
         graph.options.slidesWindows(cast<flatir::DotOp>(operand->getOwner()),
                                     windows) &&
         (op == windows || isGemmOperandView(op));
}

/// Why a contraction's kernel does not compute `op` as it reads an operand;
/// empty when it does.
static std::string whyNotOperand(const FusionGraph &graph, const Node *kernel,
                                 Operation *op) {
  flatir::DotOp dot = tensorDot(graph, kernel);
  if (dot && narrowsToBytes(op))
    return "tensor-core kernels copy 8-bit operands from memory";
  if (dot)
    return isTensorView(dot, op) || isPrologueVector(kernel, op)
               ? ""
               : "the contraction would leave the tensor cores";
  if (flatir::WindowOp windows = windowsBehind(op))
    return slidesWindows(graph, kernel, op, windows)
               ? ""
               : "windows are written once, in the order that the contraction "
                 "reads";
  if (isBeforeWindows(kernel, op) && classOf(op) != OpClass::Layout)
    return "windows would compute each of its elements several times";
  if (isGemmOperandView(op))
    return "";
  OpOperand *operand = operandFor(kernel, op);
  if (classOf(op) != OpClass::Elementwise || isExpensive(op) || !operand)
    return "operands of a contraction are read many times";
  int64_t times = timesRead(graph, *operand);
  if (times * scalarCost(op) <= maxOperandCost)
    return "";
  return "the contraction would compute each of its elements " +
         std::to_string(times) + " times";
}

namespace {
/// Through which operands of an attention `op` is read.
struct AttentionUse {
  bool byQuery = false, byKeys = false, byMask = false;
};
} // namespace

static AttentionUse attentionUse(const FusionGraph &graph, const Node *kernel,
                                 Operation *op) {
  AttentionUse found;
  llvm::SetVector<Operation *> pending;
  pending.insert(op);
  for (size_t i = 0; i < pending.size(); ++i)
    for (OpOperand &use : pending[i]->getUses()) {
      if (graph.nodeOf(use.getOwner()) != kernel)
        continue;
      auto attention = dyn_cast<kernel::AttentionOp>(use.getOwner());
      if (!attention) {
        pending.insert(use.getOwner());
        continue;
      }
      Value read = use.get();
      found.byQuery |= read == attention.getQuery();
      found.byKeys |=
          read == attention.getKey() || read == attention.getValue();
      found.byMask |=
          read == attention.getMask() || read == attention.getLengths();
    }
  return found;
}

/// Whether `op` is of an update_slice.
static bool isOfUpdate(const FusionGraph &graph, Operation *op) {
  return graph.nameOf(op) == "update_slice";
}

static kernel::AttentionOp attentionOf(const Node *kernel) {
  auto isAttention = [](Operation *op) { return isa<kernel::AttentionOp>(op); };
  return cast<kernel::AttentionOp>(*llvm::find_if(kernel->ops, isAttention));
}

/// Whether tensor cores have all queries of heads that share keys in one tile
/// (SplitAttention.cpp): it reads each key and value once, or twice.
static bool readsKeysOnce(const FusionGraph &graph, const Node *kernel) {
  kernel::AttentionOp attention = attentionOf(kernel);
  auto query = cast<RankedTensorType>(attention.getQuery().getType());
  int64_t queries = query.getDimSize(query.getRank() - 2);
  int64_t group = std::max<int64_t>(1, attention.getGroupSize());
  return graph.options.tensorCores &&
         query.getElementType().getIntOrFloatBitWidth() == 16 &&
         !ShapedType::isDynamic(queries) &&
         queries * group <= codegen::oneTileRows;
}

/// Whether TMA can copy `tensor`, a key or value, through the views that it is
/// read by: no conversions and repetitions, and no parts of dynamic sizes.
static bool isCopied(Value tensor) {
  for (Operation *op = tensor.getDefiningOp(); op && isGemmOperandView(op);
       op = op->getOperand(0).getDefiningOp()) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (classOf(op) == OpClass::Convert || isa<flatir::BroadcastOp>(op) ||
        (isa<flatir::SliceOp>(op) && !type.hasStaticShape()))
      return false;
  }
  return true;
}

/// Whether TMA copies the attention's queries, as they are in memory, and wgmma
/// multiplies them, unless the kernel computes them (AttentionProblem.cpp).
static bool copiesQueries(const FusionGraph &graph, const Node *kernel) {
  constexpr int64_t maxRank = 5;
  kernel::AttentionOp attention = attentionOf(kernel);
  auto query = cast<RankedTensorType>(attention.getQuery().getType());
  int64_t queries = query.getDimSize(query.getRank() - 2);
  auto hasSuitableHeads = [](Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    return (type.getElementType().isF16() || type.getElementType().isBF16()) &&
           type.getShape().back() % 8 == 0;
  };
  return graph.options.tensorCores && graph.options.machine->hasWgmma() &&
         query.getRank() <= maxRank &&
         (ShapedType::isDynamic(queries) ||
          queries >= codegen::minTileQueries) &&
         hasSuitableHeads(attention.getQuery()) &&
         hasSuitableHeads(attention.getValue()) && !attention.getLengths() &&
         isCopied(attention.getKey()) && isCopied(attention.getValue());
}

/// Scores that are computed: with a causal mask, those on one side of it, and
/// with a window those inside, of whole rows.
static double scoresOf(const FusionGraph &graph,
                       kernel::AttentionOp attention) {
  TensorSizes::Sizes rows = graph.sizes.get(attention.getQuery());
  size_t rank = rows.size();
  OpFoldResult query = rows[rank - 2];
  OpFoldResult key = graph.sizes.get(attention.getKey())[rank - 2];
  rows.resize(rank - 2);
  auto heads = double(graph.elements(rows));
  auto queries = double(graph.elements({query}));
  auto keys = double(graph.elements({key}));
  if (attention.getWindowLeft() && attention.getKeysAfter())
    keys = std::min(keys, double(*attention.getWindowLeft() + 1 +
                                 *attention.getKeysAfter()));
  if (attention.getCausal() == kernel::Causal::None ||
      attention.getWindowLeft())
    return heads * queries * keys;
  double less = std::min(queries, keys);
  double above = less * less / 2;
  if (queries > keys && attention.getCausal() == kernel::Causal::TopLeft)
    return heads * (queries * keys - above);
  if (queries < keys && attention.getCausal() == kernel::Causal::BottomRight)
    return heads * (queries * keys - above);
  return heads * above;
}

/// Why an attention's kernel does not compute its queries: what that costs in
/// products, and what a kernel for `op` costs; empty when it does.
static std::string whyNotQueries(const FusionGraph &graph, const Node *kernel,
                                 Operation *op) {
  const Machine &machine = *graph.options.machine;
  double lost = scoresOf(graph, attentionOf(kernel)) *
                machine.attentionComputedCycles /
                double(machine.multiprocessors);
  double saved =
      double(machine.prologueLaunchCycles) +
      2.0 * double(graph.bytes(op->getResult(0))) / machine.prologueMemoryBytes;
  if (lost < saved)
    return "";
  return "attention is faster with queries that are copied from memory, "
         "which saves about " +
         std::to_string(int64_t(lost)) + " cycles; a kernel for them costs " +
         std::to_string(int64_t(saved));
}

/// Why an attention's kernel does not compute `op` as it reads an operand;
/// empty when it does. Keys and values are read by each block of queries, the
/// mask once for each score. Few queries read a cache as it will be: the new
/// rows where they come from, the others where they are.
static std::string whyNotOfAttention(const FusionGraph &graph,
                                     const Node *kernel, Operation *op) {
  AttentionUse use = attentionUse(graph, kernel, op);
  if (use.byKeys && isOfUpdate(graph, op) && readsKeysOnce(graph, kernel))
    return "";
  bool isComputed = windowsBehind(op) || !isGemmOperandView(op);
  if (use.byKeys && isComputed)
    return "keys and values are read many times";
  bool isConverted = classOf(op) == OpClass::Convert;
  if (use.byQuery && (isComputed || isConverted) &&
      copiesQueries(graph, kernel))
    return whyNotQueries(graph, kernel, op);
  return "";
}

/// How often windows of `kernel` read each element of `op`.
static int64_t timesInWindows(const FusionGraph &graph, const Node *kernel,
                              Operation *op) {
  int64_t times = 1;
  llvm::SetVector<Operation *> pending;
  pending.insert(op);
  for (size_t i = 0; i < pending.size(); ++i)
    for (Operation *user : pending[i]->getUsers()) {
      if (graph.nodeOf(user) != kernel)
        continue;
      pending.insert(user);
      if (auto window = dyn_cast<flatir::WindowOp>(user)) {
        int64_t from = graph.elements(graph.sizes.get(window.getInput()));
        int64_t to = graph.elements(graph.sizes.get(window.getResult()));
        times = std::max(times, to / std::max<int64_t>(from, 1));
      }
    }
  return times;
}

/// Whether `kernel` may compute `op` from its operands where it reads it.
static Verdict judge(const FusionGraph &graph, const Node *kernel,
                     Operation *op) {
  if (!isLoopType(op))
    return {false, "it is another fusion root"};
  if (kernel->root == FusionRoot::Plugin)
    return {false, "a plugin reads its operands from memory"};
  if (kernel->root == FusionRoot::Sort && !isCheap(op))
    return {false, "a sort reads its elements many times"};
  if (kernel->root == FusionRoot::Gemm && isOnOperandSide(kernel, op)) {
    std::string reason = whyNotOperand(graph, kernel, op);
    if (!reason.empty())
      return {false, reason};
  }
  if (kernel->root == FusionRoot::Attention) {
    std::string reason = whyNotOfAttention(graph, kernel, op);
    if (!reason.empty())
      return {false, reason};
  }
  if (Demand demand = graph.demand(kernel, op); !demand.fits())
    return {false, demand.describe()};
  int64_t made =
      std::max<int64_t>(graph.elements(graph.sizes.get(op->getResult(0))), 1);
  int64_t used = graph.elements(kernel->shape);
  int64_t times = used / made;
  if (isExpensive(op) && used >= manyElements)
    times = std::max(times, timesInWindows(graph, kernel, op));
  if (isExpensive(op) && used >= manyElements && times >= manyTimes)
    return {false, "each of its elements would be computed " +
                       std::to_string(times) + " times"};
  if (!isCheap(op) && graph.placesIn(kernel, op) > maxPlaces)
    return {false, "it would be computed at more than " +
                       std::to_string(maxPlaces) + " places for each element"};
  return {true, ""};
}

/// Bytes that the positions of an update_slice are computed from: they are
/// integers and conditions that follow from its start, in a few operations.
static int64_t bytesBehind(const FusionGraph &graph, Operation *op) {
  int64_t bytes = 0;
  llvm::SetVector<Value> from;
  from.insert(op->result_begin(), op->result_end());
  for (size_t i = 0; i < from.size(); ++i) {
    Operation *made = from[i].getDefiningOp();
    Node *node = made ? graph.nodeOf(made) : nullptr;
    OpClass c = made ? classOf(made) : OpClass::Data;
    bool isComputed = node && !node->isPlaced() && isOfUpdate(graph, made) &&
                      (c == OpClass::Elementwise || isCheap(made)) &&
                      elementTypeOf(from[i]).isInteger();
    if (!isComputed) {
      if (c != OpClass::Creation)
        bytes += graph.bytes(from[i]);
      continue;
    }
    for (Value operand : made->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        from.insert(operand);
  }
  return bytes;
}

/// Whether `op` is a step to the positions of an update_slice.
static bool isPosition(const FusionGraph &graph, Operation *op) {
  return isOfUpdate(graph, op) && classOf(op) == OpClass::Elementwise &&
         elementTypeOf(op->getResult(0)).isInteger();
}

/// Bytes of the tensors that `op` reads, splat constants being free.
static int64_t bytesRead(const FusionGraph &graph, Operation *op) {
  if (isPosition(graph, op))
    return bytesBehind(graph, op);
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

namespace {
/// Bytes that an operation with several readers moves.
struct Traffic {
  /// Each reader computes it.
  int64_t again;
  /// One does and stores the result, on its way, for the others.
  int64_t stored;
};
} // namespace

static Traffic traffic(const FusionGraph &graph, Operation *op,
                       int64_t readers) {
  int64_t read = bytesRead(graph, op);
  int64_t result = graph.bytes(op->getResult(0));
  // A start is read for less than a launch.
  constexpr int64_t fewBytes = 64;
  if (isPosition(graph, op) && read <= fewBytes)
    return {0, result};
  return {saturatingMul(readers, read),
          saturatingAdd(read, saturatingMul(readers, result))};
}

/// Whether `kernel` may write `op`'s result besides its own.
static bool mayWrite(const FusionGraph &graph, const Node *kernel,
                     Operation *op) {
  return (kernel->root == FusionRoot::Loop ||
          kernel->root == FusionRoot::Row) &&
         graph.sizes.get(op->getResult(0)) == kernel->shape;
}

/// Moves an operation that only `kernel` reads, or that `kernel` is to write.
static bool join(FusionGraph &graph, Operation *op, Node *kernel) {
  bool operand =
      kernel->root == FusionRoot::Gemm && isOnOperandSide(kernel, op);
  int64_t places = graph.placesIn(kernel, op);
  if (!graph.contract(graph.nodeOf(op), kernel))
    return false;
  graph.setPlaces(op, places);
  if (operand)
    kernel->operandSide.insert(op);
  return true;
}

static void copyInto(FusionGraph &graph, Operation *op, Node *kernel) {
  bool operand =
      kernel->root == FusionRoot::Gemm && isOnOperandSide(kernel, op);
  int64_t places = graph.placesIn(kernel, op);
  Operation *copy = graph.copyInto(op, kernel);
  graph.setPlaces(copy, places);
  if (operand)
    kernel->operandSide.insert(copy);
}

/// Makes `op` the result of a kernel: of one that reads it if possible.
static void materialize(FusionGraph &graph, Operation *op,
                        ArrayRef<Node *> willing) {
  for (Node *kernel : willing)
    if (mayWrite(graph, kernel, op) && join(graph, op, kernel)) {
      graph.remarkFused(op, kernel,
                        "the kernel stores its result as well; saves reading " +
                            Twine(graph.bytes(op->getResult(0))) + " bytes");
      return;
    }
  Node *node = graph.nodeOf(op);
  node->root = FusionRoot::Loop;
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
    else if (classOf(op) != OpClass::Creation)
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
  Traffic bytes = traffic(graph, op, readers.size());
  bool again = all && !isExpensive(op) && bytes.again <= bytes.stored;
  if (!cheap && !again) {
    if (all)
      graph.remarkDeclined(
          op, readers.back(),
          isExpensive(op) ? "computing it " + Twine(readers.size()) +
                                " times costs more than reading " +
                                Twine(graph.bytes(op->getResult(0))) + " bytes"
                          : "computing it " + Twine(readers.size()) +
                                " times moves " + Twine(bytes.again) +
                                " bytes, storing it " + Twine(bytes.stored));
    return materialize(graph, op, willing);
  }
  for (Node *kernel : willing) {
    copyInto(graph, op, kernel);
    if (!cheap)
      graph.remarkFused(op, kernel,
                        "computing it " + Twine(readers.size()) +
                            " times moves " + Twine(bytes.again) +
                            " bytes, storing it " + Twine(bytes.stored));
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
