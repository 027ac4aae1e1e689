//===- Options.h - The command line of tripy-run ----------------*- C++ -*-===//
//
// Private to tripy-run and its tests.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TOOLS_TRIPYRUN_OPTIONS_H
#define TRIPY_TOOLS_TRIPYRUN_OPTIONS_H

#include "tripy/Base/Program.h"
#include "tripy/Base/Status.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tripy::run {

/// "NAME=SPEC", or "SPEC" alone with an empty name.
struct NamedSpec {
  std::string name, spec;
};

struct Options {
  std::string executable;
  std::vector<NamedSpec> inputs, outputs, expects;
  double rtol = 1e-5, atol = 1e-8;
  std::string weights;
  /// Shared libraries that the program may call.
  std::vector<std::string> pluginLibraries;
  /// None: the executable's own.
  std::optional<DeviceKind> device;
  int32_t ordinal = 0;
  uint32_t threads = 0;
  /// Timed runs; 0: no benchmark.
  uint32_t benchmark = 0;
  /// Runs before them; none: as many, but 10 at most.
  std::optional<uint32_t> warmUp;
  bool json = false;
  bool profileWhy = false;
  bool info = false;
  /// With info: the lines that kernels come from.
  bool why = false;
  /// Refuse programs for the CPU, which are machine code.
  bool noHostCode = false;
  uint64_t seed = 0;
  bool help = false, version = false;
};

/// Reads the arguments after the program's name. Errors: InvalidArgument, one
/// sentence that names the argument.
Result<Options> parseOptions(std::span<const char *const> arguments);

extern const char *const helpText;

/// A decimal number from `low` to `high`; `what` names it in the message.
Result<uint64_t> parseUnsigned(std::string_view text, uint64_t low,
                               uint64_t high, std::string_view what);

} // namespace tripy::run

#endif // TRIPY_TOOLS_TRIPYRUN_OPTIONS_H
