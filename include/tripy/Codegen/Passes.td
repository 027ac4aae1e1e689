//===- Passes.td - Passes that make kernels ---------------*- tablegen -*-===//
#ifndef TRIPY_CODEGEN_PASSES
#define TRIPY_CODEGEN_PASSES

include "mlir/Pass/PassBase.td"

def UnpackI4Pass : Pass<"flatir-unpack-i4", "::mlir::ModuleOp"> {
  let summary = "Computes elements of i4 as i8, and packs results";
  let description = [{
    A tensor of i4 has two elements in a byte, so a kernel that wrote single
    elements would need two threads to write one byte. Inside a program such
    elements are therefore i8, from -8 to 7:

    - What reads an argument or a constant reads its conversion to i8, which
      fuses as every conversion does: the kernel that uses an element reads the
      packed byte.
    - A conversion to i4 becomes one to i8 that keeps four bits or saturates at
      -8 and 7, depending on its operand.
    - A result is packed by element-wise operations on its bytes, which
      `kernel.packed` reinterprets as a tensor of i4.

    A program without i4 is not changed.
  }];
  let dependentDialects = ["::tripy::kernel::KernelDialect", "::tripy::flatir::FlatIRDialect",
                           "::mlir::arith::ArithDialect"];
}

def FormDispatchesPass : Pass<"flatir-form-dispatches", "::mlir::ModuleOp"> {
  let summary = "Fuses flatir operations into kernels";
  let description = [{
    The fusion pass: every tensor operation ends up in a `kernel.dispatch`,
    and only `index` arithmetic, data constants and `kernel.require` stay
    outside. Composites are inlined. Every result of the function is the result
    of a different dispatch.

    Kernels are built around fusion roots. A contraction is fused with the
    element-wise operations that follow it (epilogue); reductions over trailing
    dimensions are fused with each other and with element-wise operations over
    the same rows; any other reduction is fused with its epilogue; the remaining
    operations are loops. Then producers are fused into the kernels that read
    them: views, conversions and splat constants always, element-wise operations
    if that saves memory traffic. Kernels never form a cycle, have at most 24
    buffers, and at most 200 scalar operations.

    Contractions that share an operand and whose results meet in an element-wise
    operation become one kernel, which computes them together; so do the two
    halves of a contraction's columns in a gated linear unit. Independent
    contractions that share an operand become one kernel with several results.

    With `column-blocks`, a large reduction of many rows and few columns becomes
    two: of chunks of the rows, and of their results.

    With tensor cores, a large contraction of 16-bit floats reads its operands
    from memory, as whole tensors or parts of tensors: without a prologue, the
    producers of an operand become a separate kernel, and rows that are not a
    multiple of 16 bytes are copied to a padded tensor.

    Each decision is a remark of category `fusion`.

    ```mlir
    func.func @main(%x: tensor<2x3xf32>) -> tensor<2xf32> {
      %e = flatir.exp %x : tensor<2x3xf32>
      %s = flatir.reduce sum %e dims = [1] : tensor<2x3xf32> -> tensor<2xf32>
      return %s : tensor<2xf32>
    }
    ```

    becomes

    ```mlir
    func.func @main(%x: tensor<2x3xf32>) -> tensor<2xf32> {
      %s = kernel.dispatch row(%x) sizes() sizeArgs = [] {name = "exp_sum"} : (tensor<2x3xf32>) -> tensor<2xf32> {
      ^bb0(%a: tensor<2x3xf32>):
        %0 = flatir.exp %a : tensor<2x3xf32>
        %1 = flatir.reduce sum %0 dims = [1] : tensor<2x3xf32> -> tensor<2xf32>
        kernel.yield %1 : tensor<2xf32>
      }
      return %s : tensor<2xf32>
    }
    ```
  }];
  let dependentDialects = ["::tripy::kernel::KernelDialect", "::tripy::flatir::FlatIRDialect",
                           "::mlir::arith::ArithDialect"];
  let options = [
    Option<"tensorCores", "tensor-cores", "bool", "false", "Contractions of 16-bit floats run on tensor cores">,
    Option<"tensorF8", "tensor-f8", "bool", "true", "Contractions of f8 run on tensor cores, too">,
    Option<"paired", "paired", "unsigned", "4", "Maximum number of contractions in one kernel">,
    Option<"vectorRows", "vector-rows", "unsigned", "0",
           "Maximum number of rows of contractions that become gemv kernels">,
    Option<"fewRowsOnTensorCores", "few-rows-on-tensor-cores", "bool", "false",
           "Contractions with few rows run on tensor cores (wgmma) if that is faster">,
    Option<"columnBlocks", "column-blocks", "unsigned", "0",
           "Blocks that fill the device in reductions down columns; 0: no reduction is split into two steps">,
    Option<"columnBytesFull", "column-bytes-full", "unsigned", "0",
           "Minimum bytes for two steps if blocks that share columns reach the memory bandwidth; 0: the chip's default">,
    Option<"columnBytesEmpty", "column-bytes-empty", "unsigned", "0",
           "Minimum bytes for two steps otherwise; 0: the chip's default">,
    Option<"rowBlocks", "row-blocks", "unsigned", "0",
           "Blocks that fill the device in reductions of rows; 0: no reduction is split into two steps">,
    Option<"rowPartBytes", "row-part-bytes", "unsigned", "0",
           "Minimum bytes of a row for each block that shares it; 0: the chip's default">,
    Option<"reducesApart", "reduces-apart", "bool", "false",
           "Kernels can reduce dimensions that are not adjacent in one step">,
    Option<"clusterColumns", "cluster-columns", "unsigned", "0",
           "Maximum length of a row that the blocks of a cluster share; 0: no clusters">,
    Option<"windowsInProducts", "windows-in-products", "bool", "false",
           "Contractions with many rows compute windows (im2col) while packing their right operand">,
    Option<"sortBlocks", "sort-blocks", "unsigned", "0",
           "Blocks that fill the device in sorts of long rows; 0: each row is sorted by one block or work item">,
    Option<"tensorPrologues", "tensor-prologues", "std::string", "\"never\"",
           "Fuse element-wise producers of left operands into tensor-core kernels as prologues: never, estimated (if expected to be faster), always">,
    Option<"attention", "attention", "std::string", "\"estimated\"",
           "Fuse products with a softmax between them into attention: never, estimated (if expected to be faster), always">,
    Option<"onHost", "on-host", "bool", "false", "Kernels run on the host">,
    Option<"chip", "chip", "std::string", "\"sm_90a\"", "The GPU for which costs are estimated">,
    Option<"tensorPaired", "tensor-paired", "unsigned", "4",
           "Maximum number of contractions in one tensor-core kernel">];
}

