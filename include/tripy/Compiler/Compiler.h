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
  /// The target is the user's choice: a program that was lowered for another
  /// one is refused. Else it says which it is for.
  bool targetChosen = false;
  /// CPU: "native" or a processor that LLVM knows.
  std::string cpu = "native";
  /// The function to compile; others are dropped.
  std::string function = "main";
  /// Where GPU code is kept between compilations.
  target::CacheOptions cache;
  /// Baked into the executable in place of parameters; none: they stay inputs.
  std::optional<std::vector<target::Weight>> weights;
  /// Check the program where a level ends: valid IR, and provenance. A breach
  /// is an error of the compiler, and says so.
  bool verify = true;
  /// Sizes that the profile allows and the program refuses are an error, not
  /// a warning (docs/sizes.md).
  bool strictShapes = false;
  /// Parts of the compilation are timed under it.
  mlir::TimingScope *timing = nullptr;
  /// Hears of the time of kernels, and of progress; may be null.
  target::CodeWatch *watch = nullptr;
  /// Called on each level's pass manager before it runs: instrumentation.
  std::function<void(mlir::PassManager &)> configure;

  /// Chooses "cpu", "cuda" or "cuda:sm_90a". Errors: InvalidArgument.
  Status setTarget(std::string_view text);
};

/// The dialects that a program to be compiled may use.
void registerCompilerDialects(mlir::DialectRegistry &registry);

/// `given`, and where that has the default, what `module` says: what was
/// printed of a level has the target and the options that it was lowered with.
/// Errors, at the module: options that are none, and another target.
mlir::FailureOr<CompileOptions> readOptions(mlir::ModuleOp module,
                                            const CompileOptions &given);

/// The function that `options` choose, or the module where they do not; or the
/// error that there is none.
mlir::FailureOr<mlir::func::FuncOp> findProgram(mlir::ModuleOp module,
                                                const CompileOptions &options);

/// Lowers the chosen function of `module`, in place, to `level`. What it calls
/// becomes part of it; other functions are dropped. A program may be at any
/// level up to that one: see compileToText(). Options that have their default
/// are those that it says it was lowered with.
mlir::LogicalResult lowerProgram(mlir::ModuleOp module, Level level,
                                 const CompileOptions &options);

/// Compiles the chosen function of `module`, which is consumed, to a verified
/// program. The context and the weights must outlive it.
mlir::FailureOr<target::TranslatedProgram>
compileToProgram(mlir::ModuleOp module, const CompileOptions &options);

/// Compiles `function` of `module`, which is at Level::Linalg and is consumed.
/// Options other than device, chip, tiles, backends, cache, configure and those
/// of checks and timing do not count.
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

/// The text of an intermediate form, with locations. What is printed of a level
/// can be compiled, to the same program: it says with which options it was
/// lowered.
mlir::FailureOr<std::string> compileToText(mlir::ModuleOp module,
                                           StopAfter stop,
                                           const CompileOptions &options);

} // namespace tripy

#endif // TRIPY_COMPILER_COMPILER_H
