//===- KernelOps.td - Dispatches, kernels and launches ----*- tablegen -*-===//
//
// Internal: documented, but not promised to other projects.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_DIALECT_KERNEL_KERNELOPS
#define TRIPY_DIALECT_KERNEL_KERNELOPS

include "tripy/Dialect/Kernel/KernelSchedules.td"

def Kernel_DispatchOp : Kernel_Op<"dispatch", [Pure, IsolatedFromAbove, AttrSizedOperandSegments, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "Tensor operations that become one kernel";
  let description = [{
    ```mlir
    %r = kernel.dispatch loop (%x, %n) sizes(%n) sizeArgs = [1, 1] : (tensor<?x2xf32>, index) -> tensor<?x2xf32> {
    ^bb0(%a: tensor<?x2xf32>, %d: index):
      %0 = flatir.exp %a : tensor<?x2xf32>
      kernel.yield %0 : tensor<?x2xf32>
    }
    ```
  }];
  let arguments = (ins Kernel_FusionRootAttr:$root, Variadic<AnyType>:$inputs, Variadic<Index>:$resultSizes, DenseI64ArrayAttr:$sizeArgs,
                       OptionalAttr<Kernel_SizesAttr>:$sizes);
  let results = (outs Variadic<AnyRankedTensor>:$results_);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$root `(` $inputs `)` `sizes` `(` $resultSizes `)` `sizeArgs` `=` $sizeArgs attr-dict `:` functional-type($inputs, $results_) $body";
  let hasVerifier = 1;
}

