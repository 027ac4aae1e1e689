//===- tripy-opt.cpp - Runs passes on IR ----------------------------------===//
//
// mlir-opt with Tripy's dialects, passes and pipelines. The input is checked
// before MLIR's parser sees it: see InputText.h.
//
//===----------------------------------------------------------------------===//
#include "tripy/Pipelines/ChildProcess.h"
#include "tripy/Pipelines/Diagnostics.h"
#include "tripy/Pipelines/InitAll.h"
#include "tripy/Pipelines/InputText.h"
#include "tripy/Pipelines/Provenance.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

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
    llvm::cl::desc("Print diagnostics of passes as mlir-opt does"));

/// Opens and checks a file of IR; null after an error message.
static std::unique_ptr<llvm::MemoryBuffer> openText(StringRef path) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(path, &error);
  if (!buffer) {
    llvm::errs() << "error: " << error << '\n';
    return nullptr;
  }
  if (failed(tripy::verifyInputText(buffer->getMemBufferRef(), allowBytecode)))
    return nullptr;
  return buffer;
}

static LogicalResult run(StringRef input, StringRef output,
                         DialectRegistry &registry) {
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (!config.getIrdlFile().empty() && !openText(config.getIrdlFile()))
    return failure();
  std::unique_ptr<llvm::MemoryBuffer> buffer = openText(input);
  if (!buffer)
    return failure();
  std::string error;
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(output, &error);
  if (!file) {
    llvm::errs() << "error: " << error << '\n';
    return failure();
  }
  std::atomic<bool> broken = false;
  bool plain = plainDiagnostics || config.shouldVerifyDiagnostics();
  config.setPassPipelineSetupFn([&, inner = config](PassManager &pm) {
    if (!plain)
      tripy::printUserDiagnostics(pm);
    if (verifyProvenance)
      tripy::verifyProvenance(pm, broken);
    return inner.setupPassPipeline(pm);
  });
  if (failed(MlirOptMain(file->os(), std::move(buffer), registry, config)) ||
      broken)
    return failure();
  file->keep();
  return success();
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
  tripy::registerAllPasses();
  DialectRegistry registry;
  tripy::registerAllDialects(registry);
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "Tripy's optimizer driver\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  auto work = [&] {
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
