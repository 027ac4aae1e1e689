//===- InputFile.h - Files of IR, read and not mapped -----------*- C++ -*-===//
//
// For the tools.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_PIPELINES_INPUTFILE_H
#define TRIPY_PIPELINES_INPUTFILE_H

#include "tripy/Base/Status.h"

#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace tripy {

/// The contents of a regular file of text or bytecode. LLVM would map it, and a
/// file that becomes shorter meanwhile would end the process. Errors: those of
/// InputFile, HostOutOfMemory.
Result<std::unique_ptr<llvm::MemoryBuffer>>
readInputFile(const std::string &path);

} // namespace tripy

#endif // TRIPY_PIPELINES_INPUTFILE_H
