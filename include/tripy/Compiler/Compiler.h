//===- Compiler.h - From a module to an executable file ---------*- C++ -*-===//
//
// The compiler as a library: what tripy-compile and the frontend call. Layer
// compiler; errors go to the context's diagnostic handlers.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_COMPILER_COMPILER_H
#define TRIPY_COMPILER_COMPILER_H

#include "tripy/Base/Program.h"
#include "tripy/Base/Status.h"
#include "tripy/Pipelines/Pipelines.h"
#include "tripy/Target/CodeWatch.h"
#include "tripy/Target/Translate.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/Timing.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tripy {

/// Where compilation stops.
enum class StopAfter {
  None,
  Trace,
  FlatIR,
  Dispatches,
  Linalg,
  Schedules,
  Tiles,
  Kernels,
  Plan,
  LLVM,     ///< the kernels' code in LLVM's dialect
  PTX,      ///< text for the GPU's assembler
  Assembly, ///< text for the host's assembler
};

struct CompileOptions : CodeOptions {
  /// Whether the user chose the target: then a program that was lowered for
  /// another one is an error. Otherwise such a program's target is used.
  bool targetChosen = false;
  /// CPU: "native" or a processor that LLVM knows.
  std::string cpu = "native";
  /// The function to compile; others are dropped.
  std::string function = "main";
  /// The cache of GPU code.
  target::CacheOptions cache;
  /// Values of parameters, which become constants of the executable; if none,
  /// parameters stay inputs.
  std::optional<std::vector<target::Weight>> weights;
  /// Verify the program at the end of each level: valid IR, and provenance. A
  /// violation is reported as an internal error of the compiler.
  bool verify = true;
  /// It is an error, not a warning, if the profile allows sizes that the
  /// program refuses (docs/sizes.md).
  bool strictShapes = false;
  /// The timing scope for the parts of the compilation; may be null.
  mlir::TimingScope *timing = nullptr;
  /// Observes the times of kernels, and progress; may be null.
  target::CodeWatch *watch = nullptr;
  /// Called on each level's pass manager before it runs: instrumentation.
  std::function<void(mlir::PassManager &)> configure;

  /// Chooses "cpu", "cuda" or "cuda:sm_90a". Errors: InvalidArgument.
  Status setTarget(std::string_view text);
};

/// The dialects that a program to be compiled may use.
void registerCompilerDialects(mlir::DialectRegistry &registry);

/// `given`, with defaults replaced by the options recorded in `module`: the
/// printed program of a level contains the target and the options with which it
/// was lowered. Errors, at the module: unknown options, and another target.
mlir::FailureOr<CompileOptions> readOptions(mlir::ModuleOp module,
                                            const CompileOptions &given);

/// The function that `options` name, or else the one that the module names.
/// Error: there is no such function.
mlir::FailureOr<mlir::func::FuncOp> findProgram(mlir::ModuleOp module,
                                                const CompileOptions &options);

/// Lowers the chosen function of `module`, in place, to `level`. Its callees
/// are inlined; other functions are dropped. The program may be at any level up
/// to that one: see compileToText(). Options with their default value are
/// replaced by those with which the program was lowered.
mlir::LogicalResult lowerProgram(mlir::ModuleOp module, Level level,
                                 const CompileOptions &options);

/// Compiles the chosen function of `module`, which is consumed, to a verified
/// program. The context and the weights must outlive it.
mlir::FailureOr<target::TranslatedProgram>
compileToProgram(mlir::ModuleOp module, const CompileOptions &options);

/// Compiles `function` of `module`, which is at Level::Linalg and is consumed.
/// Options other than device, chip, tiles, backends, cache, configure and those
/// of checks and timing are ignored.
mlir::FailureOr<target::TranslatedProgram>
compileKernels(mlir::ModuleOp module, mlir::func::FuncOp function,
               const CompileOptions &options);

/// The same as the bytes of a .tpx file, or as a file, which is replaced
/// atomically: nothing is written on an error.
mlir::FailureOr<std::vector<uint8_t>>
compileToBytes(mlir::ModuleOp module, const CompileOptions &options);
mlir::LogicalResult compileToFile(mlir::ModuleOp module,
                                  const std::string &path,
                                  const CompileOptions &options);

/// The text of an intermediate form, with locations. The text of a level can be
/// compiled further, to the same program: it contains the options with which it
/// was lowered.
mlir::FailureOr<std::string> compileToText(mlir::ModuleOp module,
                                           StopAfter stop,
                                           const CompileOptions &options);

} // namespace tripy

#endif // TRIPY_COMPILER_COMPILER_H
