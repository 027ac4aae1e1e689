//===- Passes.td - Passes that make machine code ----------*- tablegen -*-===//
#ifndef TRIPY_TARGET_PASSES
#define TRIPY_TARGET_PASSES

include "mlir/Pass/PassBase.td"

def DeviceCodeToBinaryPass : Pass<"device-code-to-binary", "::mlir::ModuleOp"> {
  let summary = "Compiles gpu.module @device_code to a gpu.binary";
  let description = [{
    LLVM's code for the chip, as PTX that the driver assembles when it is
    loaded, or assembled by CUDA's toolkit. What the assembler says of a kernel
    is reported at its line.

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
