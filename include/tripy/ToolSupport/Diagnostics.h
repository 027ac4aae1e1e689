//===- Diagnostics.h - Errors in the user's terms ---------------*- C++ -*-===//
//
// Prints the diagnostics of MLIR with the user's source lines, the reason for
// the operation concerned, and where its inputs come from. Tools and the
// compiler use it.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_PIPELINES_DIAGNOSTICS_H
#define TRIPY_PIPELINES_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

#include <functional>
#include <memory>
#include <string>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace tripy {

/// While it lives, diagnostics of `context` are printed to `os` like this:
///
///     --> example.cpp:11 in main()
///           |
///        11 |   std::cout << add(a, b);
///           |                ^~~
///     error: size of operand dimension 1 (3) is not compatible with ...
///         This error occurred while compiling the FlatIR operation:
///             %8 = flatir.broadcast %7 ...
///         Note: Tripy introduced this operation in order to broadcast the
///         right operand of 'add' from (3, 3) to (3, 4) Note: this originated
///         from the following expression:
///         --> example.cpp:5 in add()
///         ...
///         Input 0: --> example.cpp:9 in main()
///         ...
///
/// Source lines come from the buffers of `sources`, if it is given, or are read
/// from the file when they are printed, if SourceText may show it; without file
/// there is no excerpt. A remark is one line: file:line:column: remark: text.
/// Control characters become '?', whatever they come from, and long texts are
/// cut.
class UserDiagnosticHandler : public mlir::ScopedDiagnosticHandler {
public:
  UserDiagnosticHandler(mlir::MLIRContext *context, llvm::raw_ostream &os,
                        const llvm::SourceMgr *sources = nullptr,
                        llvm::ArrayRef<std::string> named = {});
  ~UserDiagnosticHandler();

  /// Notes where the inputs of the operations under `program` come from. To be
  /// called on what the user wrote, before any pass.
  void remember(mlir::Operation *program);

  /// Calls `call` with the message of each error, once it is printed; null:
  /// nothing more is called.
  void afterErrors(std::function<void(llvm::StringRef message)> call);

private:
  class Printer;
  std::function<void(llvm::StringRef)> afterError;
  std::unique_ptr<Printer> printer;
};

/// Prints diagnostics of `pm`'s passes so, to standard error, until `pm` is
/// destroyed; what its first pass sees counts as what the user wrote. Lines of
/// the files `named` may be shown. With `plain`, each diagnostic and note is
/// one line: file:line:column: severity: text.
void printUserDiagnostics(mlir::PassManager &pm,
                          llvm::ArrayRef<std::string> named, bool plain);

} // namespace tripy

#endif // TRIPY_PIPELINES_DIAGNOSTICS_H
