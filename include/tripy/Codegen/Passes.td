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
    - A conversion to i4 becomes one to i8 that keeps four bits, or saturates at
      -8 and 7, as its operand asks.
    - A result is packed by element-wise operations on its bytes, one for each,
      which `kernel.packed` names the tensor of i4.

    A program without i4 stays as it is.
  }];
  let dependentDialects = ["::tripy::kernel::KernelDialect", "::tripy::flatir::FlatIRDialect",
                           "::mlir::arith::ArithDialect"];
}

def FormDispatchesPass : Pass<"flatir-form-dispatches", "::mlir::ModuleOp"> {
  let summary = "Groups flatir operations into kernels";
  let description = [{
    The fusion pass: every tensor operation ends up in a `kernel.dispatch`,
    and only `index` arithmetic, data constants and `kernel.require` stay
    outside. Composites are inlined. Every result of the function is the result
    of a dispatch of its own.

    Kernels are built around fusion roots. A contraction takes in the element-wise
    operations that follow it; reductions over trailing dimensions take in each
    other and their element-wise neighbours over the same rows; another
    reduction takes in its epilogue; the rest are loops. Then operands join the
    kernels that read them: views, conversions and splat constants always,
    element-wise operations when that saves memory traffic. Kernels never form a
    cycle, have at most 24 buffers, and at most 200 scalar operations.

    Contractions of one operand whose results meet in an element-wise operation
    are one kernel, which computes them side by side; so are the two halves of a
    contraction's columns in a gated linear unit. Independent contractions of one
    operand are one kernel with several results.

    With `column-blocks`, a large reduction of many rows and few columns becomes
    two: of chunks of the rows, and of their results.

    With tensor cores, a large contraction of 16-bit floats keeps its operands
    as tensors in memory, or parts of such: what would be applied to an operand
    on its way becomes a kernel of its own, and rows that are no multiple of 16
    bytes are copied to a padded tensor.

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
    Option<"tensorF8", "tensor-f8", "bool", "true", "So do contractions of f8">,
    Option<"paired", "paired", "unsigned", "4", "Contractions that one kernel computes">,
    Option<"vectorRows", "vector-rows", "unsigned", "0",
           "Contractions with at most so many rows have kernels that stream the matrix once">,
    Option<"fewRowsOnTensorCores", "few-rows-on-tensor-cores", "bool", "false",
           "Contractions with few rows run on tensor cores where these (wgmma) are faster">,
    Option<"columnBlocks", "column-blocks", "unsigned", "0",
           "Blocks that fill the device in reductions down columns; with 0, none is computed in two steps">,
    Option<"columnBytesFull", "column-bytes-full", "unsigned", "0",
           "Bytes from which on two steps pay where blocks that share columns reach the memory's bandwidth; 0: the chip's">,
    Option<"columnBytesEmpty", "column-bytes-empty", "unsigned", "0",
           "Bytes from which on they pay elsewhere; 0: the chip's">,
    Option<"rowBlocks", "row-blocks", "unsigned", "0",
           "Blocks that fill the device in reductions of rows; with 0, none is computed in two steps">,
    Option<"rowPartBytes", "row-part-bytes", "unsigned", "0",
           "Bytes of a row that are worth a block of their own; 0: the chip's">,
    Option<"reducesApart", "reduces-apart", "bool", "false",
           "Kernels reduce dimensions that do not lie together at once">,
    Option<"clusterColumns", "cluster-columns", "unsigned", "0",
           "Longest row that the blocks of a cluster share; with 0, there are no clusters">,
    Option<"windowsInProducts", "windows-in-products", "bool", "false",
           "Contractions of many rows read windows as they pack their right operand">,
    Option<"sortBlocks", "sort-blocks", "unsigned", "0",
           "Blocks that fill the device in sorts of long rows; with 0, one block or work item sorts a row">,
    Option<"tensorPrologues", "tensor-prologues", "std::string", "\"never\"",
           "Tensor-core kernels compute left operands element by element: never, estimated (where it pays), always">,
    Option<"attention", "attention", "std::string", "\"estimated\"",
           "Products with a softmax between them become attention: never, estimated (where it pays), always">,
    Option<"onHost", "on-host", "bool", "false", "Kernels run on the host">,
    Option<"chip", "chip", "std::string", "\"sm_90a\"", "The GPU that estimates are for">,
    Option<"tensorPaired", "tensor-paired", "unsigned", "4",
           "Contractions that one tensor-core kernel computes">];
}

def OutlineDispatchesPass : Pass<"kernel-outline", "::mlir::ModuleOp"> {
  let summary = "Turns dispatches into kernel.func, equal ones into one";
  let description = [{
    Two dispatches are equal when their regions, types and size arguments are,
    whatever their locations and operands: the layers of a transformer share
    their kernels. The function has the locations of all its dispatches; each
    call has those of its own.

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
  let summary = "Rounds 16-bit values whose readers could tell";
  let description = [{
    A value of a float type of less than 32 bits is one value, whoever reads it
    (docs/levels.md). Emitters compute it in f32, and memory rounds it. In each
    `kernel.func` on linalg, this puts a `kernel.round` behind what computes such
    a value where that would show:

    - a reader jumps (`scalar::Reading`): a comparison, floor, a conversion to an
      integer; or all bits of what a reader computes in f32 are seen;
    - readers are of different kinds: memory, a contraction, arithmetic;
    - the loop has `kernel.repeated`: other kernels compute the value, too.

    What only selects or moves values passes its readers on to its operands.

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
    For each `kernel.func` on linalg, makes a function of the same name in the
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
    For each `kernel.func` on linalg, makes a `gpu.func` of the same name in the
    nested `gpu.module @device_code`, over bare pointers and 64-bit sizes, and sets
the kernel's `config`. Contractions and attention are cut as `schedule`
    says; a kernel without one gets the model's.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::mlir::gpu::GPUDialect"];
  let options = [Option<"chip", "chip", "std::string", "\"sm_90a\"", "Target architecture">,
                 Option<"overlap", "overlap", "bool", "true",
                        "On sm_90 and later, kernels start before their predecessors ended, and wait">,
                 Option<"prefetch", "prefetch", "bool", "true",
                        "Until their predecessors have ended, kernels prefetch what they read first to the L2 cache">];
}

def ChooseSchedulesPass : Pass<"kernel-choose-schedules", "::mlir::ModuleOp"> {
  let summary = "Chooses how contractions and attention are cut";
  let description = [{
    Sets `schedule` on each `kernel.func` on linalg that is a contraction or an
    attention: what an option asks for, else what the tuning file says was the
    fastest, else what a model of costs expects to be. A schedule that is there
    stays. Nothing chooses later: what emits code does as the attribute says.

    An illegal schedule, in the text, an option or the tuning file, is an error
    with the rule that it breaks. A remark of category `gemm` or `attention` says
    what was chosen, and why.

    ```mlir
    kernel.func @dot gemm sizeArgs = [] : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
      ...
    }
    // becomes
    kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.wgmma_schedule<tile = [128, 256], stages = 4, clusterM = 2, from = model>} ...
    ```

    The loop by hand: print a program with `--stop-after=schedules`, edit a
    number, and compile the text.
  }];
  let dependentDialects = ["::tripy::kernel::KernelDialect"];
  let options = [Option<"chip", "chip", "std::string", "\"sm_90a\"", "Target architecture">,
                 Option<"tiles", "tiles", "std::string", "\"auto\"",
                        "Which attention becomes tile functions: off, auto (where it is expected to be faster), all (where it is legal)">,
                 Option<"gemmTile", "gemm-tile", "std::string", "\"\"",
                        "Tile of all tensor-core contractions, such as 128x256, 64x64,cluster=4, 128x256,stream or 16x64,swapAB; for measurements">,
                 Option<"attentionTile", "attention-tile", "std::string", "\"\"",
                        "Queries and keys of a tile of attention, such as 128x176; for measurements">,
                 Option<"attentionSplit", "attention-split", "std::string", "\"\"",
                        "Blocks that divide the keys of attention with few queries, 0 for the model's number, such as 8 or 8,keys=16,warps=4,stages=3; for measurements">,
                 Option<"tuningFile", "tuning-file", "std::string", "\"\"",
                        "Measured tiles of tensor-core kernels, which count before the model">,
                 Option<"tuningDevice", "tuning-device", "std::string", "\"\"",
                        "The GPU that measured tiles are for; empty: the only one that the file has any for">];
}

def JoinRowsPass : Pass<"kernel-join-rows", "::mlir::ModuleOp"> {
  let summary = "Computes norms in the contractions of few rows that read them";
  let description = [{
    Where only a contraction with `#kernel.gemv_schedule` reads the result of a
    row kernel of static sizes as its vectors, and its blocks run in two waves at
    most, each block computes all rows: `dot(norm(%x), %w)` becomes one kernel.
  }];
  let dependentDialects = ["::tripy::kernel::KernelDialect"];
  let options = [Option<"chip", "chip", "std::string", "\"sm_90a\"", "Target architecture">];
}

def BuildTilesPass : Pass<"kernel-build-tiles", "::mlir::ModuleOp"> {
  let summary = "Builds tile functions for kernels that warp groups compute";
  let description = [{
    For each `kernel.func` whose schedule is `#kernel.attention_schedule`, makes a
    `tile.func` behind it, in the place of the schedule. With `tiles=all`, does so
    for contractions with `#kernel.wgmma_schedule` as well; a remark of category
    `gemm` says why there is none.
  }];
  let dependentDialects = ["::tripy::tile::TileDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::gpu::GPUDialect"];
  let options = [Option<"chip", "chip", "std::string", "\"sm_90a\"", "Target architecture">,
                 Option<"tiles", "tiles", "std::string", "\"auto\"", "Which kernels: off, auto (attention), all">];
}

def TilePlacePass : Pass<"tile-place", "::mlir::ModuleOp"> {
  let summary = "Places rings in shared memory, and numbers barriers";
  let description = [{
    Stages begin at multiples of 1024 bytes, barriers follow behind them. What
    does not fit, in shared memory, named barriers or registers, is an error.
  }];
  let dependentDialects = ["::tripy::tile::TileDialect"];
  let options = [Option<"chip", "chip", "std::string", "\"sm_90a\"", "Target architecture">];
}

def TileCheckProtocolPass : Pass<"tile-check-protocol", "::mlir::ModuleOp"> {
  let summary = "Runs the roles of tile functions against each other";
  let description = [{
    Each role of a block, for up to three tiles: what it does with rings and
    ordered barriers, in the order of its code, with the parities that the
    hardware compares. A deadlock, a wait that a phase two rounds off lets pass,
    a stage that is overwritten before it was released, and a release without its
    wait are errors, with the role and the operation that it stands at.
  }];
  let dependentDialects = ["::tripy::tile::TileDialect"];
}

def TileToNVVMPass : Pass<"tile-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Emits the code of tile functions";
  let description = [{
    Behind `--kernel-emit-cuda`: for each `tile.func`, makes the kernel's function
    in the `gpu.module @device_code`, sets the kernel's `config`, and erases the
    `tile.func`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
                           "::mlir::gpu::GPUDialect"];
  let options = [Option<"chip", "chip", "std::string", "\"sm_90a\"", "Target architecture">];
}

def LibraryCandidatesPass : Pass<"kernel-library-candidates", "::mlir::ModuleOp"> {
  let summary = "Marks kernels that a library may compute";
  let description = [{
    Sets `product` on each `kernel.func` on linalg that is one product of
    matrices, perhaps with a bias, of static sizes and whole tensors, when
    cuBLASLt computes it with the same roundings and is expected to be faster.
    The kernel is emitted all the same and runs where the library is missing.
    Each candidate, taken or declined, is a remark of category `libraries`.

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
                 Option<"always", "always", "bool", "false", "Takes every candidate, whatever the model of costs says">,
                 Option<"tuningFile", "tuning-file", "std::string", "\"\"",
                        "What was measured; it counts before the model">,
                 Option<"tuningDevice", "tuning-device", "std::string", "\"\"",
                        "The GPU that it was measured on; empty: the only one that the file has any for">];
}

def KernelPlanPass : Pass<"kernel-plan", "::mlir::ModuleOp"> {
  let summary = "Places buffers and lists launches";
  let description = [{
    Replaces tensors by placed buffers: inputs, outputs, constants, and
    intervals of one arena, computed from the profile's largest sizes and from
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
    error at the operation that makes it.
  }];
  let dependentDialects = ["::tripy::kernel::KernelDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"];
}

def ExpandMathPass : Pass<"tripy-expand-math"> {
  let summary = "Replaces math functions on f32 by arithmetic";
  let description = [{
    Calls of no library remain: exp, exp2, log, log2, tanh, erf, sin, cos, tan,
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
                        "Results that are rounded to 16 bits may be computed to 16 bits">,
                 Option<"fma", "fma", "bool", "true", "The processor has fused multiply-add">,
                 Option<"rounding", "rounding", "bool", "true",
                        "The processor rounds to integers in one instruction">];
}

#endif // TRIPY_CODEGEN_PASSES
