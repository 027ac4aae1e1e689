//===- SourceText.h - Lines of source files for diagnostics -----*- C++ -*-===//
//
// Reads source files when they are needed, and cuts excerpts that fit into a
// terminal. Used by Diagnostics.cpp and by tools that print lines themselves.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_PIPELINES_SOURCETEXT_H
#define TRIPY_PIPELINES_SOURCETEXT_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>
#include <string>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace tripy {

/// One line as it is printed, and what to print below.
struct Excerpt {
  std::string line;
  /// "   ^~~~", or "".
  std::string marker;
};

/// Makes the excerpt of a line of text. `column` and `endColumn` count bytes
/// from 1 and 0 is unknown; the end is exclusive, and without it the word at
/// `column` is marked. Tabs become spaces, what cannot be printed becomes '?',
/// and of a long line the part around the column is taken.
Excerpt makeExcerpt(llvm::StringRef line, unsigned column,
                    unsigned endColumn = 0);

/// The files that diagnostics name. A program says where its operations come
/// from, so that a stranger's may name any file: lines are shown of the buffers
/// of `sources`, of the files `named` on the command line, and of files below
/// the working folder, wherever symbolic links lead.
class SourceText {
public:
  explicit SourceText(const llvm::SourceMgr *sources,
                      llvm::ArrayRef<std::string> named = {});

  /// Line `line` (from 1) of a file; none when the file may not be shown, when
  /// there is no such regular file of at most 16 MiB, or no such line.
  std::optional<llvm::StringRef> getLine(llvm::StringRef file, unsigned line);

private:
  llvm::StringRef getText(llvm::StringRef file);
  bool mayShow(llvm::StringRef file) const;

  /// The working folder, and the files named, without symbolic links.
  std::string folder;
  llvm::SmallVector<std::string> named;
  const llvm::SourceMgr *sources;
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> files;
};

} // namespace tripy

#endif // TRIPY_PIPELINES_SOURCETEXT_H
