//===- NVVM.h - Machine code for NVIDIA GPUs --------------------*- C++ -*-===//
//
// Compiles a gpu.module to PTX with LLVM, and to a cubin with nvJitLink or
// ptxas, when one of them is found. Layer target.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TARGET_NVVM_H
#define TRIPY_TARGET_NVVM_H

#include "tripy/Base/Status.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tripy::target {

struct CudaTarget {
  /// "sm_90a"
  std::string chip = "sm_90a";
  /// PTX version that the chip needs, as LLVM's feature: "+ptx84".
  std::string ptx = "+ptx84";
};

/// Checks an architecture's name. Errors: InvalidArgument, with what is known.
Result<CudaTarget> findCudaTarget(const std::string &chip);

struct DeviceCode {
  /// Text without a terminating zero.
  std::string ptx;
  /// Empty when no assembler was found.
  std::vector<uint8_t> cubin;
};

/// Compiles `module` to PTX. Consumes its functions. Errors are reported at
/// the operation, or at the module.
mlir::FailureOr<std::string> compileToPTX(mlir::gpu::GPUModuleOp module,
                                          const CudaTarget &target);

/// PTX and cubin. Without an assembler, the cubin is empty and a warning says
/// what to install. Its errors are reported at the kernel.
mlir::FailureOr<DeviceCode> compileDeviceCode(mlir::gpu::GPUModuleOp module,
                                              const CudaTarget &target);

} // namespace tripy::target

#endif // TRIPY_TARGET_NVVM_H
