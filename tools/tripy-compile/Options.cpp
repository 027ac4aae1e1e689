//===- Options.cpp - The command line of tripy-compile --------------------===//

#include "Options.h"

#include "../tripy-run/Options.h"

#include "tripy/Base/Text.h"
#include "tripy/ToolSupport/ChildProcess.h"

#include "llvm/ADT/StringExtras.h"

#include <charconv>
#include <cstdlib>

using namespace tripy;
using namespace tripy::compile;

static constexpr std::string_view helpHead =
    R"(usage: tripy-compile MODEL.mlir -o MODEL.tpx [options]

Compiles a function of trace, flatir or linalg operations to an executable
file.

  MODEL.mlir               MLIR text, which may be the output of --stop-after;
                           "-" reads standard input
  -o FILE                  the file to write; "-" is standard output
  --target=cpu|cuda[:ARCH] default: the target that the output of --stop-after
                           names, else cpu; cuda alone is cuda:sm_90a
  --cpu=NAME               processor: native (default), x86-64-v3, ...
  --function=NAME          the function to compile; default: main
  --weights=F.safetensors  values of the parameters, which become part of the
                           executable
  --stop-after=LEVEL       stop after this level and print the program: trace,
                           flatir, dispatches, linalg, schedules, tiles,
                           kernels, plan, llvm, all of which can be compiled
                           further, and ptx (cuda) or asm (cpu)
  --evaluate               run the program on the reference evaluator instead of
                           compiling it
  --input [NAME=]SPEC      with --evaluate: the value of an input, as for
                           tripy-run: @x.npy, ones, iota:2x3, ...
  --result [NAME=]@F.npy   with --evaluate: write a result instead of printing
  --seed N                 with --evaluate: seed of 'random'
  --cache-dir=DIR          cache GPU code in DIR; default: $TRIPY_CACHE_DIR,
                           $XDG_CACHE_HOME/tripy or ~/.cache/tripy
  --cache-size=SIZE        maximum size of the cache in bytes, such as 512M;
                           default: $TRIPY_CACHE_SIZE or 1G
  --no-cache               do not use the cache
  --backend=own|auto|libraries
                           what computes matrix products on CUDA: Tripy's own
                           kernels (own, the default), cuBLASLt where a cost
                           model expects it to be faster (auto), or cuBLASLt
                           wherever it can (libraries); own kernels are used
                           where cuBLASLt is missing at run time
)";
// Here come textOptions() and switchOptions().
static constexpr std::string_view helpTail =
    R"(  --tune=cuda:N            first measure schedules of the tensor-core
                           kernels on this GPU and record the fastest in the
                           tuning file; default: tuning.txt in the cache's
                           folder; with --backend=auto measure cuBLASLt as well
  --tune-report=F.json     with --tune: write all measurements
  --tune-candidates=N      with --tune: schedules to try for each kernel;
                           default: 8
  --tune-copies=N          with --tune: calls of a kernel in one CUDA graph;
                           default: by size
  --tune-runs=N            with --tune: replays of that graph; default: 30
  --strict-shapes          make it an error, not a warning, if the profile
                           allows sizes that the program refuses when it runs
  --report-why             print the kernels with the lines they come from
  --remarks[=missed|all]   print which operations were fused, and which kernels
                           were not, why, and what that costs; missed: only
                           those that were not fused
  --remarks-file=F.yaml    write all remarks as YAML
  --print-machine[=ARCH]   print the GPU constants that the compiler assumes;
                           default: for the target
  --timing                 print where compile time goes, and the slowest kernels
  --progress               print the current step, and how many of the kernels
                           have passed it
  --no-verify              do not verify the program at the end of each level
  --memory-limit=SIZE      memory that a compilation may use, such as 8G, or
                           none; default: half of the machine's memory
  --time-limit=SECONDS     time that a compilation may take, or none; default:
                           1800; with --tune: none
  --in-process             compile in the tool's own process, without limits, for
                           debugging
  --allow-bytecode         read MLIR bytecode, whose reader is not safe for
                           untrusted input
  --version, --help

Exit status: 0 success, 1 the program cannot be compiled, 2 wrong usage, 3 the
compiler crashed or exceeded a limit.
)";

