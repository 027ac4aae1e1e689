//===- Passes.td - Passes between the dialects ------------*- tablegen -*-===//
#ifndef TRIPY_CONVERSION_PASSES
#define TRIPY_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def TraceToFlatIRPass : Pass<"trace-to-flatir", "::mlir::ModuleOp"> {
  let summary = "Lowers trace to flatir, which makes broadcasts and casts explicit";
  let description = [{
    Replaces every trace operation by flatir operations: broadcasts, casts and
    rank changes become explicit operations, static where sizes are static.
    Inserted operations carry a reason (`#tripy.why`). Conditions that can only be
    checked at run time become `flatir.require`. Other dialects' operations stay.

    ```mlir
    func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
      %0 = trace.add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    }
    ```

    becomes

    ```mlir
    func.func @main(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
      %0 = flatir.broadcast %b dims = [1] sizes() : tensor<3xf32> -> tensor<2x3xf32>
      %1 = flatir.add %a, %0 : tensor<2x3xf32>
      return %1 : tensor<2x3xf32>
    }
    ```
  }];
  let dependentDialects = ["::tripy::flatir::FlatIRDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"];
}

def LinalgToFlatIRPass : Pass<"linalg-to-flatir", "::mlir::ModuleOp"> {
  let summary = "Raises linalg, tensor and arith on tensors to flatir";
  let description = [{
    Structured operations of linalg, operations of `tensor` and element-wise
    `arith` and `math` become equivalent flatir operations, so that the fusion pass
    treats them like all others. The bodies of `linalg.generic` become
    operations on tensors over the iteration space, operands are read through
    broadcasts, transposes, slices and gathers, and sums of products become
    `flatir.dot`. Arithmetic that flatir lacks (bitwise operations) stays, on
    tensors. Operations that kernels do not support are errors at their line.
    Operations of trace and flatir stay (docs/linalg.md).

    ```mlir
    func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %e = tensor.empty() : tensor<2x3xf32>
      %0 = linalg.exp ins(%a : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    }
    ```

    becomes

    ```mlir
    func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %0 = flatir.exp %a : tensor<2x3xf32>
      return %0 : tensor<2x3xf32>
    }
    ```
  }];
  let dependentDialects = ["::tripy::flatir::FlatIRDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def InlineCompositesPass : Pass<"flatir-inline-composites"> {
  let summary = "Replaces flatir.composite by its decomposition";
  let description = [{
    For passes that do not support composites. Nested composites are replaced,
    too; locations stay.

    ```mlir
    %r = flatir.composite "square" (%x) {} : (tensor<2xf32>) -> tensor<2xf32> {
    ^bb0(%a: tensor<2xf32>):
      %0 = flatir.mul %a, %a : tensor<2xf32>
      flatir.yield %0 : tensor<2xf32>
    }
    // becomes
    %r = flatir.mul %x, %x : tensor<2xf32>
    ```
  }];
  let dependentDialects = ["::tripy::flatir::FlatIRDialect"];
}

def FlatIRToLinalgPass : Pass<"flatir-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Lowers the bodies of kernels to linalg on tensors";
  let description = [{
    Inside `kernel.func` (and in functions of a module without kernels), flatir
    operations become `linalg.generic`, `tensor.extract_slice`, `tensor.concat`,
    `tensor.expand_shape` and `tensor.collapse_shape`. The maps of a generic are
    projected permutations, or 0 for a dimension of size 1; accesses that maps
    cannot express (a dimension that is 1 only at run time, a negative stride, a
    dynamic offset) are a `tensor.extract` in the body. Reductions and contractions
    of 16-bit floats accumulate in f32; a separate generic rounds.

    In a kernel, sizes are its index arguments. In a function they are
    `tensor.dim` of its arguments, and `flatir.require` becomes `cf.assert`.

    ```mlir
    func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %0 = flatir.exp %x : tensor<?xf32>
      return %0 : tensor<?xf32>
    }
    ```

    becomes

    ```mlir
    #map = affine_map<(d0) -> (d0)>
    func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : tensor<?xf32>
      %init = tensor.empty(%n) : tensor<?xf32>
      %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
          ins(%x : tensor<?xf32>) outs(%init : tensor<?xf32>) {
      ^bb0(%in: f32, %out: f32):
        %1 = math.exp %in : f32
        linalg.yield %1 : f32
      } -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::cf::ControlFlowDialect", "::tripy::kernel::KernelDialect"];
}

def KernelToGPUPass : Pass<"kernel-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Lowers kernel.launch to gpu.launch_func";
  let description = [{
    For programs that stock MLIR runs instead of Tripy's runtime. The input is a
    module that `--kernel-plan` planned for CUDA, with its code as the gpu.binary
    that `--device-code-to-binary` created. `@main` then takes memrefs of device
    memory: the inputs, the constants, and the outputs, in this order. It
    allocates the arena, launches the kernels on one stream, and returns when
    they have ended. Inputs outside of their profile, sizes that do not match and
    outputs of a wrong size end the process with a message (`tripyRequire`).

    - `@main_output_sizes` takes the inputs and returns the dynamic sizes of
      the outputs, in order; it exists only if there are any.
    - `@main_constants` returns the constants in new device memory; it exists
      only if there are any.

    ```mlir
    kernel.launch @exp grid(%g, %c1, %c1) buffers(%a, %b) bytes(%n8, %n8) sizes(%n) written = 1
    ```

    becomes

    ```mlir
    %t = gpu.launch_func async [%s] @device_code::@exp blocks in (%g, %c1, %c1) threads in (%c256, %c1, %c1) args(%pa : !llvm.ptr, %pb : !llvm.ptr, %n : index)
    ```

    Upstream's `gpu-to-llvm` and `mlir-runner` do the rest, with
    libTripyCudaWrappers.so (docs/second-exit.md). Unlike in Tripy's runtime,
    kernels do not overlap their predecessors.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif // TRIPY_CONVERSION_PASSES
