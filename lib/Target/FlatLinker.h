//===- FlatLinker.h - Objects to one position-independent block -*- C++ -*-===//
//
// Private to lib/Target. Links x86-64 ELF objects made by LLVM into a block of
// bytes that runs wherever it is mapped, read and execute.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_TARGET_FLATLINKER_H
#define TRIPY_LIB_TARGET_FLATLINKER_H

#include "tripy/Base/Status.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tripy::target {

struct LinkedCode {
  std::vector<uint8_t> bytes;
  /// Offset of each entry point within `bytes`.
  std::vector<uint64_t> entries;
};

/// Lays out what the `entries` reach: code, then constants. Errors:
/// Unsupported (writable data, a symbol that no object defines, a relocation
/// that needs a loader; the sentence names it), Malformed (an object that is
/// none).
Result<LinkedCode> linkFlat(llvm::ArrayRef<llvm::StringRef> objects,
                            llvm::ArrayRef<std::string> entries);

/// Symbols that the objects use and none defines.
Result<std::vector<std::string>>
undefinedSymbols(llvm::ArrayRef<llvm::StringRef> objects);

} // namespace tripy::target

#endif // TRIPY_LIB_TARGET_FLATLINKER_H