def OutlineDispatchesPass : Pass<"kernel-outline", "::mlir::ModuleOp"> {
  let summary = "Outlines dispatches to kernel.func and merges equal ones";
  let description = [{
    Two dispatches are equal if their regions, types and size arguments are equal,
    regardless of their locations and operands: the layers of a transformer share
    their kernels. The function has the locations of all its dispatches; each
    call has the location of its dispatch.

    ```mlir
    %r = kernel.dispatch loop(%x) sizes() sizeArgs = [] {name = "exp"} : (tensor<2xf32>) -> tensor<2xf32> {
    ^bb0(%a: tensor<2xf32>):
      %0 = flatir.exp %a : tensor<2xf32>
      kernel.yield %0 : tensor<2xf32>
    }
    ```

    in function `@main` becomes

    ```mlir
    %r = kernel.call @main_loop_0_exp(%x) sizes() : (tensor<2xf32>) -> tensor<2xf32>
    ```

    and

    ```mlir
    kernel.func @main_loop_0_exp loop sizeArgs = [] : (tensor<2xf32>) -> tensor<2xf32> {
    ^bb0(%a: tensor<2xf32>):
      %0 = flatir.exp %a : tensor<2xf32>
      kernel.yield %0 : tensor<2xf32>
    }
    ```
  }];
  let dependentDialects = ["::tripy::kernel::KernelDialect"];
}

