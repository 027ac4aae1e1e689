//===- SingleLaneStores.cpp - Masked stores of one element ----------------===//

#include "SingleLaneStores.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Analysis.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

/// The lane that alone is true, or none. An undefined lane may be false.
static std::optional<unsigned> onlyLane(Value *mask) {
  auto *constant = dyn_cast<Constant>(mask);
  auto *type = dyn_cast<FixedVectorType>(mask->getType());
  if (!constant || !type)
    return std::nullopt;
  std::optional<unsigned> only;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    Constant *element = constant->getAggregateElement(lane);
    if (!element)
      return std::nullopt;
    if (!element->isOneValue())
      continue;
    if (only)
      return std::nullopt;
    only = lane;
  }
  return only;
}

static bool rewrite(IntrinsicInst &store) {
  Value *value = store.getArgOperand(0), *address = store.getArgOperand(1);
  std::optional<unsigned> lane = onlyLane(store.getArgOperand(2));
  if (!lane || value->getType()->getScalarSizeInBits() % 8 != 0)
    return false;
  IRBuilder<> b(&store);
  Value *element = b.CreateExtractElement(value, *lane);
  uint64_t bytes =
      store.getDataLayout().getTypeStoreSize(element->getType()) * *lane;
  Align alignment = commonAlignment(store.getParamAlign(1).valueOrOne(), bytes);
  address = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), address, bytes);
  b.CreateAlignedStore(element, address, alignment)->copyMetadata(store);
  store.eraseFromParent();
  return true;
}

PreservedAnalyses
tripy::target::SingleLaneStoresPass::run(Function &function,
                                         FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
      if (call->getIntrinsicID() == Intrinsic::masked_store)
        changed |= rewrite(*call);
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
