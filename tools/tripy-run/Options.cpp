//===- Options.cpp - The command line of tripy-run ------------------------===//

#include "Options.h"
#include "tripy/Base/Text.h"

#include <charconv>
#include <cmath>

using namespace tripy;
using namespace tripy::run;

const char *const run::helpText =
    R"(usage: tripy-run MODEL.tpx [options]

Runs a compiled program and prints its outputs.

  --input [NAME=]SPEC      value of an input; NAME= may be left out if the
                           program has one input. SPEC is one of
                             @file.npy  @file.npz:key  @file.safetensors:key
                             ones zeros iota arange random, of the shape the
                             program is tuned for, or SHAPE, as in ones:3x2
                             2x3xf32=1,2,3,4,5,6
                             7, for an input that is a size: n=7
  --output [NAME=]@F.npy   write an output instead of printing it
  --expect [NAME=]@F.npy   compare an output with a reference; also @F.npz:key
                           and @F.safetensors:key
  --rtol R, --atol A       tolerance: |a - b| <= A + R * |b|  (1e-5, 1e-8)
  --weights F.safetensors  values of the program's parameters
  --device cpu|cuda:N      where to run; default: the device that it was
                           compiled for
  --threads N              threads on the CPU; default: one for each processor
  --seed N                 seed of 'random'
  --benchmark[=N]          time N runs (default 100) instead of printing outputs
  --warm-up=N              with --benchmark: untimed runs before the timed ones;
                           default: as many as timed runs, but at most 10
  --profile=why            print a table of the kernels with their times and
                           rates, and the lines that each comes from
  --json                   print the results of --benchmark, --profile=why and
                           --expect as one JSON object
  --info                   describe the program; nothing runs
  --why                    with --info: the lines that each kernel comes from
  --plugin-library F.so    load a shared library whose functions the program
                           may call; a program never loads a library by itself
  --no-host-code           refuse a program for the CPU instead of executing its
                           machine code
  --version, --help

The machine code in a program for the CPU is executed: run files you trust.
Exit status: 0 success, 1 an output differs from --expect, 2 an error.
)";

namespace {

Status usage(std::string message) {
  return Status(Code::InvalidArgument, std::move(message));
}

/// True for the type of a literal tensor: "2x3xf32", "f32".
bool isTensorType(std::string_view text) {
  size_t end = text.find_last_of('x');
  // The types' own names contain no 'x'.
  std::string_view type =
      end == std::string_view::npos ? text : text.substr(end + 1);
  if (!findDType(type, &DTypeInfo::mlir))
    return false;
  return text.substr(0, text.size() - type.size())
             .find_first_not_of("0123456789x") == std::string_view::npos;
}

NamedSpec splitSpec(std::string_view text) {
  // A name ends at the first '='; files and literal tensors may contain one
  // too.
  size_t equals = text.find('=');
  if (equals == std::string_view::npos || text.starts_with("@") ||
      isTensorType(text.substr(0, equals)))
    return {"", std::string(text)};
  return {std::string(text.substr(0, equals)),
          std::string(text.substr(equals + 1))};
}

Result<double> parseTolerance(std::string_view text, std::string_view what) {
  double value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() ||
      !(value >= 0) || std::isinf(value))
    return usage(concat(what, " must be a number of at least 0, but is '",
                        printable(text), "'"));
  return value;
}

/// Walks over the arguments.
class Parser {
public:
  explicit Parser(std::span<const char *const> arguments)
      : arguments(arguments) {}

  Result<Options> parse() {
    while (position < arguments.size()) {
      std::string_view argument = arguments[position++];
      Status status = argument.starts_with("-") && argument != "-"
                          ? parseOption(argument)
                          : parsePositional(argument);
      if (!status.isOk())
        return status;
    }
    if (options.help || options.version)
      return options;
    if (options.executable.empty())
      return usage("an executable must be given, as in 'tripy-run model.tpx'; "
                   "--help shows all options");
    if (options.json &&
        (options.info || (options.benchmark == 0 && !options.profileWhy &&
                          options.expects.empty())))
      return usage("--json needs --benchmark, --profile=why or --expect, and "
                   "does not go with --info");
    if (options.warmUp && options.benchmark == 0)
      return usage("--warm-up needs --benchmark");
    if (options.why && !options.info)
      return usage("--why needs --info; with times it is --profile=why");
    return options;
  }

private:
  Status parsePositional(std::string_view argument) {
    if (!options.executable.empty())
      return usage(concat("one executable must be given, but there are '",
                          printable(options.executable), "' and '",
                          printable(argument), "'"));
    if (argument.empty())
      return usage("the executable's name may not be empty");
    options.executable = argument;
    return Status::ok();
  }

