//===- Translate.h - From launches to an executable program -----*- C++ -*-===//
//
// Fills the structs of Base/Program.h from a planned module: sizes, interface,
// memory, launches, machine code, constants, provenance. Layer target.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TARGET_TRANSLATE_H
#define TRIPY_TARGET_TRANSLATE_H

#include "tripy/Base/ExecutableFormat.h"
#include "tripy/Base/Program.h"
#include "tripy/Target/HostTarget.h"
#include "tripy/Target/NVVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tripy::target {

/// A tensor that becomes part of the executable in place of a parameter.
struct Weight {
  std::string name;
  /// None for an element type that Tripy does not have.
  std::optional<DType> dtype;
  std::vector<int64_t> shape;
  /// Dense, row-major; outlives the translated program. Need not be aligned.
  std::span<const uint8_t> data;
};

/// An operation that the user wrote: its name ("trace.add"), and where its
/// operands come from.
struct UserOperation {
  llvm::StringRef name;
  llvm::SmallVector<mlir::Location> operands;
};
/// By their place, a FileLineColRange.
using UserOperations = llvm::DenseMap<mlir::Attribute, UserOperation>;

/// What is said about sizes that the profile allows and a condition refuses.
enum class FailingSizes { Ignored, Warning, Error };

struct TranslateOptions {
  DeviceKind device = DeviceKind::CPU;
  HostTarget host;
  CudaTarget cuda;
  /// Where GPU code is kept between compilations.
  CacheOptions cache;
  /// With weights, every parameter of the program must be among them; without,
  /// parameters stay inputs that are bound at load time.
  std::optional<std::vector<Weight>> weights;
  UserOperations userOperations;
  FailingSizes failingSizes = FailingSizes::Ignored;
  /// Hears of time and progress; may be null.
  CodeWatch *watch = nullptr;
};

/// A program and what its pointers refer to. Constants of the module stay in
/// its context, and weights where they are: both outlive this.
struct TranslatedProgram {
  Program program;
  std::vector<uint8_t> images;
  std::vector<ConstantPiece> pieces;
  uint64_t constantBytes = 0;
  /// Constants that had to be unpacked.
  std::vector<std::unique_ptr<uint8_t[]>> unpacked;

  ConstantPieces constants() const { return {constantBytes, pieces}; }
};

/// The module of the kernels' code, gpu.module @device_code or module
/// @host_code; null before there is any.
mlir::Operation *codeOf(mlir::ModuleOp module);

/// Translates `function`, planned by --kernel-plan, of `module`, which holds
/// @host_code or @device_code. Consumes their functions. Errors are reported
/// where they come from: an input that does not fit its weight, a condition on
/// sizes that never holds, code that does not compile.
mlir::FailureOr<TranslatedProgram>
translateToProgram(mlir::ModuleOp module, mlir::func::FuncOp function,
                   const TranslateOptions &options);

} // namespace tripy::target

#endif // TRIPY_TARGET_TRANSLATE_H
