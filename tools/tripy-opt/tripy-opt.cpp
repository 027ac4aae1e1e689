//===- tripy-opt.cpp - Runs passes on IR ----------------------------------===//
//
// mlir-opt with Tripy's dialects, passes and pipelines. The input is checked
// before MLIR's parser sees it: see InputText.h and InputParts.h.
//
//===----------------------------------------------------------------------===//
#include "InputParts.h"
#include "Plugins.h"
#include "TestPasses.h"

#include "tripy/Base/File.h"
#include "tripy/Base/Signals.h"
#include "tripy/Pipelines/InitAll.h"
#include "tripy/Pipelines/Provenance.h"
#include "tripy/Pipelines/SilentFailures.h"
#include "tripy/ToolSupport/ChildProcess.h"
#include "tripy/ToolSupport/Diagnostics.h"
#include "tripy/ToolSupport/InputFile.h"
#include "tripy/ToolSupport/InputText.h"
#include "tripy/ToolSupport/OutOfMemory.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using tripy::InputParts;

/// Before main(), as memory may end there.
static const tripy::OutOfMemoryHandler outOfMemory("tripy-opt");

static llvm::cl::opt<bool>
    allowBytecode("allow-bytecode",
                  llvm::cl::desc("Read MLIR bytecode, whose reader is not safe "
                                 "for untrusted input"));

static llvm::cl::opt<bool>
    inProcess("in-process",
              llvm::cl::desc("Work in the tool's own process, without limits, "
                             "for debugging"));
static llvm::cl::opt<std::string>
    memoryLimit("memory-limit",
                llvm::cl::desc("Memory that the work may use, such as 8G, or "
                               "none; default: half of the machine's memory"));
static llvm::cl::opt<std::string> timeLimit(
    "time-limit",
    llvm::cl::desc("Seconds that the work may take, or none; default: "
                   "1800"));

static llvm::cl::opt<bool> verifyProvenance(
    "verify-provenance",
    llvm::cl::desc("Check after each pass that operations have a location, and "
                   "that inserted operations have a reason"));
static llvm::cl::opt<bool> plainDiagnostics(
    "plain-diagnostics",
    llvm::cl::desc("Print each diagnostic of a pass as a single line"));

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

/// Runs the passes on each part of the text; returns the tool's exit status.
static int process(std::unique_ptr<llvm::MemoryBuffer> buffer, raw_ostream &os,
                   const MlirOptMainConfig &config, DialectRegistry &registry,
                   InputParts &parts) {
  // Dialects of IRDL are not in the registry.
  if (config.getIrdlFile().empty())
    parts.read(buffer);
  if (parts.exitStatus() != EXIT_SUCCESS && config.inputSplitMarker().empty())
    return parts.exitStatus();
  if (failed(MlirOptMain(os, std::move(buffer), registry, config)))
    return std::max(parts.exitStatus(), EXIT_FAILURE);
  return parts.exitStatus();
}

/// Does the tool's work; `limits` are those of this process, if it has some.
/// Returns the exit status.
static int run(StringRef input, StringRef output, DialectRegistry &registry,
               std::optional<tripy::ChildLimits> limits) {
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (!config.getIrdlFile().empty() && !openText(config.getIrdlFile()))
    return EXIT_FAILURE;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openText(input);
  if (!buffer)
    return EXIT_FAILURE;
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
      return EXIT_FAILURE;
    }
    device->keep();
  }
  raw_ostream &os =
      device ? static_cast<raw_ostream &>(device->os()) : collected;
  std::atomic<bool> broken = false;
  InputParts parts(config, registry, limits);
  MlirOptMainConfig inner = config;
  config.setPassPipelineSetupFn([&](PassManager &pm) {
    if (!config.shouldVerifyDiagnostics())
      tripy::printUserDiagnostics(pm, {input.str()}, plainDiagnostics);
    if (verifyProvenance)
      tripy::verifyProvenance(pm, broken);
    tripy::reportSilentFailures(pm);
    return parts.addNamed(pm, [&] {
      return success(succeeded(inner.setupPassPipeline(pm)) &&
                     succeeded(checkLibraries(pm)));
    });
  });
  int exitStatus = process(std::move(buffer), os, config, registry, parts);
  if (exitStatus != EXIT_SUCCESS || broken)
    return std::max(exitStatus, EXIT_FAILURE);
  if (device)
    return EXIT_SUCCESS;
  tripy::Status status = tripy::writeFile(
      output.str(),
      {reinterpret_cast<const uint8_t *>(text.data()), text.size()});
  if (!status.isOk())
    llvm::errs() << "error: " << status.message() << '\n';
  return status.isOk() ? EXIT_SUCCESS : EXIT_FAILURE;
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
  std::string help = registerCLIOptions("Tripy's optimizer driver\n", registry);
  tripy::checkPluginsWhenLoaded(registry);
  auto [input, output] = parseCLIOptions(argc, argv, help);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  tripy::ChildLimits limits = tripy::defaultChildLimits();
  auto work = [&] {
    tripy::handleSignals("tripy-opt", EXIT_FAILURE);
    return run(input, output, registry,
               inProcess ? std::nullopt : std::optional(limits));
  };
  if (inProcess) {
    llvm::InitLLVM init(argc, argv); // Prints the stack of a crash.
    return work();
  }
  if (!readLimit(memoryLimit, tripy::parseMemoryLimit, limits.memoryBytes) ||
      !readLimit(timeLimit, tripy::parseTimeLimit, limits.seconds))
    return EXIT_FAILURE;
  return tripy::runInChild("tripy-opt", limits, work);
}
