//===- HoistDivisions.cpp - Divisions that vectorized loops run -----------===//

#include "HoistDivisions.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

static bool isDivision(const Instruction &instruction) {
  return instruction.isIntDivRem() && !instruction.getType()->isVectorTy();
}

/// Whether the division is defined for all dividends: by a constant.
static bool hasSafeDivisor(const Instruction &division) {
  auto *divisor = dyn_cast<ConstantInt>(division.getOperand(1));
  return divisor && !divisor->isZero() && !divisor->isMinusOne();
}

namespace {
/// The divisions of one loop.
class Hoisting {
public:
  Hoisting(Loop &loop, DominatorTree &dominators)
      : loop(loop), dominators(dominators),
        end(loop.getHeader()->getTerminator()) {}

  bool run();

private:
  bool isConditional(const Instruction &instruction) const {
    return !dominators.dominates(instruction.getParent(), loop.getLoopLatch());
  }
  bool canMove(Instruction &instruction);
  void move(Instruction &instruction);
  void makeSafe(Instruction &division);

  Loop &loop;
  DominatorTree &dominators;
  Instruction *end;
  /// What canMove() said.
  DenseMap<Instruction *, bool> movable;
};
} // namespace

/// Whether the instruction can be computed at the end of the loop's header,
/// after what it needs, once divisors are safe.
bool Hoisting::canMove(Instruction &instruction) {
  if (dominators.dominates(&instruction, end))
    return true;
  auto [it, isNew] = movable.try_emplace(&instruction, false);
  if (!isNew)
    return it->second;
  if (isa<PHINode>(instruction) || instruction.mayReadOrWriteMemory() ||
      (!isDivision(instruction) && !isSafeToSpeculativelyExecute(&instruction)))
    return false;
  bool can = all_of(instruction.operands(), [&](Value *operand) {
    auto *made = dyn_cast<Instruction>(operand);
    return !made || canMove(*made);
  });
  return movable[&instruction] = can;
}

void Hoisting::move(Instruction &instruction) {
  if (dominators.dominates(&instruction, end))
    return;
  for (Value *operand : instruction.operands())
    if (auto *made = dyn_cast<Instruction>(operand))
      move(*made);
  instruction.moveBefore(end->getIterator());
  if (isDivision(instruction))
    makeSafe(instruction);
  else
    // What the condition implied need not hold here.
    instruction.dropPoisonGeneratingAnnotations();
}

/// Replaces operands for which the division is undefined.
void Hoisting::makeSafe(Instruction &division) {
  division.dropPoisonGeneratingAnnotations();
  if (hasSafeDivisor(division))
    return;
  IRBuilder<> b(&division);
  Value *dividend = division.getOperand(0), *divisor = division.getOperand(1);
  auto frozen = [&](Value *value) {
    return isGuaranteedNotToBeUndefOrPoison(value) ? value
                                                   : b.CreateFreeze(value);
  };
  divisor = frozen(divisor);
  Value *one = ConstantInt::get(division.getType(), 1);
  if (division.getOpcode() == Instruction::UDiv ||
      division.getOpcode() == Instruction::URem) {
    division.setOperand(1,
                        b.CreateBinaryIntrinsic(Intrinsic::umax, divisor, one));
    return;
  }
  dividend = frozen(dividend);
  unsigned bits = division.getType()->getScalarSizeInBits();
  Value *overflows = b.CreateAnd(
      b.CreateICmpEQ(dividend, b.getInt(APInt::getSignedMinValue(bits))),
      b.CreateICmpEQ(divisor, Constant::getAllOnesValue(division.getType())));
  Value *isUndefined = b.CreateOr(b.CreateIsNull(divisor), overflows);
  division.setOperand(0, dividend);
  division.setOperand(1, b.CreateSelect(isUndefined, one, divisor));
}

bool Hoisting::run() {
  SmallVector<Instruction *> divisions;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block)
      if (isDivision(instruction) && isConditional(instruction))
        divisions.push_back(&instruction);
  for (Instruction *division : divisions) {
    if (canMove(*division)) {
      move(*division);
      continue;
    }
    // No function of the loop's counter, as far as the vectorizer can see: each
    // lane has an address of its own.
    IRBuilder<> b(division->getNextNode());
    auto *frozen = cast<FreezeInst>(b.CreateFreeze(division));
    division->replaceUsesWithIf(
        frozen, [&](Use &use) { return use.getUser() != frozen; });
  }
  return !divisions.empty();
}

PreservedAnalyses
tripy::target::HoistDivisionsPass::run(Function &function,
                                       FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  bool changed = false;
  for (Loop *loop : loops.getLoopsInPreorder())
    if (loop->isInnermost() && loop->getLoopLatch())
      changed |= Hoisting(*loop, dominators).run();
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
