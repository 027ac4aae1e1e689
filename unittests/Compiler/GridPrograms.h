//===- GridPrograms.h - A program for each upstream operation ---*- C++ -*-===//
#ifndef TRIPY_UNITTESTS_COMPILER_GRIDPROGRAMS_H
#define TRIPY_UNITTESTS_COMPILER_GRIDPROGRAMS_H

#include "mlir/Support/LLVM.h"

#include <string>
#include <vector>

namespace tripy::test {

/// A program that uses one operation. In the text, `$T` is the element type and
/// `$0` a zero of it.
struct GridProgram {
  std::string operation;
  std::string text;
};

/// At least one program for each operation of linalg and tensor that stands in
/// a block of tensors.
std::vector<GridProgram> gridPrograms();

/// Element types that MLIR can write.
llvm::ArrayRef<llvm::StringLiteral> gridTypes();

/// `program` for one element type.
std::string instantiate(const GridProgram &program, llvm::StringRef type);

} // namespace tripy::test

#endif // TRIPY_UNITTESTS_COMPILER_GRIDPROGRAMS_H
