//===- SingleLaneStores.h - Masked stores of one element --------*- C++ -*-===//
//
// An LLVM pass for host code, run last. Internal to the target library.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_TARGET_SINGLELANESTORES_H
#define TRIPY_LIB_TARGET_SINGLELANESTORES_H

#include "llvm/IR/PassManager.h"

namespace tripy::target {

/// A masked store whose mask is a constant with one true lane => a store of
/// that element.
///
/// With AVX-512, LLVM 22 writes too many bytes for it when the value was
/// truncated: the element before the truncation (llvm-project issue 179489).
class SingleLaneStoresPass : public llvm::PassInfoMixin<SingleLaneStoresPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tripy::target

#endif // TRIPY_LIB_TARGET_SINGLELANESTORES_H
