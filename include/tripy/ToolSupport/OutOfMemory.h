//===- OutOfMemory.h - What a tool says without memory ----------*- C++ -*-===//
//
// MLIR and LLVM end the process when an allocation fails. A tool that makes one
// of these in its first lines ends with one sentence and a status instead of a
// stack and a signal. Tools use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_PIPELINES_OUTOFMEMORY_H
#define TRIPY_PIPELINES_OUTOFMEMORY_H

namespace tripy {

/// Prints "`tool`: error: no memory" and ends the process with status 1 when
/// memory ends; its temporary files are removed.
class OutOfMemoryHandler {
public:
  /// `tool` is a literal. One of these in a process.
  explicit OutOfMemoryHandler(const char *tool);
};

} // namespace tripy

#endif // TRIPY_PIPELINES_OUTOFMEMORY_H
