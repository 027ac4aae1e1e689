//===- Prologues.cpp - Left operands that tensor-core kernels compute -----===//
//
// A tensor-core kernel copies its operands as they lie in memory. Where the
// left operand is an element-wise function of one tensor in memory, and of
// vectors along rows or along K, the kernel can compute the function between
// shared memory and the registers that are multiplied, so that the operand is
// neither written nor read. The price is that every tile of columns computes it
// again.
//
//===----------------------------------------------------------------------===//

#include "FusionGraph.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::fusion;

/// Operations of a function that are followed.
static constexpr size_t maxPrologueOps = 24;

//===----------------------------------------------------------------------===//
// What an operand is computed from
//===----------------------------------------------------------------------===//

namespace {
/// Goes back from the left operand of a kernel's contractions.
class OperandCone {
public:
  OperandCone(const FusionGraph &graph, const Node *kernel, flatir::DotOp dot)
      : graph(graph), kernel(kernel), dot(dot), operand(dot.getLhs()),
        batch(dot.getLhsBatch().size()) {}

  /// Says why the kernel cannot compute the operand; empty when it can.
  std::string gather();

  /// Element-wise operations over the operand's shape, readers first.
  llvm::SetVector<Operation *> ops;
  /// Splat constants, and broadcasts of vectors.
  llvm::SetVector<Operation *> copied;
  /// The tensor of the operand's shape.
  Value input;
  /// Scalar operations for one element.
  int64_t cost = 0;

private:
  std::string visit(Value value);
  std::string takeInput(Value value);
  bool isOwn(Operation *op) const;
  bool isVector(flatir::BroadcastOp op) const;

  const FusionGraph &graph;
  const Node *kernel;
  flatir::DotOp dot;
  Value operand;
  int64_t batch; ///< leading dimensions
  llvm::SetVector<Operation *> pending;
};
} // namespace

/// Whether only the kernel's contractions need `op`, through what was gathered.
bool OperandCone::isOwn(Operation *op) const {
  Node *node = graph.nodeOf(op);
  return node && !node->isPlaced() && isPointwise(op) &&
         !graph.isReturned(op) &&
         graph.sizes.sameShape(op->getResult(0), operand) &&
         llvm::all_of(op->getUsers(), [&](Operation *user) {
           return ops.contains(user) || (classOf(user) == OpClass::Dot &&
                                         kernel->operandSide.contains(user));
         });
}

/// Whether elements of `op` do not vary with both the row and K. Which size is
/// repeated must be known from the type, as the kernel sees it.
bool OperandCone::isVector(flatir::BroadcastOp op) const {
  int64_t k = rankOf(operand) - 1;
  TensorSizes::Sizes from = graph.sizes.get(op.getInput());
  TensorSizes::Sizes to = graph.sizes.get(op.getResult());
  bool ofRow = false, ofK = false;
  ArrayRef<int64_t> type =
      cast<RankedTensorType>(op.getInput().getType()).getShape();
  for (auto [size, known, dim] : llvm::zip(from, type, op.getDims())) {
    bool isOne = known == 1;
    if (!isOne && size != to[dim])
      return false;
    ofRow |= !isOne && dim >= batch && dim < k;
    ofK |= !isOne && dim == k;
  }
  return !ofRow || !ofK;
}

/// The tensor that is copied in the operand's place: there is one, and it is in
/// memory without a kernel made for it.
std::string OperandCone::takeInput(Value value) {
  if (value.getType() != operand.getType() ||
      !graph.sizes.sameShape(value, operand))
    return "its operand has another element type or another layout";
  if (input && input != value)
    return "it reads several tensors of the operand's shape";
  Operation *op = value.getDefiningOp();
  auto slice = dyn_cast_or_null<flatir::SliceOp>(op);
  if (slice && slice.getResult().getType().hasStaticShape() &&
      isTensorView(dot, slice))
    op = slice.getInput().getDefiningOp();
  Node *node = op ? graph.nodeOf(op) : nullptr;
  bool isRead = op && llvm::any_of(op->getUsers(), [&](Operation *user) {
                  return user != slice && !ops.contains(user) &&
                         !kernel->operandSide.contains(user);
                });
  if (node && !node->isPlaced() && !graph.isReturned(op) && !isRead)
    return "its operand would need a separate kernel";
  input = value;
  return "";
}

