//===- SourceLoc.h - A place in the user's program --------------*- C++ -*-===//
//
// Where a call stands. Functions of Tripy take it as their last parameter,
// whose default is the caller's line.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_FRONTEND_SOURCELOC_H
#define TRIPY_FRONTEND_SOURCELOC_H

#include <cstdint>
#include <source_location>

namespace tripy {

/// A line of the user's program. The texts live as long as the program; lines
/// and columns count from 1, 0 is unknown.
struct SourceLoc {
  const char *file = "";
  /// Without parameters: "forward".
  const char *function = "";
  uint32_t line = 0, column = 0;

  static constexpr SourceLoc
  current(std::source_location where = std::source_location::current(),
          const char *function = __builtin_FUNCTION()) {
    return {where.file_name(), function, where.line(), where.column()};
  }
};

} // namespace tripy

#endif // TRIPY_FRONTEND_SOURCELOC_H
