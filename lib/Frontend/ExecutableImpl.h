//===- ExecutableImpl.h - A compiled function, loaded -----------*- C++ -*-===//
//
// Private to the frontend.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_FRONTEND_EXECUTABLEIMPL_H
#define TRIPY_LIB_FRONTEND_EXECUTABLEIMPL_H

#include "ProgramCache.h"
#include "TensorFile.h"

#include "tripy/Frontend/Executable.h"

namespace tripy {

struct Executable::Impl {
  /// Loads the bytes of a file and binds the weights. A program for another
  /// machine, where it `mayBeElsewhere`, is described and saved only. Throws
  /// Error at `loc`.
  Impl(std::vector<uint8_t> bytes, std::vector<frontend::NamedStorage> weights,
       bool mayBeElsewhere, SourceLoc loc);

  std::vector<uint8_t> bytes;
  std::vector<frontend::NamedStorage> weights;
  std::shared_ptr<runtime::Executable> loaded;
  std::shared_ptr<frontend::CompiledProgram> program;
  Device device;
  /// Why it cannot run here.
  Status elsewhere;
};

} // namespace tripy

#endif // TRIPY_LIB_FRONTEND_EXECUTABLEIMPL_H