std::string OperandCone::visit(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<flatir::ConstantOp>(op) &&
      classOf(op) == OpClass::Creation) {
    copied.insert(op);
    return "";
  }
  if (auto broadcast = dyn_cast_or_null<flatir::BroadcastOp>(op);
      broadcast && isVector(broadcast)) {
    copied.insert(op);
    return "";
  }
  // In the order of the program, last first: readers are known by then.
  if (op && graph.nodeOf(op)) {
    pending.insert(op);
    return "";
  }
  return takeInput(value);
}

std::string OperandCone::gather() {
  pending.insert(operand.getDefiningOp());
  while (!pending.empty()) {
    Operation *last = pending.front();
    for (Operation *op : pending)
      if (last->isBeforeInBlock(op))
        last = op;
    pending.remove(last);
    if (!isOwn(last) || ops.size() == maxPrologueOps) {
      if (std::string problem = takeInput(last->getResult(0)); !problem.empty())
        return problem;
      continue;
    }
    ops.insert(last);
    cost += scalarCost(last);
    for (Value read : last->getOperands())
      if (std::string problem = visit(read); !problem.empty())
        return problem;
  }
  return input ? "" : "it reads no tensor of the operand's shape";
}

//===----------------------------------------------------------------------===//
// Whether it can be done, and whether it pays
//===----------------------------------------------------------------------===//

/// The kernel that computes its left operand takes rows along K of numbers of
/// 16 bits, as many as lie in 16 bytes together, and static numbers of columns.
static bool isTaken(const FusionGraph &graph, flatir::DotOp dot) {
  RankedTensorType left = dot.getLhs().getType();
  RankedTensorType right = dot.getRhs().getType();
  int64_t k = left.getRank() - 1, size = left.getDimSize(k);
  int64_t columns = dot.getResult().getType().getShape().back();
  int64_t row = right.getShape().back();
  auto slice = dot.getRhs().getDefiningOp<flatir::SliceOp>();
  bool isAligned = !ShapedType::isDynamic(row) && row % 8 == 0;
  if (slice && !right.hasStaticShape())
    return false;
  return left.getElementTypeBitWidth() == 16 &&
         left.getElementType() == right.getElementType() &&
         dot.getLhsContract().front() == k && size > 0 && size % 8 == 0 &&
         columns > 0 && (isAligned || (slice && isTensorView(dot, slice)));
}

static SmallVector<flatir::DotOp> contractionsOf(const Node *kernel) {
  SmallVector<flatir::DotOp> dots;
  for (Operation *op : kernel->ops)
    if (classOf(op) == OpClass::Dot)
      dots.push_back(cast<flatir::DotOp>(op));
  return dots;
}

/// What the kernel would need with `cone`.
static Demand demandWith(const FusionGraph &graph, const Node *kernel,
                         const OperandCone &cone) {
  Demand total;
  total.ops = kernel->ops.size() + cone.ops.size() + cone.copied.size();
  total.buffers = graph.inputs(kernel).size() + graph.outputs(kernel).size() +
                  cone.copied.size();
  for (ArrayRef<Operation *> ops :
       {ArrayRef(kernel->ops), cone.ops.getArrayRef()})
    for (Operation *op : ops)
      total.scalars += scalarCost(op) > 0;
  return total;
}

namespace {
/// Cycles of the whole device, roughly estimated.
struct Estimate {
  /// Times that each element is computed.
  int64_t times;
  double computing, multiplying, saved;

