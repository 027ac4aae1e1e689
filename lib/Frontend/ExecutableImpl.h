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
  /// Where a program comes from.
  struct Origin {
    /// It is described and saved only, where it is for another machine.
    bool mayBeElsewhere = false;
    /// Its lines are this program's own: errors quote them.
    bool isCompiledHere = false;
  };
  /// Loads the bytes of a file and binds the weights. Throws Error at `loc`.
  Impl(std::vector<uint8_t> bytes, std::vector<frontend::NamedStorage> weights,
       Origin origin, SourceLoc loc);

  std::vector<uint8_t> bytes;
  std::vector<frontend::NamedStorage> weights;
  std::shared_ptr<runtime::Executable> loaded;
  std::shared_ptr<frontend::CompiledProgram> program;
  std::vector<std::string> resultNames;
  Device device;
  /// Why it cannot run here.
  Status elsewhere;
};

} // namespace tripy

#endif // TRIPY_LIB_FRONTEND_EXECUTABLEIMPL_H