/// A line of help, broken before column 80 into several.
static void addHelp(std::string &text, const std::string &name,
                    std::string_view summary) {
  constexpr size_t column = 27, width = 79;
  std::string line = concat("  ", name);
  // A long name has a line of its own.
  if (line.size() + 2 > column) {
    text += line + "\n";
    line.clear();
  }
  line.resize(column, ' ');
  for (llvm::StringRef word : llvm::split(llvm::StringRef(summary), ' ')) {
    if (line.size() > column && line.size() + 1 + word.size() > width) {
      text += line + "\n";
      line.assign(column, ' ');
    }
    line += (line.size() > column ? " " : "") + word.str();
  }
  text += line + "\n";
}

std::string compile::helpText() {
  std::string text(helpHead);
  for (const TextOption &row : textOptions())
    addHelp(text, concat("--", row.name, "=", row.placeholder), row.summary);
  for (const SwitchOption &row : switchOptions())
    addHelp(text, concat("--", row.name), row.summary);
  return text.append(helpTail);
}

namespace {

struct NamedStop {
  std::string_view name;
  StopAfter stop;
};

} // namespace

static constexpr NamedStop stops[] = {
    {levelName(Level::Trace), StopAfter::Trace},
    {levelName(Level::FlatIR), StopAfter::FlatIR},
    {levelName(Level::Dispatches), StopAfter::Dispatches},
    {levelName(Level::Linalg), StopAfter::Linalg},
    {levelName(Level::Schedules), StopAfter::Schedules},
    {levelName(Level::Tiles), StopAfter::Tiles},
    {levelName(Level::Kernels), StopAfter::Kernels},
    {levelName(Level::Plan), StopAfter::Plan},
    {levelName(Level::LLVM), StopAfter::LLVM},
    {"ptx", StopAfter::PTX},
    {"asm", StopAfter::Assembly},
};

static constexpr std::string_view valued[] = {
    "o",           "target",     "cpu",     "function",     "weights",
    "stop-after",  "input",      "result",  "output",       "seed",
    "cache-dir",   "cache-size", "tune",    "tune-report",  "tune-candidates",
    "tune-copies", "tune-runs",  "backend", "memory-limit", "time-limit",
    "remarks-file"};

static constexpr std::pair<std::string_view, bool Options::*> flags[] = {
    {"evaluate", &Options::evaluate},
    {"timing", &Options::timing},
    {"progress", &Options::progress},
    {"report-why", &Options::reportWhy},
    {"allow-bytecode", &Options::allowBytecode},
    {"in-process", &Options::inProcess},
    {"no-cache", &Options::noCache},
    {"no-verify", &Options::noVerify},
    {"strict-shapes", &Options::strictShapes},
    {"help", &Options::help},
    {"version", &Options::version},
};

static Status usage(std::string message) {
  return Status(Code::InvalidArgument, std::move(message));
}

/// "NAME=SPEC"; a SPEC without name starts with '@' or a digit, or has no '='.
static std::pair<std::string, std::string> splitSpec(std::string_view text) {
  size_t equals = text.find('=');
  bool literal =
      !text.empty() && (text[0] == '@' || (text[0] >= '0' && text[0] <= '9'));
  for (const DTypeInfo &info : dtypeTable)
    literal |= text.substr(0, equals) == info.mlir;
  if (equals == std::string_view::npos || literal)
    return {"", std::string(text)};
  return {std::string(text.substr(0, equals)),
          std::string(text.substr(equals + 1))};
}

static Status setStop(Options &options, std::string_view value) {
  ClosestName closest(value);
  std::string names;
  for (const NamedStop &row : stops) {
    closest.consider(row.name);
    names += concat(names.empty() ? "" : ", ", row.name);
    if (row.name == value) {
      options.stop = row.stop;
      return Status::ok();
    }
  }
  return usage(concat("--stop-after must name a level (", names, "), but is '",
                      printable(value), "'", closest.suggestion()));
}

static Status setBackend(Options &options, std::string_view value) {
  std::optional<Backends> backends = parseBackends(value);
  if (!backends)
    return usage(
        concat("--backend must be 'own', 'auto' or 'libraries', but is "
               "'",
               printable(value), "'"));
  options.compiler.backends = *backends;
  return Status::ok();
}

static Status setSeed(Options &options, std::string_view value) {
  auto [end, error] =
      std::from_chars(value.data(), value.data() + value.size(), options.seed);
  if (error != std::errc() || end != value.data() + value.size())
    return usage(concat("--seed must be a number from 0 to 2^64 - 1, but is '",
                        printable(value), "'"));
  return Status::ok();
}

