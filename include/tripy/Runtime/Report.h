//===- Report.h - Programs and their reasons as text ------------*- C++ -*-===//
//
// Prints signatures and the lines that something comes from. For messages of
// the runtime and for tools; depends on Base only.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_RUNTIME_REPORT_H
#define TRIPY_RUNTIME_REPORT_H

#include "tripy/Base/Program.h"

#include <optional>
#include <span>
#include <string>

namespace tripy::runtime {

/// "(1..4, 2)": the sizes that a tensor may have.
std::string formatDims(const Program &program,
                       std::span<const TableIndex> dims);

/// Line `number` (from 1) of a file, without line end and what is not safe to
/// print; none where there is no text. Only regular files of at most 16 MiB are
/// opened.
std::optional<std::string> readSourceLine(const std::string &path,
                                          uint32_t number);

/// "in trace.add of main()", with a space in front; empty where neither is
/// known.
std::string formatPlaceName(const WhyLine &line);

/// The user's lines of a why, each with the calls that led to it, in the layout
///   --> file:line in operation of function()
///         |
///      11 |   return a + b;
///         |            ^
///       note: reason
///   called from: --> file:line in function()
/// Each line ends with a newline. Source text is shown when `showSource` is set
/// and the file can be read. `why` may be noIndex.
std::string formatWhy(const Program &program, TableIndex why, bool showSource);

/// Where an input is defined, and its sizes in `sizes`, which holds the value
/// of each of Program::exprs:
///   input 'x' of shape (2, 3): --> file:line in function()
std::string formatInput(const Program &program, TableIndex input,
                        std::span<const int64_t> sizes, bool showSource);

/// Where the sizes come from that `check` compares: formatInput() of the inputs
/// that decide them, those that are compared themselves first, and the operands
/// of the operation that required it.
std::string formatOrigins(const Program &program, const SizeCheck &check,
                          std::span<const int64_t> sizes, bool showSource);

/// Everything a user asks about a program: device, inputs, outputs, memory,
/// kernels. Ends with a newline.
std::string formatProgram(const Program &program);

} // namespace tripy::runtime

#endif // TRIPY_RUNTIME_REPORT_H