  double lost(const Machine &machine) const {
    return std::max(0.0, computing - multiplying) +
           std::min(computing, multiplying) * machine.prologueExposed +
           multiplying * machine.prologueStall;
  }
};
} // namespace

static Estimate estimate(const FusionGraph &graph, const OperandCone &cone,
                         ArrayRef<flatir::DotOp> dots) {
  constexpr int64_t columnsOfTile = 256;
  const Machine &machine = *graph.options.machine;
  auto multiprocessors = double(machine.multiprocessors);
  auto instructions = double(32 * machine.schedulers);
  flatir::DotOp dot = dots.front();
  int64_t columns = dot.getResult().getType().getShape().back() *
                    static_cast<int64_t>(dots.size());
  double elements = graph.elements(graph.sizes.get(dot.getLhs()));
  Estimate found;
  found.times = llvm::divideCeil(columns, columnsOfTile);
  found.computing = found.times * elements *
                    (cone.cost + machine.prologueInstructions) /
                    (multiprocessors * instructions);
  found.multiplying = 0;
  for (flatir::DotOp each : dots)
    found.multiplying += double(graph.multiplications(each)) /
                         (multiprocessors * double(machine.peakProducts));
  found.saved = 2.0 * graph.bytes(dot.getLhs()) / machine.prologueMemoryBytes +
                machine.prologueLaunchCycles;
  return found;
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

static void take(FusionGraph &graph, Node *kernel, const OperandCone &cone) {
  for (Operation *op : cone.ops) {
    // Nothing else reads it: no third kernel lies between.
    bool taken = graph.contract(graph.nodeOf(op), kernel);
    assert(taken && "an operation with one reader joins it");
    (void)taken;
    kernel->operandSide.insert(op);
  }
  for (Operation *op : cone.copied)
    kernel->operandSide.insert(graph.copyInto(op, kernel));
}

static void tryPrologue(FusionGraph &graph, Node *kernel) {
  flatir::DotOp dot = tensorDot(graph, kernel);
  Operation *made = dot ? dot.getLhs().getDefiningOp() : nullptr;
  if (!made || !isTaken(graph, dot) || !isPointwise(made))
    return;
  if (graph.options.hasFewRows(dot))
    return graph.remarkDeclined(
        made, kernel,
        "few rows: the tensor-core kernel uses swapAB and copies this operand "
        "from memory");
  SmallVector<flatir::DotOp> dots = contractionsOf(kernel);
  if (!llvm::all_of(dots, [&](flatir::DotOp each) {
        return each.getLhs() == dot.getLhs() && isTaken(graph, each);
      }))
    return;
  OperandCone cone(graph, kernel, dot);
  std::string problem = cone.gather();
  if (cone.ops.empty())
    problem = "it has other readers, or another kernel writes it";
  if (Demand demand = demandWith(graph, kernel, cone);
      problem.empty() && !demand.fits())
    problem = demand.describe();
  if (!problem.empty())
    return graph.remarkDeclined(
        made, kernel, "it cannot be a prologue on tensor cores: " + problem);
  Estimate cycles = estimate(graph, cone, dots);
  std::string text =
      "the prologue computes each element " + std::to_string(cycles.times) +
      " times, which costs about " +
      std::to_string(int64_t(cycles.lost(*graph.options.machine))) +
      " cycles and saves " + std::to_string(int64_t(cycles.saved));
  if (cycles.lost(*graph.options.machine) >= cycles.saved &&
      graph.options.tensorPrologues != FusionOptions::When::Always)
    return graph.remarkDeclined(made, kernel, text);
  graph.remarkFused(made, kernel, text);
  take(graph, kernel, cone);
}

void fusion::formPrologues(FusionGraph &graph) {
  if (graph.options.tensorPrologues == FusionOptions::When::Never)
    return;
  for (Node *node : graph.nodes())
    if (node->root == kernel::FusionRoot::Gemm && !node->ops.empty())
      tryPrologue(graph, node);
}
