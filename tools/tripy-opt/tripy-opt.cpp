//===- tripy-opt.cpp - Runs passes on IR ----------------------------------===//
//
// mlir-opt with Tripy's dialects, passes and pipelines. The input is checked
// before MLIR's parser sees it: see InputText.h.
//
//===----------------------------------------------------------------------===//
#include "TestPasses.h"

#include "tripy/Base/File.h"
#include "tripy/Base/Signals.h"
#include "tripy/Pipelines/ChildProcess.h"
#include "tripy/Pipelines/Diagnostics.h"
#include "tripy/Pipelines/InitAll.h"
#include "tripy/Pipelines/InputFile.h"
#include "tripy/Pipelines/InputText.h"
#include "tripy/Pipelines/OutOfMemory.h"
#include "tripy/Pipelines/Provenance.h"
#include "tripy/Pipelines/SilentFailures.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/ToolUtilities.h"
#include "mlir/Tools/ParseUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

/// Before main(), as memory may end there.
static const tripy::OutOfMemoryHandler outOfMemory("tripy-opt");

static llvm::cl::opt<bool>
    allowBytecode("allow-bytecode",
                  llvm::cl::desc("Read MLIR bytecode, whose reader is not safe "
                                 "for untrusted input"));

static llvm::cl::opt<bool>
    inProcess("in-process",
              llvm::cl::desc("Work in the tool's own process, without limits, "
                             "for debuggers"));
static llvm::cl::opt<std::string>
    memoryLimit("memory-limit",
                llvm::cl::desc("Memory that the work may take, such as 8G, or "
                               "none; default: half of the machine's"));
static llvm::cl::opt<std::string> timeLimit(
    "time-limit",
    llvm::cl::desc("Seconds that the work may take, or none; default: "
                   "1800"));

static llvm::cl::opt<bool> verifyProvenance(
    "verify-provenance",
    llvm::cl::desc("Check after each pass that operations have a location, and "
                   "inserted ones a reason"));
static llvm::cl::opt<bool> plainDiagnostics(
    "plain-diagnostics",
    llvm::cl::desc("Print diagnostics of passes as one line each"));

/// Opens and checks a file of IR; null after an error message.
static std::unique_ptr<llvm::MemoryBuffer> openText(StringRef path) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  if (llvm::sys::fs::is_regular_file(path)) {
    auto read = tripy::readInputFile(path.str());
    if (read)
      buffer = std::move(*read);
    else
      error = read.status().message();
  } else {
    buffer = openInputFile(path, &error);
  }
  if (!buffer) {
    llvm::errs() << "error: " << error << '\n';
    return nullptr;
  }
  if (failed(tripy::verifyInputText(buffer->getMemBufferRef(), allowBytecode)))
    return nullptr;
  return buffer;
}

/// Files of MLIR that a pass reads by itself are checked as the input is.
static LogicalResult checkLibraries(PassManager &pm) {
  if (allowBytecode)
    return success();
  constexpr llvm::StringLiteral option = "transform-library-paths=";
  std::string pipeline;
  llvm::raw_string_ostream stream(pipeline);
  pm.printAsTextualPipeline(stream);
  StringRef rest = pipeline;
  while (true) {
    size_t at = rest.find(option);
    if (at == StringRef::npos)
      return success();
    rest = rest.drop_front(at + option.size());
    rest.consume_front("{");
    StringRef paths =
        rest.take_until([](char c) { return c == ' ' || c == '}'; });
    for (StringRef path : llvm::split(paths, ','))
      if (llvm::sys::fs::exists(path) && !openText(path))
        return failure();
  }
}

/// Whether MLIR's parser and verifiers accept a text. What they do not accept
/// is shown as diagnostics of passes are: MLIR's own handler quotes whole lines
/// of whatever file a location names.
static bool parses(std::unique_ptr<llvm::MemoryBuffer> text,
                   const MlirOptMainConfig &config, DialectRegistry &registry) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects(config.shouldAllowUnregisteredDialects());
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(text), llvm::SMLoc());
  tripy::UserDiagnosticHandler handler(&context, llvm::errs(), sources.get());
  FallbackAsmResourceMap resources;
  ParserConfig parser(&context, config.shouldVerifyOnParsing(), &resources);
  return static_cast<bool>(parseSourceFileForTool(
      sources, parser, !config.shouldUseExplicitModule()));
}