static Status setCacheSize(Options &options, std::string_view value) {
  Result<uint64_t> bytes = target::parseCacheSize(value);
  if (!bytes)
    return Status(bytes.status()).withContext("--cache-size");
  options.compiler.cache.bytes = *bytes;
  return Status::ok();
}

/// "cuda" or "cuda:N".
static Status setTune(Options &options, std::string_view value) {
  std::string_view number = value == "cuda" ? "0" : value;
  if (value != "cuda" && !value.starts_with("cuda:"))
    return usage(concat("--tune must name a GPU, such as cuda:0, but is '",
                        printable(value), "'"));
  if (value != "cuda")
    number.remove_prefix(5);
  Result<uint64_t> ordinal =
      run::parseUnsigned(number, 0, 1023, "the GPU of --tune");
  if (!ordinal)
    return ordinal.status();
  options.tune = int32_t(*ordinal);
  return Status::ok();
}

/// How much --tune measures.
static Status setTuneNumber(Options &options, std::string_view name,
                            std::string_view value) {
  Result<uint64_t> number =
      run::parseUnsigned(value, 1, 10000, concat("--", name));
  if (!number)
    return number.status();
  (name == "tune-candidates" ? options.tuneCandidates
   : name == "tune-copies"   ? options.tuneCopies
                             : options.tuneRuns) = uint32_t(*number);
  return Status::ok();
}

/// A limit of the child process.
static Status setLimit(Options &options, std::string_view name,
                       std::string_view value) {
  bool memory = name == "memory-limit";
  Result<uint64_t> limit =
      memory ? parseMemoryLimit(value) : parseTimeLimit(value);
  if (!limit)
    return Status(limit.status()).withContext(concat("--", name));
  (memory ? options.memoryLimit : options.timeLimit) = *limit;
  return Status::ok();
}

/// "missed", "all" or, without value, all.
static Status setRemarks(Options &options, std::string_view value) {
  if (value != "missed" && value != "all")
    return usage(concat("--remarks must be 'missed' or 'all', but is '",
                        printable(value), "'"));
  options.remarks =
      value == "missed" ? RemarkChoice::Missed : RemarkChoice::All;
  return Status::ok();
}

static Status setText(Options &options, const TextOption &row,
                      std::string_view value) {
  if (std::optional<std::string> others = row.valuesOtherThan(value))
    return usage(concat("--", row.name, " is ", *others, "; found '",
                        printable(value), "'"));
  options.compiler.*row.field = value;
  return Status::ok();
}

static Status setValue(Options &options, std::string_view name,
                       std::string_view value) {
  if (value.empty())
    return usage(concat("--", name, " needs a value"));
  for (const TextOption &row : textOptions())
    if (name == row.name)
      return setText(options, row, value);
  if (name == "o" || name == "output")
    options.output = value;
  else if (name == "target")
    return options.compiler.setTarget(value);
  else if (name == "cpu")
    options.compiler.cpu = value;
  else if (name == "function")
    options.compiler.function = value;
  else if (name == "weights")
    options.weights = value;
  else if (name == "remarks-file")
    options.remarksFile = value;
  else if (name == "backend")
    return setBackend(options, value);
  else if (name == "cache-dir")
    options.compiler.cache.folder = value;
  else if (name == "cache-size")
    return setCacheSize(options, value);
  else if (name == "tune")
    return setTune(options, value);
  else if (name == "tune-report")
    options.tuneReport = value;
  else if (name.starts_with("tune-"))
    return setTuneNumber(options, name, value);
  else if (name.ends_with("-limit"))
    return setLimit(options, name, value);
  else if (name == "stop-after")
    return setStop(options, value);
  else if (name == "seed")
    return setSeed(options, value);
  else
    (name == "input" ? options.inputs : options.results)
        .push_back(splitSpec(value));
  return Status::ok();
}

static Status unknownOption(std::string_view name) {
  ClosestName closest(name);
  for (std::string_view candidate : valued)
    closest.consider(candidate);
  for (const TextOption &row : textOptions())
    closest.consider(row.name);
  for (const auto &[candidate, field] : flags)
    closest.consider(candidate);
  for (const SwitchOption &row : switchOptions())
    closest.consider(row.name);
  closest.consider("remarks");
  closest.consider("print-machine");
  return usage(concat("no option has the name '", printable(name), "'",
                      closest.suggestion()));
}

