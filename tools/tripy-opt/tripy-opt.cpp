//===- tripy-opt.cpp - Runs passes on IR ----------------------------------===//
//
// mlir-opt with Tripy's dialects, passes and pipelines. The input is checked
// before MLIR's parser sees it: see InputText.h.
//
//===----------------------------------------------------------------------===//
#include "tripy/Base/File.h"
#include "tripy/Base/Signals.h"
#include "tripy/Pipelines/Diagnostics.h"
#include "tripy/Pipelines/InitAll.h"
#include "tripy/Pipelines/InputFile.h"
#include "tripy/Pipelines/InputText.h"
#include "tripy/Pipelines/Provenance.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
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
  bool plain = plainDiagnostics || config.shouldVerifyDiagnostics();
  config.setPassPipelineSetupFn([&, inner = config](PassManager &pm) {
    if (!plain)
      tripy::printUserDiagnostics(pm);
    if (verifyProvenance)
      tripy::verifyProvenance(pm, broken);
    return inner.setupPassPipeline(pm);
  });
  if (failed(MlirOptMain(os, std::move(buffer), registry, config)) || broken)
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

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  tripy::handleSignals("tripy-opt", 1);
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
  return asMainReturnCode(run(input, output, registry));
}
