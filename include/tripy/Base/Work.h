//===- Work.h - What a launch has to do -------------------------*- C++ -*-===//
//
// The least that a launch moves and computes, whatever its kernel does: each
// byte of its tensors once, each operation of the program once. Divided by its
// time, this is what is compared with what a machine can do. Base only.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_BASE_WORK_H
#define TRIPY_BASE_WORK_H

#include "tripy/Base/Program.h"

#include <map>
#include <span>
#include <utility>

namespace tripy {

struct Work {
  /// Bytes.
  double read = 0, written = 0;
  /// Floating-point operations by kind, Arithmetic or products, and by the
  /// element type of what is multiplied (F32 for Arithmetic).
  std::map<std::pair<WorkKind, DType>, double> operations;

  double bytes() const { return read + written; }
  double allOperations() const;
  Work &operator+=(const Work &other);
};

/// The work of a launch of a verified `program`; `sizes` holds the value of
/// each of its expressions.
Work workOf(const Program &program, const Launch &launch,
            std::span<const int64_t> sizes);

} // namespace tripy

#endif // TRIPY_BASE_WORK_H
