//===- Report.h - Programs and their reasons as text ------------*- C++ -*-===//
//
// Prints signatures and the lines that something comes from. For messages of
// the runtime and for tools; depends on Base only.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_RUNTIME_REPORT_H
#define TRIPY_RUNTIME_REPORT_H

#include "tripy/Base/Program.h"

#include <span>
#include <string>

namespace tripy::runtime {

/// "(1..4, 2)": the sizes that a tensor may have.
std::string formatDims(const Program &program, std::span<const Index> dims);

/// The user's lines of a why, in the layout
///   --> file:line in operation
///         |
///      11 |   return a + b;
///         |            ^
///       note: reason
/// Each line ends with a newline. Source text is shown when `showSource` is set
/// and the file can be read; only regular files of at most 16 MiB are opened.
/// `why` may be noIndex.
std::string formatWhy(const Program &program, Index why, bool showSource);

/// Everything a user asks about a program: device, inputs, outputs, memory,
/// kernels. Ends with a newline.
std::string formatProgram(const Program &program);

} // namespace tripy::runtime

#endif // TRIPY_RUNTIME_REPORT_H
