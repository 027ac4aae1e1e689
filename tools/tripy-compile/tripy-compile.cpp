//===- tripy-compile.cpp - Compiles programs to executables ---------------===//

#include "Evaluate.h"
#include "Options.h"
#include "PrintMachine.h"
#include "Progress.h"
#include "Tune.h"

#include "../tripy-run/TensorSpec.h"

#include "tripy/Base/File.h"
#include "tripy/Base/OutputFiles.h"
#include "tripy/Base/Signals.h"
#include "tripy/Base/Text.h"
#include "tripy/Dialect/Tripy/Tripy.h"
#include "tripy/Runtime/IO/SafeTensors.h"
#include "tripy/ToolSupport/ChildProcess.h"
#include "tripy/ToolSupport/Diagnostics.h"
#include "tripy/ToolSupport/InputFile.h"
#include "tripy/ToolSupport/InputText.h"
#include "tripy/ToolSupport/OutOfMemory.h"
#include "tripy/ToolSupport/ParseProgram.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tripy;
using namespace tripy::compile;

/// Before main(), as memory may end there.
static const OutOfMemoryHandler outOfMemory("tripy-compile");

static int complain(const Status &status, int exitStatus) {
  llvm::errs() << "tripy-compile: error: " << status.message() << "\n";
  return exitStatus;
}

/// The text of the program. Devices and pipes are refused: they may never end.
static std::unique_ptr<llvm::MemoryBuffer> readInput(const std::string &path) {
  auto refuse = [&](std::string_view why) {
    complain(Status(Code::Io, concat("'", printable(path, 1024), "' ", why)),
             1);
    return nullptr;
  };
  llvm::sys::fs::file_status status;
  if (path != "-") {
    if (std::error_code error = llvm::sys::fs::status(path, status))
      return refuse(concat("cannot be read: ", error.message()));
    if (status.type() != llvm::sys::fs::file_type::regular_file)
      return refuse(status.type() == llvm::sys::fs::file_type::directory_file
                        ? "is a folder"
                        : "must be a regular file");
  }
  if (path == "-") {
    auto buffer = llvm::MemoryBuffer::getSTDIN();
    if (!buffer)
      return refuse(concat("cannot be read: ", buffer.getError().message()));
    return std::move(*buffer);
  }
  Result<std::unique_ptr<llvm::MemoryBuffer>> buffer = readInputFile(path);
  if (buffer)
    return std::move(*buffer);
  complain(buffer.status(), 1);
  return nullptr;
}

/// Outputs are different files, and none of those that are read.
static Status checkFiles(const Options &options) {
  std::vector<std::string> outputs, sources;
  auto add = [](std::vector<std::string> &list, const std::string &path) {
    if (!path.empty() && path != "-")
      list.push_back(path);
  };
  add(outputs, options.output);
  add(outputs, options.remarksFile);
  for (const auto &[name, spec] : options.results)
    add(outputs, run::fileOf(spec));
  add(sources, options.input);
  add(sources, options.weights);
  for (const auto &[name, spec] : options.inputs)
    add(sources, run::fileOf(spec));
  return checkOutputFiles(outputs, sources);
}

/// Tensors of a safetensors file as weights; they refer to its `bytes`.
static Result<std::vector<target::Weight>>
listWeights(std::span<const uint8_t> bytes) {
  Result<io::SafeTensors> file = io::SafeTensors::parse(bytes);
  if (!file)
    return file.status();
  std::vector<target::Weight> weights;
  for (const io::SafeTensor &tensor : file->tensors()) {
    auto sizes = tensor.shape.sizes();
    weights.push_back({std::string(tensor.name),
                       tensor.dtype,
                       {sizes.begin(), sizes.end()},
                       bytes.subspan(tensor.offset, tensor.bytes)});
  }
  return weights;
}

/// The kernels of a program and where they come from.
static void printWhys(const Program &program) {
  for (const Launch &launch : program.launches) {
    llvm::errs() << program.kernels[launch.kernel].symbol << "\n";
    if (launch.why == noIndex)
      continue;
    for (const WhyLine &line : program.whys[launch.why].lines) {
      llvm::errs() << "    " << line.file << ":" << line.line << ":"
                   << line.column;
      if (!line.operation.empty())
        llvm::errs() << " " << line.operation;
      if (!line.reason.empty())
        llvm::errs() << ", in order to " << line.reason;
      llvm::errs() << "\n";
    }
  }
}

/// Text or bytes to a file or to standard output.
static int writeOutput(const std::string &path,
                       std::span<const uint8_t> bytes) {
  if (path.empty() || path == "-") {
    llvm::outs().write(reinterpret_cast<const char *>(bytes.data()),
                       bytes.size());
    return 0;
  }
  Status status = writeFile(path, bytes);
  return status.isOk() ? 0 : complain(status, 1);
}

static int writeProgram(ModuleOp module, const Options &options,
                        TimingScope &timing) {
  FailureOr<target::TranslatedProgram> made =
      compileToProgram(module, options.compiler);
  if (failed(made))
    return 1;
  if (options.reportWhy)
    printWhys(made->program);
  TimingScope scope = timing.nest("write");
  if (options.output == "-") {
    VectorSink sink;
    Status status = serialize(made->program, made->constants(), sink);
    return status.isOk() ? writeOutput("-", sink.data) : complain(status, 1);
  }
  Status status =
      writeExecutable(options.output, made->program, made->constants());
  return status.isOk() ? 0 : complain(status, 1);
}