def RoundValuesPass : Pass<"kernel-round-values", "::mlir::ModuleOp"> {
  let summary = "Rounds 16-bit values where extra precision could be observed";
  let description = [{
    A value of a float type of less than 32 bits is the same value for all its
    readers (docs/levels.md). Emitters compute it in f32, and storing rounds it.
    In each `kernel.func` on linalg, this pass inserts a `kernel.round` after the
    operation that computes such a value, if the difference could be observed:

    - a reader is discontinuous (`scalar::Reading`): a comparison, floor, a
      conversion to an integer; or all bits of an f32 result of a reader are
      observable;
    - readers are of different kinds: memory, a contraction, arithmetic;
    - the loop has `kernel.repeated`: other kernels compute the value, too.

    The readers of an operation that only selects or moves values count as
    readers of its operands.

    ```mlir
    ^bb0(%a: f16, %b: f16, %out: i1):
      %s = arith.addf %a, %b : f16
      %r = kernel.round %s : f16       // inserted
      %c = arith.cmpf ogt, %r, %a : f16
      linalg.yield %c : i1
    ```
  }];
  let dependentDialects = ["::tripy::kernel::KernelDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def EmitCPUPass : Pass<"kernel-emit-cpu", "::mlir::ModuleOp"> {
  let summary = "Emits host code for kernels";
  let description = [{
    For each `kernel.func` on linalg, creates a function of the same name in the
    nested module `@host_code`, over pointers, and sets the kernel's `config`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::func::FuncDialect"];
  let options = [Option<"vectorBits", "vector-bits", "unsigned", "256", "Width of the processor's vectors in bits">,
                 Option<"f16Conversion", "f16-conversion", "bool", "true", "The processor converts f16 to f32 and back">];
}

def EmitCUDAPass : Pass<"kernel-emit-cuda", "::mlir::ModuleOp"> {
  let summary = "Emits CUDA kernels";
  let description = [{
    For each `kernel.func` on linalg, creates a `gpu.func` of the same name in the
    nested `gpu.module @device_code`, over bare pointers and 64-bit sizes, and sets
    the kernel's `config`. Contractions and attention follow their `schedule`; a
    kernel without one gets the cost model's choice.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::mlir::gpu::GPUDialect"];
  let options = [Option<"chip", "chip", "std::string", "\"sm_90a\"", "Target architecture">,
                 Option<"overlap", "overlap", "bool", "true",
                        "On sm_90 and later, kernels use programmatic dependent launch: they start early, and wait for their predecessors">,
                 Option<"prefetch", "prefetch", "bool", "true",
                        "While kernels wait for their predecessors, they prefetch what they read first into the L2 cache">];
}

def ChooseSchedulesPass : Pass<"kernel-choose-schedules", "::mlir::ModuleOp"> {
  let summary = "Chooses schedules of contractions and attention";
  let description = [{
    Sets `schedule` on each `kernel.func` on linalg that is a contraction or an
    attention: from an option, else the tuning file, else by a cost model. An
    existing schedule is kept. There are no later choices: the emitters follow it.

    An illegal schedule is an error that names the violated rule. A remark of
    category `gemm` or `attention` says what was chosen, and why.

    ```mlir
    kernel.func @dot gemm sizeArgs = [] : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
      ...
    }
    // becomes
    kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.wgmma_schedule<tile = [128, 256], stages = 4, clusterM = 2, from = model>} ...
    ```

    To try a schedule by hand, print a program with `--stop-after=schedules`, edit
    a number, and compile the text.
  }];
  let dependentDialects = ["::tripy::kernel::KernelDialect"];
  let options = [Option<"chip", "chip", "std::string", "\"sm_90a\"", "Target architecture">,
                 Option<"tiles", "tiles", "std::string", "\"auto\"",
                        "Which attention kernels become tile functions: off, auto (if expected to be faster), all (if legal)">,
                 Option<"gemmTile", "gemm-tile", "std::string", "\"\"",
                        "The schedule of all tensor-core contractions, such as 128x256, 64x64,cluster=4, 128x256,stream or 16x64,swapAB; for experiments">,
                 Option<"f32TensorCores", "f32-tensor-cores", "bool", "true", "Products of f32 may be sums of TF32 products">,
                 Option<"attentionTile", "attention-tile", "std::string", "\"\"",
                        "The tile of attention kernels, queries x keys, such as 128x176; for experiments">,
                 Option<"attentionSplit", "attention-split", "std::string", "\"\"",
                        "Number of blocks that split the keys of attention with few queries, such as 8 or 8,keys=16,warps=4,stages=3; 0: the cost model's choice; for experiments">,
                 Option<"tuningFile", "tuning-file", "std::string", "\"\"",
                        "Tuning file with measured schedules of tensor-core kernels, which take precedence over the cost model">,
                 Option<"tuningDevice", "tuning-device", "std::string", "\"\"",
                        "The GPU whose tuning records are used; needed if the file has records of several GPUs for one contraction">];
}

def FuseNormsPass : Pass<"kernel-fuse-norms", "::mlir::ModuleOp"> {
  let summary = "Fuses norms into the contractions that read them, or that they read";
  let description = [{
    If only a contraction with `#kernel.gemv_schedule` reads a row kernel of static
    sizes, each block recomputes all rows, if there are two waves at most. A row kernel
    that reads one with `#kernel.wgmma_schedule` joins its epilogue (docs/schedules.md).
  }];
  let dependentDialects = ["::tripy::kernel::KernelDialect"];
  let options = [Option<"chip", "chip", "std::string", "\"sm_90a\"", "Target architecture">];
}

def BuildTilesPass : Pass<"kernel-build-tiles", "::mlir::ModuleOp"> {
  let summary = "Builds tile functions for warp-specialized kernels";
  let description = [{
    For each `kernel.func` whose schedule is `#kernel.attention_schedule`, creates
    a `tile.func` after it, which replaces the schedule. With `tiles=all`, does so
    for contractions with `#kernel.wgmma_schedule` as well; if a contraction has no
    tile function, a remark of category `gemm` says why.
  }];
  let dependentDialects = ["::tripy::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::gpu::GPUDialect"];
  let options = [Option<"chip", "chip", "std::string", "\"sm_90a\"", "Target architecture">,
                 Option<"tiles", "tiles", "std::string", "\"auto\"", "Which kernels: off, auto (attention), all">];
}

def TilePlacePass : Pass<"tile-place", "::mlir::ModuleOp"> {
  let summary = "Assigns shared memory to rings, and numbers to barriers";
  let description = [{
    Stages begin at multiples of 1024 bytes, barriers follow after them. If shared
    memory, named barriers or registers do not suffice, this is an error.
  }];
  let dependentDialects = ["::tripy::tile::TileDialect"];
  let options = [Option<"chip", "chip", "std::string", "\"sm_90a\"", "Target architecture">];
}

def TileCheckProtocolPass : Pass<"tile-check-protocol", "::mlir::ModuleOp"> {
  let summary = "Checks the synchronization between the roles of tile functions";
  let description = [{
    Simulates the roles of a block together, for up to three tiles: their
    operations on rings and ordered barriers, in the order of their code, with the
    parities that the hardware compares. A deadlock, a wait that a phase two
    rounds off lets pass, a stage that is overwritten before it was released, and
    a release without its wait are errors that name the role and the operation.
  }];
  let dependentDialects = ["::tripy::tile::TileDialect"];
}

def TileToNVVMPass : Pass<"tile-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Emits the code of tile functions";
  let description = [{
    Runs after `--kernel-emit-cuda`: for each `tile.func`, creates the kernel's
    function in the `gpu.module @device_code`, sets the kernel's `config`, and
    erases the `tile.func`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::mlir::gpu::GPUDialect"];
  let options = [Option<"chip", "chip", "std::string", "\"sm_90a\"", "Target architecture">];
}

def LibraryCandidatesPass : Pass<"kernel-library-candidates", "::mlir::ModuleOp"> {
  let summary = "Marks kernels that a library may compute";
  let description = [{
    Sets `product` on each `kernel.func` on linalg that is a single matrix
    product, possibly with a bias, of static sizes and whole tensors, if
    cuBLASLt computes it with the same roundings and is expected to be faster.
    The kernel is emitted as well and runs where the library is missing.
    Each candidate, accepted or declined, is a remark of category `libraries`.

    ```mlir
    kernel.func @dot gemm sizeArgs = [] : (tensor<64x32xf16>, tensor<16x32xf16>) -> tensor<64x16xf16> {
      ...
    }
    // becomes
    kernel.func @dot gemm sizeArgs = [] attributes {product = #kernel.product<a = 0, b = 1, bias = -1,
        transposedA = false, transposedB = true, allowTF32 = false, batch = 1, m = 64, n = 16, k = 32>} ...
    ```
  }];
  let dependentDialects = ["::tripy::kernel::KernelDialect"];
  let options = [Option<"chip", "chip", "std::string", "\"sm_90a\"", "Target architecture">,
                 Option<"always", "always", "bool", "false", "Accept every candidate, whatever the cost model says">,
                 Option<"tuningFile", "tuning-file", "std::string", "\"\"",
                        "Tuning file, whose records take precedence over the cost model">,
                 Option<"tuningDevice", "tuning-device", "std::string", "\"\"",
                        "The GPU whose tuning records are used; needed if the file has records of several GPUs for one contraction">];
}

def KernelPlanPass : Pass<"kernel-plan", "::mlir::ModuleOp"> {
  let summary = "Allocates buffers and lists launches";
  let description = [{
    Replaces tensors by buffers: inputs, outputs, constants, and intervals of a
    single arena, which are allocated by the profile's largest sizes and by
    lifetimes. The program becomes a list of `kernel.launch`.

    ```mlir
    func.func @main(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
      %n = flatir.dim %x, 0 : tensor<?x2xf32>
      %r = kernel.call @exp(%x, %n) sizes(%n) : (tensor<?x2xf32>, index) -> tensor<?x2xf32>
      return %r : tensor<?x2xf32>
    }
    // becomes
    func.func @main(%x: tensor<?x2xf32>) -> index attributes {
        kernel.outputs = [tensor<?x2xf32>], kernel.output_names = ["result0"],
        kernel.constants = [], kernel.arena = 0} {
      %n = kernel.input_size 0, 0
      %c8 = arith.constant 8 : index
      %bytes = arith.muli %n, %c8 : index
      %0 = kernel.buffer input 0
      %1 = kernel.buffer output 0
      kernel.launch @exp grid(%n, %c1, %c1) buffers(%0, %1) bytes(%bytes, %bytes) sizes(%n) written = 1
      return %n : index
    }
    ```

    Arguments stay as the declaration of the inputs. Results become attributes;
    what the function returns are their dynamic sizes. `kernel.constants` lists
    the values of constant buffers, `kernel.arena` is the arena's size in bytes.

    A tensor of more than 2^40 bytes for the largest sizes of the profile is an
    error at the operation that produces it.
  }];
  let dependentDialects = ["::tripy::kernel::KernelDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"];
}

def ExpandMathPass : Pass<"tripy-expand-math"> {
  let summary = "Expands math functions on f32 to arithmetic";
  let description = [{
    No library calls remain: exp, exp2, log, log2, tanh, erf, sin, cos, tan,
    powf and rsqrt on f32, f16 and bf16 become straight-line arithmetic with the
    same result bits on every device, within the bounds of docs/accuracy.md.

    ```mlir
    %0 = math.rsqrt %x : f32
    // becomes
    %1 = math.sqrt %x : f32
    %0 = arith.divf %cst, %1 : f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
  let options = [Option<"cuda", "cuda", "bool", "false", "The code is for CUDA">,
                 Option<"fast16", "fast16", "bool", "true",
                        "Results that are rounded to 16 bits may be computed with the precision of 16 bits">,
                 Option<"fma", "fma", "bool", "true", "The processor has fused multiply-add">,
                 Option<"rounding", "rounding", "bool", "true",
                        "The processor rounds to integers in one instruction">];
}

#endif // TRIPY_CODEGEN_PASSES
