//===- NVVM.h - Machine code for NVIDIA GPUs --------------------*- C++ -*-===//
//
// Compiles a gpu.module to PTX with LLVM, and to a cubin with nvJitLink or
// ptxas, when one of them is found. Layer target.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_TARGET_NVVM_H
#define TRIPY_TARGET_NVVM_H

#include "tripy/Base/Status.h"
#include "tripy/Target/CodeCache.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringMap.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tripy::target {

class CodeWatch;

struct CudaTarget {
  /// "sm_90a"
  std::string chip;
  /// PTX version that the chip needs, as LLVM's feature: "+ptx84".
  std::string ptx;
  /// Shared memory that a block may use.
  uint32_t sharedBytes = 0;
  /// Blocks that a cluster may have; 1: there are no clusters.
  uint32_t clusterBlocks = 1;
};

/// How a kernel is launched, as far as the chip limits it.
struct LaunchShape {
  std::array<uint32_t, 3> block = {1, 1, 1}, cluster = {1, 1, 1};
  /// Bytes of shared memory beyond what the kernel declares.
  uint64_t dynamicShared = 0;
};

/// Checks an architecture's name. Errors: InvalidArgument, with what is known.
Result<CudaTarget> findCudaTarget(const std::string &chip);

struct DeviceCode {
  /// Text without a terminating zero.
  std::string ptx;
  /// Empty when no assembler was found.
  std::vector<std::vector<uint8_t>> cubins;
};

/// Compiles `module` to PTX. Consumes its functions. Errors are reported at
/// the operation, or at the module.
mlir::FailureOr<std::string> compileToPTX(mlir::gpu::GPUModuleOp module,
                                          const CudaTarget &target);

/// PTX and cubin, from the cache when they are there, else compiled, and put
/// there. Without an assembler, there are no cubins and a warning says what to
/// install. Errors are reported at the kernel, also when it cannot be launched
/// in its shape: `shapes` are by the kernels' names. `watch` may be null.
mlir::FailureOr<DeviceCode>
compileDeviceCode(mlir::gpu::GPUModuleOp module, const CudaTarget &target,
                  const llvm::StringMap<LaunchShape> &shapes,
                  const CacheOptions &cache, CodeWatch *watch = nullptr);

} // namespace tripy::target

#endif // TRIPY_TARGET_NVVM_H
