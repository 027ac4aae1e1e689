//===- Dump.cpp - The IR of each level as files ---------------------------===//

#include "Dump.h"
#include "../Log.h"

#include "tripy/Base/File.h"
#include "tripy/Base/Text.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tripy;

/// A folder that was not there: 0001, or the next number.
static Result<std::string> newFolder(llvm::StringRef parent) {
  std::error_code error = llvm::sys::fs::create_directories(parent);
  for (unsigned number = 1; !error && number < 10000; ++number) {
    std::string folder = llvm::formatv("{0}/{1,0+4}", parent, number).str();
    // Other processes may write to the same folder.
    error = llvm::sys::fs::create_directory(folder, /*IgnoreExisting=*/false);
    if (!error)
      return folder;
    if (error == std::errc::file_exists)
      error = std::error_code();
  }
  return Status(Code::Io, concat("TRIPY_DUMP_IR: no folder can be made in '",
                                 printable(parent.str()), "': ",
                                 error ? error.message() : "9999 are there"));
}

Status tripy::frontend::dumpLevels(ModuleOp module,
                                   const CompileOptions &options) {
  std::string_view parent = dumpFolder();
  if (parent.empty())
    return Status::ok();
  Result<std::string> folder = newFolder(parent);
  if (!folder)
    return folder.status();
  static constexpr std::pair<StopAfter, std::string_view> files[] = {
      {StopAfter::Trace, "trace.mlir"},
      {StopAfter::FlatIR, "flatir.mlir"},
      {StopAfter::Dispatches, "dispatches.mlir"},
      {StopAfter::Linalg, "linalg.mlir"},
      {StopAfter::Kernels, "kernels.mlir"},
      {StopAfter::Plan, "plan.mlir"},
      {StopAfter::LLVM, "llvm.mlir"}};
  OwningOpRef<ModuleOp> copy = module.clone();
  // The compilation itself reports.
  ScopedDiagnosticHandler silence(module.getContext(),
                                  [](Diagnostic &) { return success(); });
  auto dump = [&](StopAfter stop, std::string_view name) -> Result<bool> {
    FailureOr<std::string> text = compileToText(*copy, stop, options);
    if (failed(text))
      return false;
    Status status = writeFile(
        concat(*folder, "/", name),
        {reinterpret_cast<const uint8_t *>(text->data()), text->size()});
    if (!status.isOk())
      return status;
    return true;
  };
  for (auto [stop, name] : files)
    if (Result<bool> goesOn = dump(stop, name); !goesOn || !*goesOn)
      return goesOn.status();
  bool isGpu = options.device == DeviceKind::CUDA;
  return dump(isGpu ? StopAfter::PTX : StopAfter::Assembly,
              isGpu ? "kernels.ptx" : "kernels.s")
      .status();
}
