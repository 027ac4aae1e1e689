//===- HostCode.h - Machine code for the host -------------------*- C++ -*-===//
//
// Compiles a module of kernels over pointers to one position-independent block
// of x86-64 code. Layer target.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TARGET_HOSTCODE_H
#define TRIPY_TARGET_HOSTCODE_H

#include "tripy/Target/HostTarget.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tripy::target {

class CodeWatch;

struct HostCode {
  /// What Image of kind HostCode holds.
  std::vector<uint8_t> bytes;
  /// Offset of each kernel, in the order asked for.
  std::vector<uint64_t> entries;
};

/// Compiles the functions of `hostCode` (func, scf, cf, arith, math with
/// instructions, vector, llvm) and returns where `kernels` begin. Consumes the
/// functions: the module is empty afterwards. `watch` may be null. Errors are
/// reported at the operation, or at the module.
mlir::FailureOr<HostCode> compileHostCode(mlir::ModuleOp hostCode,
                                          llvm::ArrayRef<std::string> kernels,
                                          const HostTarget &host,
                                          CodeWatch *watch = nullptr);

/// The same as assembly text.
mlir::FailureOr<std::string> printHostAssembly(mlir::ModuleOp hostCode,
                                               const HostTarget &host);

} // namespace tripy::target

#endif // TRIPY_TARGET_HOSTCODE_H