/// Takes the parts of the text that do not parse away, after their errors were
/// shown; false when there are some. All lines keep their numbers.
static bool keepWhatParses(std::unique_ptr<llvm::MemoryBuffer> &buffer,
                           const MlirOptMainConfig &config,
                           DialectRegistry &registry) {
  StringRef name = buffer->getBufferIdentifier();
  std::string whole = buffer->getBuffer().str();
  size_t end = 0, line = 0;
  bool allParse = true;
  auto check = [&](std::unique_ptr<llvm::MemoryBuffer> part, raw_ostream &) {
    StringRef text = part->getBuffer();
    size_t start = whole.find(text, end);
    line += StringRef(whole).slice(end, start).count('\n');
    if (!parses(line ? llvm::MemoryBuffer::getMemBufferCopy(
                           std::string(line, '\n') + text.str(), name)
                     : llvm::MemoryBuffer::getMemBufferCopy(text, name),
                config, registry)) {
      allParse = false;
      std::replace_if(
          whole.begin() + start, whole.begin() + start + text.size(),
          [](char c) { return c != '\n'; }, ' ');
    }
    end = start + text.size();
    line += text.count('\n');
    return success();
  };
  (void)splitAndProcessBuffer(
      llvm::MemoryBuffer::getMemBuffer(buffer->getMemBufferRef(), false), check,
      llvm::nulls(), config.inputSplitMarker());
  if (!allParse)
    buffer = llvm::MemoryBuffer::getMemBufferCopy(whole, name);
  return allParse;
}

/// Runs the passes on each part of the text.
static LogicalResult process(std::unique_ptr<llvm::MemoryBuffer> buffer,
                             raw_ostream &os, const MlirOptMainConfig &config,
                             DialectRegistry &registry) {
  // Dialects of IRDL are not in the registry, and expected diagnostics are
  // compared, not printed.
  bool allParse = config.shouldVerifyDiagnostics() ||
                  !config.getIrdlFile().empty() ||
                  keepWhatParses(buffer, config, registry);
  if (!allParse && config.inputSplitMarker().empty())
    return failure();
  return success(
      succeeded(MlirOptMain(os, std::move(buffer), registry, config)) &&
      allParse);
}

static LogicalResult run(StringRef input, StringRef output,
                         DialectRegistry &registry) {
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (!config.getIrdlFile().empty() && !openText(config.getIrdlFile()))
    return failure();
  std::unique_ptr<llvm::MemoryBuffer> buffer = openText(input);
  if (!buffer)
    return failure();
  // A file gets its name when it is complete; a device is written to at once.
  bool isDevice =
      llvm::sys::fs::exists(output) && !llvm::sys::fs::is_regular_file(output);
  std::string text, error;
  llvm::raw_string_ostream collected(text);
  std::unique_ptr<llvm::ToolOutputFile> device;
  if (output == "-" || isDevice) {
    device = openOutputFile(output, &error);
    if (!device) {
      llvm::errs() << "error: " << error << '\n';
      return failure();
    }
    device->keep();
  }
  raw_ostream &os =
      device ? static_cast<raw_ostream &>(device->os()) : collected;
  std::atomic<bool> broken = false;
  config.setPassPipelineSetupFn([&, inner = config](PassManager &pm) {
    if (!config.shouldVerifyDiagnostics())
      tripy::printUserDiagnostics(pm, {input.str()}, plainDiagnostics);
    if (verifyProvenance)
      tripy::verifyProvenance(pm, broken);
    tripy::reportSilentFailures(pm);
    return success(succeeded(inner.setupPassPipeline(pm)) &&
                   succeeded(checkLibraries(pm)));
  });
  if (failed(process(std::move(buffer), os, config, registry)) || broken)
    return failure();
  if (device)
    return success();
  tripy::Status status = tripy::writeFile(
      output.str(),
      {reinterpret_cast<const uint8_t *>(text.data()), text.size()});
  if (!status.isOk())
    llvm::errs() << "error: " << status.message() << '\n';
  return success(status.isOk());
}

/// Reads a limit of the child process into `limit`; false after an error.
template <typename Parse>
static bool readLimit(llvm::cl::opt<std::string> &option, Parse parse,
                      uint64_t &limit) {
  if (option.empty())
    return true;
  tripy::Result<uint64_t> parsed = parse(option.getValue());
  if (parsed)
    limit = *parsed;
  else
    llvm::errs() << "tripy-opt: error: --" << option.ArgStr << ": "
                 << parsed.status().message() << '\n';
  return static_cast<bool>(parsed);
}

int main(int argc, char **argv) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  tripy::registerTripyAndUpstreamPasses();
  tripy::registerTestPasses();
  DialectRegistry registry;
  tripy::registerTripyAndUpstreamDialects(registry);
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "Tripy's optimizer driver\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  auto work = [&] {
    tripy::handleSignals("tripy-opt", EXIT_FAILURE);
    return failed(run(input, output, registry)) ? EXIT_FAILURE : EXIT_SUCCESS;
  };
  if (inProcess) {
    llvm::InitLLVM init(argc, argv); // Prints the stack of a crash.
    return work();
  }
  tripy::ChildLimits limits = tripy::defaultChildLimits();
  if (!readLimit(memoryLimit, tripy::parseMemoryLimit, limits.memoryBytes) ||
      !readLimit(timeLimit, tripy::parseTimeLimit, limits.seconds))
    return EXIT_FAILURE;
  return tripy::runInChild("tripy-opt", limits, work);
}
