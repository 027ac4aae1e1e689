//===- CpuFeatures.h - Features of this machine's processor -----*- C++ -*-===//
//
// Private to lib/Runtime.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_LIB_RUNTIME_CPUFEATURES_H
#define TRIPY_LIB_RUNTIME_CPUFEATURES_H

#include "tripy/Base/Status.h"

#include <string>
#include <string_view>

namespace tripy::runtime {

/// Ok when the processor and the operating system offer every one of the
/// features (LLVM's names, joined by commas); else ArchMismatch naming the
/// first that is missing and what to do.
Status checkCpuFeatures(std::string_view features);

/// "Intel(R) Xeon(R) ...".
std::string cpuName();

} // namespace tripy::runtime

#endif // TRIPY_LIB_RUNTIME_CPUFEATURES_H