  Status parseOption(std::string_view argument) {
    // One dash is as good as two.
    std::string_view name = argument.substr(argument.starts_with("--") ? 2 : 1);
    std::optional<std::string_view> value;
    if (size_t equals = name.find('='); equals != std::string_view::npos) {
      value = name.substr(equals + 1);
      name = name.substr(0, equals);
    }
    for (auto [flag, field] : flags)
      if (name == flag) {
        if (value)
          return usage(concat("--", flag, " takes no value"));
        options.*field = true;
        return Status::ok();
      }
    if (name == "benchmark")
      return parseBenchmark(value);
    bool known = false;
    for (std::string_view candidate : valued)
      known |= name == candidate;
    if (!known)
      return unknown(name);
    if (!value) {
      if (position == arguments.size())
        return usage(concat("--", name, " needs a value"));
      value = arguments[position++];
    }
    return parseValue(name, *value);
  }

  Status unknown(std::string_view name) {
    ClosestName closest(name);
    for (std::string_view candidate : valued)
      closest.consider(candidate);
    for (auto [flag, field] : flags)
      closest.consider(flag);
    closest.consider("benchmark");
    return usage(
        concat("unknown option '--", printable(name), "'",
               closest.best().empty()
                   ? std::string("; --help shows all options")
                   : concat("; did you mean '--", closest.best(), "'?")));
  }

  Status parseBenchmark(std::optional<std::string_view> value) {
    options.benchmark = 100;
    if (!value)
      return Status::ok();
    return store(parseUnsigned(*value, 1, 10000000, "--benchmark"),
                 options.benchmark);
  }

  template <typename Field> Status store(Result<uint64_t> value, Field &field) {
    if (!value)
      return value.status();
    field = Field(*value);
    return Status::ok();
  }
  Status store(Result<double> value, double &field) {
    if (!value)
      return value.status();
    field = *value;
    return Status::ok();
  }

  Status parseValue(std::string_view name, std::string_view value) {
    if (name == "input")
      options.inputs.push_back(splitSpec(value));
    else if (name == "output")
      options.outputs.push_back(splitSpec(value));
    else if (name == "expect")
      options.expects.push_back(splitSpec(value));
    else if (name == "weights")
      options.weights = value;
    else if (name == "plugin-library")
      options.pluginLibraries.emplace_back(value);
    else if (name == "rtol")
      return store(parseTolerance(value, "--rtol"), options.rtol);
    else if (name == "atol")
      return store(parseTolerance(value, "--atol"), options.atol);
    else if (name == "threads")
      return store(parseUnsigned(value, 1, 1024, "--threads"), options.threads);
    else if (name == "seed")
      return store(parseUnsigned(value, 0, UINT64_MAX, "--seed"), options.seed);
    else if (name == "warm-up")
      return parseWarmUp(value);
    else if (name == "profile")
      return parseProfile(value);
    else
      return parseDevice(value);
    return Status::ok();
  }

  Status parseWarmUp(std::string_view value) {
    options.warmUp.emplace();
    return store(parseUnsigned(value, 0, 10000000, "--warm-up"),
                 *options.warmUp);
  }

  Status parseProfile(std::string_view value) {
    if (value != "why")
      return usage(
          concat("--profile must be 'why', but is '", printable(value), "'"));
    options.profileWhy = true;
    return Status::ok();
  }

  Status parseDevice(std::string_view value) {
    if (value == "cpu") {
      options.device = DeviceKind::CPU;
      return Status::ok();
    }
    if (value != "cuda" && !value.starts_with("cuda:"))
      return usage(concat("--device must be cpu, cuda or cuda:N, but is '",
                          printable(value), "'"));
    options.device = DeviceKind::CUDA;
    if (value == "cuda")
      return Status::ok();
    return store(parseUnsigned(value.substr(5), 0, 1023, "the GPU of --device"),
                 options.ordinal);
  }

  static constexpr std::pair<std::string_view, bool Options::*> flags[] = {
      {"json", &Options::json}, {"info", &Options::info},
      {"why", &Options::why},   {"no-host-code", &Options::noHostCode},
      {"help", &Options::help}, {"version", &Options::version}};
  static constexpr std::string_view valued[] = {
      "input",  "output",  "expect", "rtol",    "atol",           "weights",
      "device", "threads", "seed",   "warm-up", "plugin-library", "profile"};

  std::span<const char *const> arguments;
  size_t position = 0;
  Options options;
};

} // namespace

Result<uint64_t> run::parseUnsigned(std::string_view text, uint64_t low,
                                    uint64_t high, std::string_view what) {
  uint64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low ||
      value > high)
    return usage(concat(what, " must be a whole number from ", low, " to ",
                        high, ", but is '", printable(text), "'"));
  return value;
}

Result<Options> run::parseOptions(std::span<const char *const> arguments) {
  return Parser(arguments).parse();
}
