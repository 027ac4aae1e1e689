//===- InputText.h - What a tool asks of text before MLIR reads it -*- C++ -*-//
//
// MLIR's parser recurses into what it reads, expands aliases, and trusts
// bytecode. A cheap scan of the text refuses what would overflow the stack or
// the memory, so that no input crashes a tool. Tools and the compiler use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_PIPELINES_INPUTTEXT_H
#define TRIPY_PIPELINES_INPUTTEXT_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <optional>
#include <string>

namespace tripy {

/// The limits: brackets within each other (those of aliases included), aliases
/// that one alias and all uses together stand for, characters of an affine map
/// or set, whose parser recurses for each operator, characters of a decimal
/// number, which is read in cubic time (an f64 is exact with 767 digits), and
/// elements of a vector, or of the tensor of a tensor.from_elements: MLIR makes
/// a list with an entry for each.
constexpr unsigned maxNesting = 256;
constexpr uint64_t maxAliasUses = 1 << 16;
constexpr uint64_t maxTotalAliasUses = 1 << 26;
constexpr size_t maxAffineLength = 4096;
constexpr size_t maxNumberLength = 1024;
constexpr uint64_t maxListedElements = 1 << 16;

/// What is wrong with a text, and where.
struct InputTextError {
  size_t offset;
  std::string message;
};

/// Scans `text`, in linear time; none when MLIR may read it. MLIR's bytecode,
/// anywhere in the text, is refused unless `allowBytecode`: its reader is not
/// safe for untrusted input.
std::optional<InputTextError> checkInputText(llvm::StringRef text,
                                             bool allowBytecode = false);

/// Prints the error of checkInputText, with file, line and column, to standard
/// error.
llvm::LogicalResult verifyInputText(llvm::MemoryBufferRef buffer,
                                    bool allowBytecode = false);

} // namespace tripy

#endif // TRIPY_PIPELINES_INPUTTEXT_H
