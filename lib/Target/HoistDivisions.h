//===- HoistDivisions.h - Divisions that vectorized loops run ---*- C++ -*-===//
//
// An LLVM pass for host code, run in front of the vectorizer. Internal to the
// target library.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_TARGET_HOISTDIVISIONS_H
#define TRIPY_LIB_TARGET_HOISTDIVISIONS_H

#include "llvm/IR/PassManager.h"

namespace tripy::target {

/// Moves divisions and remainders out of the conditional blocks of innermost
/// loops. A divisor that may be 0 becomes 1 where it is, and so does -1 where
/// the quotient would overflow: elsewhere the result was used by nobody.
///
/// LLVM 22's loop vectorizer computes such a division in the first lane alone,
/// under that lane's condition, when an address of consecutive elements follows
/// from it. A masked load then takes an undefined address when the first lane
/// is off and another is on.
class HoistDivisionsPass : public llvm::PassInfoMixin<HoistDivisionsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tripy::target

#endif // TRIPY_LIB_TARGET_HOISTDIVISIONS_H
