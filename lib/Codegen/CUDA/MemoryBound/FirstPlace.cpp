//===- FirstPlace.cpp - Threads of argmax and argmin ----------------------===//
//
// A warp or a part of it has one of many rows, a block one of few. All vectors
// of a row whose length is known are loaded at once, if the registers of its
// threads have room for them.
//
//===----------------------------------------------------------------------===//

#include "FirstPlace.h"

#include "Codegen/CUDA/Common/EmitCUDA.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::codegen;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// What is such a kernel
//===----------------------------------------------------------------------===//

/// The only operation in front of the terminator of an element-wise generic
/// operation that computes `tensor`, or of the terminator alone.
static std::pair<linalg::GenericOp, Operation *> definition(Value tensor) {
  auto op = tensor.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumReductionLoops() > 0 || op.getNumResults() != 1)
    return {};
  Block &body = *op.getBlock();
  if (body.without_terminator().empty())
    return {op, body.getTerminator()};
  Operation *last = body.getTerminator()->getOperand(0).getDefiningOp();
  return {op, last};
}

/// What `tensor` has the rounded or repeated elements of.
static Value sourceOf(Value tensor) {
  while (true) {
    auto [op, scalar] = definition(tensor);
    if (!op || op.getNumDpsInputs() != 1 ||
        !isa<linalg::YieldOp, kernel::RoundOp>(scalar) ||
        !isa<BlockArgument>(scalar->getOperand(0)))
      return tensor;
    tensor = op.getDpsInputs().front();
  }
}

/// Whether `flags` tells where an element of `x` equals the `extreme` of its
/// row, or is NaN.
static bool isFound(Value flags, Value x, Value extreme) {
  auto [op, scalar] = definition(flags);
  if (!op || op.getNumDpsInputs() != 2)
    return false;
  Value lhs = op.getDpsInputs()[0], rhs = op.getDpsInputs()[1];
  if (isa<arith::OrIOp>(scalar))
    return (isFound(lhs, x, extreme) && isFound(rhs, x, x)) ||
           (isFound(rhs, x, extreme) && isFound(lhs, x, x));
  if (lhs != x || sourceOf(rhs) != extreme ||
      !op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isIdentity())
    return false;
  if (auto compare = dyn_cast<arith::CmpFOp>(scalar))
    return compare.getPredicate() ==
           (x == extreme ? CmpFPredicate::UNE : CmpFPredicate::OEQ);
  auto compare = dyn_cast<arith::CmpIOp>(scalar);
  return compare && x != extreme && compare.getPredicate() == CmpIPredicate::eq;
}

/// Whether `tensor` has the number of each element along the last dimension.
static bool isNumbers(Value tensor) {
  auto [op, scalar] = definition(tensor);
  while (scalar && isa<arith::IndexCastOp, arith::TruncIOp>(scalar))
    scalar = scalar->getOperand(0).getDefiningOp();
  auto index = dyn_cast_if_present<linalg::IndexOp>(scalar);
  return index && index.getDim() + 1 == op.getNumLoops();
}

/// Whether `place` is the least number of the elements of `x` that are the
/// `extreme` of their row.
static bool isFirstPlace(linalg::GenericOp place, Value x, Value extreme) {
  if (!isa_and_present<arith::MinSIOp>(combinerOf(place)) ||
      place.getNumDpsInputs() != 1)
    return false;
  auto [op, scalar] = definition(place.getDpsInputs().front());
  auto select = dyn_cast_if_present<arith::SelectOp>(scalar);
  APInt none;
  return select && op.getNumDpsInputs() == 2 &&
         select.getCondition() == op.getBlock()->getArgument(0) &&
         select.getTrueValue() == op.getBlock()->getArgument(1) &&
         matchPattern(select.getFalseValue(), m_ConstantInt(&none)) &&
         none.isMaxSignedValue() && isFound(op.getDpsInputs()[0], x, extreme) &&
         isNumbers(op.getDpsInputs()[1]);
}

