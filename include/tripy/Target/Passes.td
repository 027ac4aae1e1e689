//===- Passes.td - Passes that make machine code ----------*- tablegen -*-===//
#ifndef TRIPY_TARGET_PASSES
#define TRIPY_TARGET_PASSES

include "mlir/Pass/PassBase.td"

def MergeEqualKernelsPass : Pass<"kernel-merge-equal", "::mlir::ModuleOp"> {
  let summary = "Merges kernels with equal code";
  let description = [{
    If kernels of a planned program are equal except for names and locations, only
    the first one's code is kept. The `kernel.func` of the others names it in
    `kernel.code`; their launches keep their own grids and tensor maps.
  }];
}

def CodeToLLVMPass : Pass<"code-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lowers the kernels' code to LLVM's dialect";
  let description = [{
    `module @host_code` and `gpu.module @device_code`, of scf, arith, math,
    vector, func and gpu, become functions of LLVM's dialect, with operations of
    nvvm where the code is for CUDA, and inline PTX where LLVM has no intrinsic.
    LLVM compiles this code to machine code.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
                           "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect"];
}

def DeviceCodeToBinaryPass : Pass<"device-code-to-binary", "::mlir::ModuleOp"> {
  let summary = "Compiles gpu.module @device_code to a gpu.binary";
  let description = [{
    LLVM's code for the chip, as PTX that the driver assembles when it is loaded,
    or assembled by the CUDA toolkit. Messages of the assembler about a kernel are
    reported at the kernel's line.

    ```mlir
    gpu.module @device_code { ... }
    ```

    becomes

    ```mlir
    gpu.binary @device_code [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "...">]
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", "\"sm_90a\"", "Architecture of the GPU">,
    Option<"format", "format", "std::string", "\"ptx\"", "'ptx', or 'cubin', which needs CUDA's assembler">];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // TRIPY_TARGET_PASSES
