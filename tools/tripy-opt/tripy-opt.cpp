//===- tripy-opt.cpp - Runs passes on IR ----------------------------------===//
//
// mlir-opt with Tripy's dialects, passes and pipelines. The input is checked
// before MLIR's parser sees it: see InputText.h.
//
//===----------------------------------------------------------------------===//
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

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  tripy::registerTripyAndUpstreamPasses();
  DialectRegistry registry;
  tripy::registerTripyAndUpstreamDialects(registry);
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "Tripy's optimizer driver\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  return asMainReturnCode(run(input, output, registry));
}
