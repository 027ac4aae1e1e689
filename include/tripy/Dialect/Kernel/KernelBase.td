//===- KernelBase.td - The kernel dialect, its types and attributes -*- tablegen -*-===//
#ifndef TRIPY_DIALECT_KERNEL_KERNELBASE
#define TRIPY_DIALECT_KERNEL_KERNELBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tripy/Dialect/Common/OpBase.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::tripy::kernel";
  let summary = "One region, one kernel; then launches of placed buffers";
  let description = [{
    1. `kernel.dispatch` groups tensor operations that become one kernel;
       `kernel.packed` names the bytes of a result of i4.
    2. `kernel.func` and `kernel.call`: dispatches outlined, equal ones once.
    3. `kernel.launch`: kernels with buffers instead of tensors.

    **Sizes.** Each dynamic dimension of a tensor argument or result is the
    value of an `index` argument. `sizeArgs` lists, for all tensor arguments in
    order and then all results, for each dynamic dimension in order, the number
    of the argument that holds it. A kernel therefore knows every size from its
    arguments, and equal sizes are one argument.
  }];
  let hasOperationAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

def Kernel_BufferType : TypeDef<Kernel_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "A placed range of memory: an input, an output, a constant, or a part of the arena";
}

def Kernel_FusionRoot : I32EnumAttr<"FusionRoot", "what a kernel is built around", [
    I32EnumAttrCase<"Loop", 0, "loop">, I32EnumAttrCase<"Row", 1, "row">,
    I32EnumAttrCase<"Reduce", 2, "reduce">, I32EnumAttrCase<"Gemm", 3, "gemm">,
    I32EnumAttrCase<"Scan", 4, "scan">, I32EnumAttrCase<"Attention", 5, "attention">,
    I32EnumAttrCase<"Sort", 6, "sort">, I32EnumAttrCase<"Plugin", 7, "plugin">]> {
  let cppNamespace = "::tripy::kernel";
  let genSpecializedAttr = 0;
  let description = [{
    loop: element-wise. row: every tensor is spanned by rows x columns, with
    reductions over the columns. reduce: one reduction over any dimensions with
    its neighbours. gemm: one contraction with an element-wise epilogue. scan:
    running sums with element-wise neighbours. attention: one attention with
    what computes its mask, and an element-wise epilogue. sort: positions in
    sorted order. plugin: a kernel that the user brings, alone.
  }];
}
def Kernel_FusionRootAttr : EnumAttr<Kernel_Dialect, Kernel_FusionRoot, "root">;

def Kernel_TensorMapAttr : AttrDef<Kernel_Dialect, "TensorMap"> {
  let mnemonic = "tensor_map";
  let summary = "A tensor map that a kernel gets by value";
  let description = [{
    Describes tensor `buffer` (counted over the kernel's tensor arguments and
    then its results) to the tensor memory accelerator. `dims` are elements and
    `strides` bytes of all dimensions but the first, innermost first, as maps
    of the kernel's index arguments (symbols); `box` is the size of one copy in
    elements; `swizzle` is 0, 32, 64 or 128 bytes.
  }];
  let parameters = (ins "int64_t":$buffer, "::mlir::AffineMap":$dims, "::mlir::AffineMap":$strides,
                        ArrayRefParameter<"int64_t">:$box, "int64_t":$swizzle);
  let assemblyFormat = "`<` `buffer` `=` $buffer `,` `dims` `=` $dims `,` `strides` `=` $strides `,` `box` `=` `[` $box `]` `,` `swizzle` `=` $swizzle `>`";
}

def Kernel_ConfigAttr : AttrDef<Kernel_Dialect, "Config"> {
  let mnemonic = "config";
  let summary = "How a compiled kernel is launched";
  let description = [{
    - `grid`: blocks (CUDA) or work items (CPU) in x, y, z as a map of the
      kernel's index arguments, in order, as symbols.
    - `block`, `cluster`: threads of a block, blocks of a cluster.
    - `scratch`: bytes of dynamic shared memory of a block, or of scratch of a
      worker.
    - `workspace`: bytes of two more buffers that follow the tensors: one that
      holds anything, and one that is zero when the kernel starts and that it
      leaves zero.
    - `tensor_maps`: parameters that follow the buffers and the sizes.
  }];
  let parameters = (ins "::mlir::AffineMap":$grid, ArrayRefParameter<"int64_t">:$block,
                        ArrayRefParameter<"int64_t">:$cluster, "int64_t":$scratch,
                        OptionalArrayRefParameter<"int64_t">:$workspace,
                        OptionalArrayRefParameter<"::tripy::kernel::TensorMapAttr">:$tensorMaps);
  let assemblyFormat = "`<` `grid` `=` $grid `,` `block` `=` `[` $block `]` `,` `cluster` `=` `[` $cluster `]` `,` `scratch` `=` $scratch (`workspace` `=` `[` $workspace^ `]`)? (`,` `tensor_maps` `=` `[` $tensorMaps^ `]`)? `>`";
}

def Kernel_SizesAttr : AttrDef<Kernel_Dialect, "Sizes"> {
  let mnemonic = "sizes";
  let summary = "What a kernel's index arguments are, by the profile";
  let description = [{
    For each `index` argument of a dispatch or a kernel, in their order, its
    smallest value, the one to plan for, and its largest. A kernel is right for
    all sizes from the smallest to the largest, and fast for those between.

    ```mlir
    #kernel.sizes<[1, 64, 8192], [16, 16, 32]>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$min, ArrayRefParameter<"int64_t">:$opt, ArrayRefParameter<"int64_t">:$max);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Kernel_GuardAttr : AttrDef<Kernel_Dialect, "Guard"> {
  let mnemonic = "guard";
  let summary = "The sizes that one version of a kernel is launched for";
  let description = [{
    `size`, a map of the kernel's index arguments (symbols) to one number, is
    from `least` to `most`. For other sizes the grid is empty.

    ```mlir
    #kernel.guard<()[s0] -> (s0), least = 1, most = 8>
    ```
  }];
  let parameters = (ins "::mlir::AffineMap":$size, "int64_t":$least, "int64_t":$most);
  let assemblyFormat = "`<` $size `,` struct($least, $most) `>`";
  let genVerifyDecl = 1;
}

def Kernel_ProductAttr : AttrDef<Kernel_Dialect, "Product"> {
  let mnemonic = "product";
  let summary = "A product of matrices that a library may compute in a kernel's place";
  let description = [{
    All that the kernel computes: for each of `batch` matrices, result[m, n] is
    the sum over k of A[m, k] * B[k, n], plus bias[n] where there is one. `a`,
    `b` and `bias` are numbers of the kernel's tensor arguments (no bias: -1),
    which are read whole and dense: A is [batch, m, k], or [batch, k, m] where
    it is transposed, B [batch, k, n] or [batch, n, k], each of these perhaps
    several dimensions. The result is the kernel's only one, [batch, m, n].
  }];
  let parameters = (ins "int64_t":$a, "int64_t":$b, "int64_t":$bias, "bool":$transposedA, "bool":$transposedB,
                        "bool":$allowTF32, "int64_t":$batch, "int64_t":$m, "int64_t":$n, "int64_t":$k);
  let assemblyFormat = "`<` struct(params) `>`";
}

class Kernel_Op<string mnemonic, list<Trait> traits = []> : Op<Kernel_Dialect, mnemonic, traits>;
defvar Kernel_Reifies = DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>;

#endif // TRIPY_DIALECT_KERNEL_KERNELBASE
