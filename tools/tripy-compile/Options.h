//===- Options.h - The command line of tripy-compile ------------*- C++ -*-===//
//
// Private to tripy-compile.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TOOLS_TRIPYCOMPILE_OPTIONS_H
#define TRIPY_TOOLS_TRIPYCOMPILE_OPTIONS_H

#include "Remarks.h"

#include "tripy/Base/Status.h"
#include "tripy/Compiler/Compiler.h"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tripy::compile {

struct Options {
  std::string input, output, weights;
  CompileOptions compiler;
  StopAfter stop = StopAfter::None;
  /// NAME and SPEC of --input and --result.
  std::vector<std::pair<std::string, std::string>> inputs, results;
  uint64_t seed = 0;
  /// GPU to tune on.
  std::optional<int32_t> tune;
  /// Tiles of a kernel; calls in a graph (0: by size); replays.
  uint32_t tuneCandidates = 8, tuneCopies = 0, tuneRuns = 30;
  /// What was measured, as JSON; or empty.
  std::string tuneReport;
  /// What is printed of the fusion pass's decisions, and where all go as YAML.
  RemarkChoice remarks = RemarkChoice::None;
  std::string remarksFile;
  bool evaluate = false, timing = false, progress = false, reportWhy = false;
  bool allowBytecode = false, noCache = false;
  bool noVerify = false, strictShapes = false;
  /// Without a child process, for debuggers.
  bool inProcess = false;
  /// Of the child process; with --tune time is limited only when asked for.
  std::optional<uint64_t> memoryLimit, timeLimit;
  /// The GPU whose constants are printed.
  std::optional<std::string> printMachine;
  bool help = false, version = false;
};

/// Reads the arguments after the program's name. Errors: InvalidArgument, one
/// sentence that names the argument.
Result<Options> parseOptions(std::span<const char *const> arguments);

/// Whether the target goes with the other options. A program's text may say
/// which target it is for; asked once that is known. Errors: InvalidArgument.
Status checkTarget(const Options &options);

std::string helpText();

} // namespace tripy::compile

#endif // TRIPY_TOOLS_TRIPYCOMPILE_OPTIONS_H