static int compileModule(ModuleOp module, Options &options,
                         TimingScope &timing) {
  FailureOr<CompileOptions> known = readOptions(module, options.compiler);
  if (failed(known))
    return 1;
  options.compiler = std::move(*known);
  if (Status status = checkTarget(options); !status.isOk())
    return complain(status, 2);
  // Before a GPU is opened, or anything else takes time.
  FailureOr<func::FuncOp> function = findProgram(module, options.compiler);
  if (failed(function) || failed(verifyProfiles(*function)))
    return 1;
  if (options.evaluate)
    return evaluateProgram(module, options);
  if (options.tune)
    if (int exitStatus = tuneProgram(module, options);
        exitStatus != 0 || options.output.empty())
      return exitStatus;
  if (options.stop == StopAfter::None)
    return writeProgram(module, options, timing);
  FailureOr<std::string> text =
      compileToText(module, options.stop, options.compiler);
  if (failed(text))
    return 1;
  auto bytes = reinterpret_cast<const uint8_t *>(text->data());
  return writeOutput(options.output, {bytes, text->size()});
}

/// The report, and the kernels that took longest to compile; none when all were
/// cached.
static void printTimes(DefaultTimingManager &timing,
                       const target::CodeWatch &watch) {
  timing.print();
  timing.setEnabled(false); // Else it prints again in the end.
  constexpr size_t shown = 5;
  std::vector<target::KernelSeconds> kernels = watch.slowest(shown);
  if (kernels.empty())
    return;
  llvm::errs() << "slowest kernels, by processor time:\n";
  for (const target::KernelSeconds &kernel : kernels) {
    llvm::errs() << "  " << formatSeconds(kernel.total()) << " "
                 << printable(kernel.kernel, 300) << " (LLVM "
                 << formatSeconds(kernel.llvm);
    if (kernel.assembler > 0)
      llvm::errs() << ", assembler " << formatSeconds(kernel.assembler);
    llvm::errs() << ")\n";
  }
}

/// The file of --weights, if there is one: mapped, as weights may be larger
/// than memory; see handleSignals().
static Status openWeights(Options &options, MappedFile &weights) {
  if (options.weights.empty())
    return Status::ok();
  Result<MappedFile> file = MappedFile::open(options.weights);
  if (!file)
    return file.status();
  weights = std::move(*file);
  Result<std::vector<target::Weight>> list = listWeights(weights.bytes());
  if (!list)
    return Status(list.status())
        .withContext(concat("'", printable(options.weights, 1024), "'"));
  options.compiler.weights = std::move(*list);
  return Status::ok();
}

static int runTool(Options &options) {
  DefaultTimingManager timingManager;
  timingManager.setEnabled(options.timing);
  TimingScope timing = timingManager.getRootScope();
  options.compiler.timing = &timing;
  Progress progress(options.progress);
  target::CodeWatch watch;
  watch.timesKernels = options.timing;
  watch.progress = [&](StringRef step, size_t done, size_t all) {
    progress.count(step, done, all);
  };
  options.compiler.watch = &watch;
  options.compiler.cache.enabled = !options.noCache;
  options.compiler.verify = !options.noVerify;
  options.compiler.strictShapes = options.strictShapes;

  if (Status status = checkFiles(options); !status.isOk())
    return complain(status, 2);
  MappedFile weights;
  if (Status status = openWeights(options, weights); !status.isOk())
    return complain(status, 1);
  std::unique_ptr<llvm::MemoryBuffer> text = readInput(options.input);
  if (!text ||
      failed(verifyInputText(text->getMemBufferRef(), options.allowBytecode)))
    return 1;

  DialectRegistry registry;
  registerCompilerDialects(registry);
  MLIRContext context(registry);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(text), llvm::SMLoc());
  UserDiagnosticHandler diagnostics(&context, llvm::errs(), sources.get());
  // The line of progress makes way for what is printed above.
  ScopedDiagnosticHandler clearing(&context, [&](Diagnostic &) {
    progress.clear();
    return failure();
  });
  RemarkReport remarks;
  if (options.remarks != RemarkChoice::None || !options.remarksFile.empty())
    if (Status status = remarks.collect(context, options.remarksFile);
        !status.isOk())
      return complain(status, 1);
  progress.begin("reading the program");
  TimingScope parseScope = timing.nest("parse");
  OwningOpRef<ModuleOp> module = parseProgram(sources, &context, diagnostics);
  parseScope.stop();
  if (!module)
    return 1;
  progress.begin("forming kernels");
  int exitStatus = compileModule(*module, options, timing);
  progress.clear();
  remarks.print(options.remarks);
  timing.stop();
  if (options.timing)
    printTimes(timingManager, watch);
  return exitStatus;
}

int main(int argc, char **argv) {
  Result<Options> options = parseOptions(
      std::span<const char *const>(argv + 1, static_cast<size_t>(argc - 1)));
  if (!options)
    return complain(options.status(), 2);
  if (options->help) {
    llvm::outs() << helpText();
    return 0;
  }
  if (options->version) {
    llvm::outs() << "tripy-compile 0.1.0\n";
    return 0;
  }
  if (options->printMachine) {
    Result<std::string> text = describeMachine(options->printMachine->empty()
                                                   ? options->compiler.chip
                                                   : *options->printMachine);
    if (!text)
      return complain(text.status(), 2);
    llvm::outs() << *text;
    return 0;
  }
  auto work = [&] {
    handleSignals("tripy-compile", 1);
    return runTool(*options);
  };
  if (options->inProcess) {
    llvm::InitLLVM init(argc, argv); // Prints the stack of a crash.
    return work();
  }
  ChildLimits limits = defaultChildLimits();
  limits.memoryBytes = options->memoryLimit.value_or(limits.memoryBytes);
  limits.seconds =
      options->timeLimit.value_or(options->tune ? 0 : limits.seconds);
  return runInChild("tripy-compile", limits, work);
}
