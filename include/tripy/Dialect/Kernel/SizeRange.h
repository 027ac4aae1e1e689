//===- SizeRange.h - What a size may be -------------------------*- C++ -*-===//
//
// For the passes that plan kernels for sizes which only a run knows.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_KERNEL_SIZERANGE_H
#define TRIPY_DIALECT_KERNEL_SIZERANGE_H

#include "tripy/Base/SizeMath.h"

namespace tripy::kernel {

/// What a size may be by the profile, and what kernels are planned for.
struct SizeRange {
  Interval values;
  int64_t opt;

  bool isStatic() const { return values.lo == values.hi; }
};

} // namespace tripy::kernel

#endif // TRIPY_DIALECT_KERNEL_SIZERANGE_H
