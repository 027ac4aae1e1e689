//===- OutputFiles.h - Which files may be written ---------------*- C++ -*-===//
//
// For tools that write several files, or beside files that they read. Base
// only; anyone may use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_OUTPUTFILES_H
#define TRIPY_BASE_OUTPUTFILES_H

#include "tripy/Base/Status.h"

#include <span>
#include <string>

namespace tripy {

/// Checks that `outputs` are different files, and none of `sources`, however
/// they are spelled. Errors: InvalidArgument.
Status checkOutputFiles(std::span<const std::string> outputs,
                        std::span<const std::string> sources);

} // namespace tripy

#endif // TRIPY_BASE_OUTPUTFILES_H