def Kernel_YieldOp : Kernel_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["DispatchOp", "FuncOp"]>]> {
  let summary = "Results of a dispatch or kernel function";
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "($values^)? attr-dict (`:` type($values)^)?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

def Kernel_FuncOp : Kernel_Op<"func", [IsolatedFromAbove, Symbol, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "A kernel on tensors";
  let description = [{
    The body of a dispatch under a name. `config` is set once code was emitted.
    `waitsFor` is set when that code itself waits for the kernels before it, in
    the program and in front of it, so that it may start while they run: for
    each tensor argument, whether one of them may write it. `product` is set
    where a library may compute the result in the kernel's place. `sizes` are
    those of all its calls. `schedule` says how the kernel is cut: contractions
    and attention have one once --kernel-choose-schedules ran. Where one schedule
    does not suit all sizes of the profile, a call launches the kernel and its
    `versions`, functions of the same type and body. Each has a `guard`, and no
    two guards have a size in common.

    ```mlir
    kernel.func @exp loop sizeArgs = [1, 1] : (tensor<?x2xf32>, index) -> tensor<?x2xf32> {
    ^bb0(%a: tensor<?x2xf32>, %d: index):
      ...
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Kernel_FusionRootAttr:$root, TypeAttrOf<FunctionType>:$functionType,
                       DenseI64ArrayAttr:$sizeArgs, OptionalAttr<Kernel_ConfigAttr>:$config,
                       OptionalAttr<DenseBoolArrayAttr>:$waitsFor,
                       OptionalAttr<Kernel_ProductAttr>:$product,
                       OptionalAttr<Kernel_SizesAttr>:$sizes,
                       OptionalAttr<Kernel_AnySchedule>:$schedule,
                       OptionalAttr<Kernel_GuardAttr>:$guard,
                       OptionalAttr<FlatSymbolRefArrayAttr>:$versions);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name $root `sizeArgs` `=` $sizeArgs (`config` `=` $config^)? attr-dict `:` $functionType $body";
  let hasVerifier = 1;
}

def Kernel_ScanOp : Kernel_Op<"scan", [Pure, Kernel_Reifies, AllTypesMatch<["input", "result"]>]> {
  let summary = "Running sums along one dimension, in a kernel's body";
  let description = [{
    linalg has no loop that passes a value on to the next iteration. The fusion root of
    its kernel; summed in the element type.

    ```mlir
    %r = kernel.scan %a dim = 1 : tensor<2x3xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$dim);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input `dim` `=` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Kernel_Causal : I32EnumAttr<"Causal", "which keys the position of a query hides", [
    I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"TopLeft", 1, "top_left">,
    I32EnumAttrCase<"BottomRight", 2, "bottom_right">]> {
  let cppNamespace = "::tripy::kernel";
  let genSpecializedAttr = 0;
}
def Kernel_CausalAttr : EnumAttr<Kernel_Dialect, Kernel_Causal, "causal">;

def Kernel_AttentionOp : Kernel_Op<"attention", [Pure, Kernel_Reifies, AttrSizedOperandSegments]> {
  let summary = "Attention that stores no scores, in a kernel's body";
  let description = [{
    The composite "attention" of flatir as one operation, which a kernel goes
    through block by block of keys with a running maximum and sum. The fusion root of
    its kernel. Query (..., Hq, M, D), key (..., Hk, N, D) and value (..., Hk, N, Dv)
    are f32, f16 or bf16; the mask, of i1 or floats, has the shape of the scores,
    (..., Hq, M, N); lengths, i32, have that of the batch. The result is f32.

    With a window, of either side or both, a query sees the `window_left` keys
    before its own and the `window_right` after it. Its own key has the query's
    number, or, with `causal = bottom_right`, is counted from the end of the keys,
    or of those that `lengths` leaves. A causal mask is a window whose right side
    is 0, and is given in its place.

    With `cap`, a positive number, a scaled product s becomes cap * tanh(s / cap)
    before a mask is applied: no score is beyond it.

    A score that a mask of i1 hides is `hidden`, as f32, minus infinity unless
    given: with a finite number, a query that sees no key averages all of them.
    What else hides keys takes them away. A query whose scores are all minus
    infinity gives 0, and NaN with `empty_is_nan`, as softmax of such does; one
    without keys gives 0.

    ```mlir
    %r = kernel.attention %q, %k, %v mask = %m lengths = %l causal = none scale = 0.25 : (tensor<2x4x5x8xf16>, tensor<2x2x7x8xf16>, tensor<2x2x7x6xf16>, tensor<2x4x5x7xi1>, tensor<2xi32>) -> tensor<2x4x5x6xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$query, AnyRankedTensor:$key, AnyRankedTensor:$value, Optional<AnyRankedTensor>:$mask,
                       Optional<AnyRankedTensor>:$lengths, Kernel_CausalAttr:$causal, OptionalAttr<I64Attr>:$windowLeft,
                       OptionalAttr<I64Attr>:$windowRight, F64Attr:$scale, OptionalAttr<F64Attr>:$cap, OptionalAttr<F64Attr>:$hidden,
                       UnitAttr:$emptyIsNaN);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`mask` `=` $mask^)? (`lengths` `=` $lengths^)? `causal` `=` $causal
    (`window_left` `=` $windowLeft^)? (`window_right` `=` $windowRight^)? `scale` `=` $scale
    (`cap` `=` $cap^)? (`hidden` `=` $hidden^)? (`empty_is_nan` $emptyIsNaN^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Sizes of heads that kernels take at most.
    static constexpr int64_t maxHeadSize = 256;
    /// Keys of a window's side at most: places are compared as i32.
    static constexpr int64_t maxWindow = int64_t(1) << 30;
    /// Keys after a query's own that it sees; none where it sees all.
    std::optional<int64_t> getKeysAfter() {
      if (getCausal() != ::tripy::kernel::Causal::None)
        return 0;
      return getWindowRight();
    }
    /// Whether its place hides keys from a query.
    bool isBanded() { return getWindowLeft() || getKeysAfter(); }
    /// Queries' heads that share one of the key.
    int64_t getGroupSize();
  }];
}

include "tripy/Dialect/Kernel/KernelSort.td"

def Kernel_PluginOp : Kernel_Op<"plugin", [Pure, AttrSizedOperandSegments]> {
  let summary = "A kernel that the user brings, in a kernel's body";
  let description = [{
    As flatir.plugin: all that its kernel consists of. The emission sets
    `source`, the number of the plugin's source that is used, and `arguments`,
    what its code takes, in order: as `arguments` of that source, and `dim of
    operand N M` and `dim of result N M`, sizes as i64.

    ```mlir
    %r = kernel.plugin @scale(%a) sizes(%m) grid(%blocks, %one, %one) numbers(%count) parameters {factor = 0.5 : f32} : (tensor<?x4xf32>) -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyRankedTensor>:$inputs, Variadic<Index>:$sizes, Variadic<Index>:$grid,
                       Optional<Index>:$shared, Variadic<Index>:$numbers, OptionalAttr<DictionaryAttr>:$parameters,
                       OptionalAttr<StrArrayAttr>:$arguments, OptionalAttr<I64Attr>:$source);
  let results = (outs Variadic<AnyRankedTensor>:$results_);
  let assemblyFormat = [{
    $callee `(` $inputs `)` `sizes` `(` $sizes `)` (`grid` `(` $grid^ `)`)? (`shared` `(` $shared^ `)`)?
    (`numbers` `(` $numbers^ `)`)? (`parameters` $parameters^)? (`source` `=` $source^)? (`arguments` `=` $arguments^)? attr-dict
    `:` functional-type($inputs, $results_)
  }];
  let hasVerifier = 1;
}

def Kernel_NarrowFloat : Type<CPred<"::llvm::isa<::mlir::FloatType>($_self) && $_self.getIntOrFloatBitWidth() < 32">,
                              "float of less than 32 bits">;

def Kernel_RoundOp : Kernel_Op<"round", [Pure, AllTypesMatch<["value", "result"]>]> {
  let summary = "A scalar as memory would hold it";
  let description = [{
    In the body of a loop. Floats of less than 32 bits are computed in f32; here
    the value is rounded to its type, for all its readers. It is never folded: a
    pair of arith.truncf and extf would be.

    ```mlir
    %r = kernel.round %a : f16
    ```
  }];
  let arguments = (ins Kernel_NarrowFloat:$value);
  let results = (outs Kernel_NarrowFloat:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
}

def Kernel_CallOp : Kernel_Op<"call", [Pure, AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a kernel on tensors";
  let description = [{
    ```mlir
    %r = kernel.call @exp(%x, %n) sizes(%n) : (tensor<?x2xf32>, index) -> tensor<?x2xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$inputs, Variadic<Index>:$resultSizes);
  let results = (outs Variadic<AnyRankedTensor>:$results_);
  let assemblyFormat = "$callee `(` $inputs `)` `sizes` `(` $resultSizes `)` attr-dict `:` functional-type($inputs, $results_)";
}

def Kernel_PackedOp : Kernel_Op<"packed", [Pure]> {
  let summary = "The tensor of i4 that lies in a kernel's bytes";
  let description = [{
    No computation: a program's result of i4 lies in memory two elements to a
    byte, and the kernel in front of it makes these bytes, one work item each
    (`--flatir-unpack-i4`). `bytes` has one byte for two elements; `sizes` are
    the dynamic sizes of the result, which only the program's `return` reads.

    ```mlir
    %r = kernel.packed %b sizes(%n) : tensor<?xi8> -> tensor<?x3xi4>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$bytes, Variadic<Index>:$sizes);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$bytes `sizes` `(` $sizes `)` attr-dict `:` type($bytes) `->` type($result)";
  let hasVerifier = 1;
}

//===-- placed programs ---------------------------------------------------===//

def Kernel_BufferKind : I32EnumAttr<"BufferKind", "where a buffer lies", [
    I32EnumAttrCase<"Input", 1, "input">, I32EnumAttrCase<"Output", 2, "output">,
    I32EnumAttrCase<"Constant", 3, "constant">, I32EnumAttrCase<"Arena", 4, "arena">,
    I32EnumAttrCase<"Zeroed", 5, "zeroed">]> {
  let cppNamespace = "::tripy::kernel";
  let genSpecializedAttr = 0;
}
def Kernel_BufferKindAttr : EnumAttr<Kernel_Dialect, Kernel_BufferKind, "buffer_kind">;

def Kernel_BufferOp : Kernel_Op<"buffer", [Pure]> {
  let summary = "A placed buffer";
  let description = [{
    In a function that `--kernel-plan` made. `index` is the number of the input,
    output or constant; `offset` and `size` are bytes of the arena, which has
    `kernel.arena` bytes; an offset is a multiple of 256. A zeroed buffer is a
    part of the arena that is zero whenever a kernel starts; its size is a
    multiple of 4.

    ```mlir
    %a = kernel.buffer input 0
    %b = kernel.buffer arena 0 offset = 256 size = 1024
    ```
  }];
  let arguments = (ins Kernel_BufferKindAttr:$kind, I64Attr:$index, DefaultValuedAttr<I64Attr, "0">:$offset, DefaultValuedAttr<I64Attr, "0">:$size);
  let results = (outs Kernel_BufferType:$result);
  let assemblyFormat = "$kind $index (`offset` `=` $offset^)? (`size` `=` $size^)? attr-dict";
  let hasVerifier = 1;
}

def Kernel_InputSizeOp : Kernel_Op<"input_size", [Pure]> {
  let summary = "A dynamic size of an input";
  let description = [{
    ```mlir
    %n = kernel.input_size 0, 1
    ```
  }];
  let arguments = (ins I64Attr:$input, I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$input `,` $dim attr-dict";
  let hasVerifier = 1;
}

def Kernel_LaunchOp : Kernel_Op<"launch", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Launches a kernel on placed buffers";
  let description = [{
    Buffers are the kernel's tensor arguments, its results, and its workspace;
    `written` says how many of the last ones it writes: results and workspace.
    These are outputs or lie in the arena, and overlap none of the others, because
    kernels are compiled without aliasing. `bytes` are the sizes in bytes of the
    buffers' tensors, `sizes` the values of the kernel's index arguments.
    `overlaps`: the kernel waits for the launch in front itself, and may start
    before that has ended. `first`: the launch belongs to the program's first
    call; if it overlaps, then also what runs before the program.

    ```mlir
    kernel.launch @exp grid(%g, %c1, %c1) buffers(%a, %b) bytes(%n8, %n8) sizes(%n) written = 1
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Index>:$grid, Variadic<Kernel_BufferType>:$buffers,
                       Variadic<Index>:$bytes, Variadic<Index>:$sizes, I64Attr:$written, UnitAttr:$overlaps,
                       UnitAttr:$first);
  let assemblyFormat = "$callee `grid` `(` $grid `)` `buffers` `(` $buffers `)` `bytes` `(` $bytes `)` `sizes` `(` $sizes `)` `written` `=` $written (`overlaps` $overlaps^)? (`first` $first^)? attr-dict";
  let hasVerifier = 1;
}

def Kernel_CheckKindAttr : AttrDef<Kernel_Dialect, "CheckKind"> {
  let mnemonic = "check_kind";
  let summary = "What must hold of two sizes";
  let description = [{
    The name of a row of `tripy::checkKindTable()`: `equal`, `broadcastable`
    (equal or one is 1) or `at_most`; or that arithmetic on sizes has a result:
    `sum`, `difference`, `product`, `quotient` or `remainder`.
  }];
  let parameters = (ins "::tripy::CheckKind":$value);
  let assemblyFormat = "custom<CheckKind>($value)";
}

def Kernel_RequireOp : Kernel_Op<"require"> {
  let summary = "A condition on sizes, checked before the program runs";
  let description = [{
    ```mlir
    kernel.require equal %n, %m "the operands of 'add' agree in dimension 0"
    ```
  }];
  let arguments = (ins Kernel_CheckKindAttr:$kind, Index:$lhs, Index:$rhs, StrAttr:$message);
  let assemblyFormat = "$kind $lhs `,` $rhs $message attr-dict";
  let extraClassDeclaration = [{
    ::tripy::CheckKind getCheckKind() { return getKind().getValue(); }
  }];
}

#endif // TRIPY_DIALECT_KERNEL_KERNELOPS