/// Whether `op` reduces the last dimension of an argument, and nothing else.
static bool reducesRows(linalg::GenericOp op) {
  Operation *combiner = combinerOf(op);
  if (!isa_and_present<arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp,
                       arith::MinSIOp>(combiner) ||
      op.getBlock()->getOperations().size() != 2)
    return false;
  SmallVector<unsigned> reduced = loopDims(op).reduction;
  return op.getNumDpsInputs() == 1 && reduced.size() == 1 &&
         reduced.front() + 1 == op.getNumLoops() &&
         isa<BlockArgument>(op.getDpsInputs().front()) &&
         op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isIdentity();
}

bool codegen::findsFirstPlaces(ArrayRef<linalg::GenericOp> reductions) {
  if (reductions.size() != 2)
    return false;
  linalg::GenericOp extreme = reductions[0];
  return reducesRows(extreme) &&
         isFirstPlace(reductions[1], extreme.getDpsInputs().front(),
                      extreme.getResult(0));
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// Threads of a block of many rows, of a block of few short ones at least, and
/// of a row at most; vectors of a row that a warp or a part of it has at most,
/// and of a row of few that a part of a warp has.
static constexpr int64_t manyThreads = 256, fewThreads = 64, longThreads = 512,
                         vectorsOfWarp = 256, vectorsOfPart = 64;
/// Lanes of a row: an element before its first vector is one lane's.
static constexpr int64_t minLanes = 8;
/// Vectors of a thread where a block has one of few rows, at least, and
/// registers for those that it keeps, at most.
static constexpr int64_t heldOfFew = 2, maxRegisters = 32;

/// Of a vector, as it is kept: elements of 16 bits in pairs.
static int64_t registersOf(Type element, int64_t vectorSize) {
  bool isPacked = (element.isF16() || element.isBF16()) && vectorSize % 2 == 0;
  int64_t words = llvm::divideCeil(element.getIntOrFloatBitWidth(), 32);
  return isPacked ? vectorSize / 2 : vectorSize * words;
}

/// Blocks and parts of warps for few rows of `vectors` vectors.
static void planFew(FirstPlacePlan &plan, const RowFacts &facts,
                    int64_t vectors, const CudaChip &chip) {
  if (vectors > vectorsOfPart) {
    int64_t held =
        std::max<int64_t>(heldOfFew, llvm::divideCeil(vectors, longThreads));
    plan.threads = llvm::alignTo(llvm::divideCeil(vectors, held), 32);
    plan.rowsPerBlock = 1;
    return;
  }
  while (plan.blockThreads() > fewThreads &&
         *facts.rows < plan.rowsPerBlock * chip.multiprocessors)
    plan.rowsPerBlock /= 2;
}

std::optional<FirstPlacePlan> codegen::planFirstPlaces(const RowFacts &facts,
                                                       Type element,
                                                       const CudaChip &chip) {
  int64_t v = facts.vectorSize;
  if (!facts.rows || !facts.columns || *facts.columns < v * minLanes)
    return std::nullopt;
  FirstPlacePlan plan;
  int64_t vectors = *facts.columns / v;
  plan.threads = manyThreads;
  if (vectors <= vectorsOfWarp)
    plan.threads = std::clamp<int64_t>(llvm::bit_floor(uint64_t(vectors / 2)),
                                       minLanes, 32);
  plan.rowsPerBlock = manyThreads / plan.threads;
  bool areFew = *facts.rows < plan.rowsPerBlock * chip.multiprocessors;
  if (areFew)
    planFew(plan, facts, vectors, chip);
  plan.held = llvm::divideCeil(vectors, plan.threads);
  bool isHeld = facts.maxColumns == 0 &&
                plan.held * registersOf(element, v) <= maxRegisters;
  if (!isHeld)
    plan.held = 0;
  // Few long rows have clusters, and others that are not kept are read twice.
  if (areFew &&
      (!isHeld || planRows(facts, chip, chip.hasClusters()).blocks > 1))
    return std::nullopt;
  return plan;
}