/// What --tune and the other options say together.
static Status checkTuning(const Options &options) {
  if (!options.tune)
    return options.tuneReport.empty() ? Status::ok()
                                      : usage("--tune-report needs --tune");
  if (options.evaluate || options.stop != StopAfter::None)
    return usage("--tune excludes --evaluate and --stop-after");
  if (options.output == "-")
    return usage("--tune prints to standard output: -o must name a file");
  if (!options.compiler.gemmTile.empty())
    return usage("--tune and --gemm-tile exclude each other");
  return Status::ok();
}

Status compile::checkTarget(const Options &options) {
  bool cuda = options.compiler.device == DeviceKind::CUDA;
  if (options.tune && !cuda)
    return usage("--tune needs --target=cuda");
  if (options.compiler.backends != Backends::Own && !cuda)
    return usage("--backend needs --target=cuda");
  if (options.stop == StopAfter::PTX && !cuda)
    return usage("--stop-after=ptx needs --target=cuda");
  if (options.stop == StopAfter::Assembly && cuda)
    return usage("--stop-after=asm needs --target=cpu");
  return Status::ok();
}

/// What options say together.
static Status checkTogether(const Options &options) {
  if (options.input.empty())
    return usage("a program must be given, as in 'tripy-compile model.mlir -o "
                 "model.tpx'; --help shows all options");
  bool text = options.stop != StopAfter::None;
  if (options.evaluate && text)
    return usage("--evaluate and --stop-after exclude each other");
  if (options.evaluate && !options.output.empty())
    return usage("--evaluate writes results with --result, not with -o");
  if (!options.evaluate &&
      (!options.inputs.empty() || !options.results.empty()))
    return usage("--input and --result need --evaluate");
  if (Status status = checkTuning(options); !status.isOk())
    return status;
  if (!options.evaluate && !text && !options.tune && options.output.empty())
    return usage("an output file must be given, as in '-o model.tpx'");
  if (options.noCache && options.compiler.cache.folder)
    return usage("--no-cache and --cache-dir exclude each other");
  if (auto host = target::findHostTarget(options.compiler.cpu); !host)
    return usage(host.status().message());
  return options.compiler.targetChosen ? checkTarget(options) : Status::ok();
}

static Status parseOption(Options &options, std::string_view argument,
                          std::span<const char *const> &rest) {
  // One dash is as good as two.
  std::string_view name = argument.substr(argument.starts_with("--") ? 2 : 1);
  size_t equals = name.find('=');
  bool hasValue = equals != std::string_view::npos;
  std::string_view value = hasValue ? name.substr(equals + 1) : "";
  name = name.substr(0, equals);
  auto takesNone = [&] {
    return hasValue ? usage(concat("--", name, " takes no value"))
                    : Status::ok();
  };
  for (const auto &[flag, field] : flags)
    if (name == flag) {
      options.*field = true;
      return takesNone();
    }
  for (const SwitchOption &row : switchOptions())
    if (name == row.name) {
      options.compiler.*row.field = false;
      return takesNone();
    }
  if (name == "remarks")
    return setRemarks(options, hasValue ? value : "all");
  if (name == "print-machine") {
    options.printMachine = std::string(value);
    return Status::ok();
  }
  bool known = false;
  for (std::string_view candidate : valued)
    known |= name == candidate;
  for (const TextOption &row : textOptions())
    known |= name == row.name;
  if (!known)
    return unknownOption(name);
  if (!hasValue) {
    if (rest.empty())
      return usage(concat("--", name, " needs a value"));
    value = rest.front();
    rest = rest.subspan(1);
  }
  return setValue(options, name, value);
}

Result<Options> compile::parseOptions(std::span<const char *const> arguments) {
  Options options;
  while (!arguments.empty()) {
    std::string_view argument = arguments.front();
    arguments = arguments.subspan(1);
    if (argument.starts_with("-") && argument != "-") {
      Status status = parseOption(options, argument, arguments);
      if (!status.isOk())
        return status;
      continue;
    }
    if (argument.empty() || !options.input.empty())
      return usage(concat("one program must be given, but there are '",
                          printable(options.input), "' and '",
                          printable(argument), "'"));
    options.input = argument;
  }
  if (options.help || options.version || options.printMachine)
    return options;
  if (Status status = checkTogether(options); !status.isOk())
    return status;
  if (const char *file = std::getenv("TRIPY_TUNING_FILE");
      file && options.compiler.tuningFile.empty())
    options.compiler.tuningFile = file;
  return options;
}
