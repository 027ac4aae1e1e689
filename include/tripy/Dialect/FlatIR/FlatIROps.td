//===- FlatIROps.td - All operations of flatir ------------*- tablegen -*-===//
#ifndef TRIPY_DIALECT_FLATIR_FLATIROPS
#define TRIPY_DIALECT_FLATIR_FLATIROPS

include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "tripy/Dialect/FlatIR/FlatIRElementwise.td"
include "tripy/Dialect/FlatIR/FlatIRPlugin.td"
include "tripy/Dialect/FlatIR/FlatIRRandom.td"
include "tripy/Dialect/FlatIR/FlatIRSort.td"
include "tripy/Dialect/FlatIR/FlatIRWindow.td"

//===-- creation ----------------------------------------------------------===//

def FlatIR_ConstantOp : FlatIR_TensorOp<"constant", "shape.of($result)", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "A tensor known at compile time";
  let description = [{
    ```mlir
    %w = flatir.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let rules = [
    Rule<"C1", "the value is a dense tensor", "isConstantData($value)", "\"found \" << $value.getType()">,
    Rule<"C2", "a resource has as many bytes as the tensor, one for an i1, half of one for an i4", "hasConstantBytes($value)",
         "\"found \" << resourceBytes($value) << \" bytes for \" << $value.getType()">];
  let hasFolder = 1;
}

/// Dynamic sizes of the result, one for each `?`, in order.
defvar ResultSizes = Rule<"C1", "each dynamic size of the result has one operand",
    "$result.getType().getNumDynamicDims() == $sizes.size()",
    "\"found \" << $sizes.size() << \" operands for \" << $result.getType()">;

def FlatIR_IotaOp : FlatIR_TensorOp<"iota", "shape.declared($result, $sizes)", [Pure]> {
  let summary = "Counts 0, 1, 2, ... along one dimension";
  let description = [{
    ```mlir
    %r = flatir.iota dim = 1 sizes() : tensor<1x2xf32>
    ```
  }];
  let arguments = (ins Variadic<Index>:$sizes, I64Attr:$dim);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "`dim` `=` $dim `sizes` `(` $sizes `)` attr-dict `:` type($result)";
  let rules = [ResultSizes,
    Rule<"C2", "0 <= dim < rank", "asSigned($dim) >= 0 && asSigned($dim) < rankOf($result)", "\"dim is \" << asSigned($dim) << \", rank is \" << rankOf($result)">,
    Rule<"C3", "the element type is not i1", "!elementTypeOf($result).isInteger(1)">];
}

def FlatIR_FromIndexOp : FlatIR_TensorOp<"from_index", "shape.of($result)", [Pure]> {
  let summary = "A size as a tensor of rank 0";
  let description = [{
    ```mlir
    %r = flatir.from_index %n : tensor<f32>
    ```
  }];
  let arguments = (ins Index:$value);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
  let rules = [Rule<"C1", "the result has rank 0 and no i1 element", "rankOf($result) == 0 && !elementTypeOf($result).isInteger(1)", "describeShapes({$result})">];
  let hasFolder = 1;
}

def FlatIR_DimOp : FlatIR_Op<"dim", [Pure]> {
  let summary = "The size of one dimension";
  let description = [{
    ```mlir
    %n = flatir.dim %x, 0 : tensor<?x2xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$input `,` $dim attr-dict `:` type($input)";
  let rules = [Rule<"C1", "0 <= dim < rank", "asSigned($dim) >= 0 && asSigned($dim) < rankOf($input)", "\"dim is \" << asSigned($dim) << \", rank is \" << rankOf($input)">];
  let hasFolder = 1;
}

//===-- movement ----------------------------------------------------------===//

def FlatIR_BroadcastOp : FlatIR_TensorOp<"broadcast", "shape.declared($result, $sizes)", [Pure]> {
  let summary = "Repeats along dimensions";
  let description = [{
    Dimension `i` of the input becomes dimension `dims[i]` of the result. Their
    sizes are equal, or the input's is 1; a dynamic size may be 1 at run time.

    ```mlir
    %r = flatir.broadcast %a dims = [1] sizes() : tensor<3xf32> -> tensor<2x3xf32>
    %s = flatir.broadcast %b dims = [0, 1] sizes(%n) : tensor<?x3xf32> -> tensor<?x3xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Variadic<Index>:$sizes, DenseI64ArrayAttr:$dims);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `dims` `=` $dims `sizes` `(` $sizes `)` attr-dict `:` type($input) `->` type($result)";
  let rules = [ResultSizes,
    Rule<"C2", "input and result have one element type", "elementTypeOf($input) == elementTypeOf($result)", "describeShapes({$input, $result})">,
    Rule<"C3", "dims ascend, one for each dimension of the input, within the result's rank", "areAscendingDims($dims, rankOf($input), rankOf($result))",
         "\"found \" << describeList($dims)">,
    Rule<"C4", "a size of the input is 1 or that of the result's dimension", "canBroadcastTo($input, $result, $dims)", "describeShapes({$input, $result})">];
  let hasFolder = 1;
}

def FlatIR_ReshapeOp : FlatIR_TensorOp<"reshape", "shape.declared($result, $sizes)", [Pure]> {
  let summary = "Same elements in row-major order, another shape";
  let description = [{
    ```mlir
    %r = flatir.reshape %a sizes() : tensor<3x4xf32> -> tensor<6x2xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Variadic<Index>:$sizes);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `sizes` `(` $sizes `)` attr-dict `:` type($input) `->` type($result)";
  let rules = [ResultSizes,
    Rule<"C2", "input and result have one element type", "elementTypeOf($input) == elementTypeOf($result)", "describeShapes({$input, $result})">,
    Rule<"C3", "the number of elements stays the same", "sameVolume($input, $result)", "describeShapes({$input, $result})">];
  let hasFolder = 1;
}

def FlatIR_TransposeOp : FlatIR_TensorOp<"transpose", "shape.permuted($input, $permutation)", [Pure]> {
  let summary = "Reorders the dimensions";
  let description = [{
    Dimension `i` of the result is dimension `permutation[i]` of the input.

    ```mlir
    %r = flatir.transpose %a [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input $permutation attr-dict `:` type($input) `->` type($result)";
  let rules = [
    Rule<"C1", "permutation names each dimension once", "isPermutation($permutation, rankOf($input)) && ::llvm::all_of($permutation, [](int64_t d) { return d >= 0; })", "\"found \" << describeList($permutation)">,
    Rule<"C2", "the result has the permuted shape", "isPermutedType($input, $result, $permutation)", "describeShapes({$input, $result})">];
  let hasFolder = 1;
}

def FlatIR_SliceOp : FlatIR_TensorOp<"slice", "shape.declared($result, $sizes)", [Pure, AttrSizedOperandSegments]> {
  let summary = "A strided box of the input";
  let description = [{
    `result[i...] = input[offset + i * stride ...]`. Strides may be negative (the
    offset is then the largest index). All indices must be inside the
    input: the lowering from trace clamps them.

    ```mlir
    %r = flatir.slice %a [0, 4] strides = [1, -2] sizes() : tensor<4x8xf32> -> tensor<2x2xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Variadic<Index>:$offsets, Variadic<Index>:$sizes,
                       DenseI64ArrayAttr:$staticOffsets, DenseI64ArrayAttr:$strides);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = [{
    $input custom<DynamicIndexList>($offsets, $staticOffsets) `strides` `=` $strides `sizes` `(` $sizes `)` attr-dict `:` type($input) `->` type($result)
  }];
  let rules = [ResultSizes,
    Rule<"C2", "input and result have one rank and element type", "sameRankAndElement({$input, $result})", "describeShapes({$input, $result})">,
    Rule<"C3", "there is one offset and one stride for each dimension", "(int64_t)$staticOffsets.size() == rankOf($input) && (int64_t)$strides.size() == rankOf($input) && dynamicCount($staticOffsets) == $offsets.size()",
         "\"found \" << describeList($staticOffsets)">,
    Rule<"C4", "strides are not 0", "stepsValid($strides)", "\"found \" << describeList($strides)">,
    Rule<"C5", "all elements are inside the input", "sliceInside($input, $result, $staticOffsets, $strides)", "describeShapes({$input, $result})">];
  let hasFolder = 1;
}

def FlatIR_ConcatenateOp : FlatIR_TensorOp<"concatenate", "shape.concatenated($inputs, asSigned($dim))", [Pure]> {
  let summary = "Joins tensors along one dimension";
  let description = [{
    ```mlir
    %r = flatir.concatenate %a, %b dim = 0 : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
    ```
  }];
  let arguments = (ins Variadic<Tripy_Tensor>:$inputs, I64Attr:$dim);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$inputs `dim` `=` $dim attr-dict `:` functional-type(operands, results)";
  let rules = [
    Rule<"C1", "there is at least one input", "!$inputs.empty()">,
    Rule<"C2", "all inputs have one rank and one element type", "sameRankAndElement($inputs)", "describeShapes($inputs)">,
    Rule<"C3", "0 <= dim < rank", "asSigned($dim) >= 0 && asSigned($dim) < rankOf($inputs.front())",
         "\"dim is \" << asSigned($dim) << \", rank is \" << rankOf($inputs.front())">,
    Rule<"C4", "all other dimensions agree", "agreeExcept($inputs, $dim)", "describeShapes($inputs)">,
    Rule<"C5", "the result has the sizes summed along dim", "isConcatenatedType($inputs, $dim, $result)", "describeShapes({$result})">];
  let hasFolder = 1;
}

def FlatIR_GatherOp : FlatIR_TensorOp<"gather", "shape.gathered($input, $index, asSigned($dim))", [Pure]> {
  let summary = "Takes slices of a dimension by a tensor of indices";
  let description = [{
    `result[a..., i..., b...] = input[a..., k, b...]` with `k = index[i...]`,
    counted from the end when negative, then clamped to the dimension, which is
    not empty unless the index is.

    ```mlir
    %r = flatir.gather %a, %i dim = 1 : (tensor<2x8xf32>, tensor<5x3xi32>) -> tensor<2x5x3xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Tripy_Tensor:$index, I64Attr:$dim);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `,` $index `dim` `=` $dim attr-dict `:` functional-type(operands, results)";
  let rules = [
    Rule<"C1", "the index's element type is i32 or i64", "scalar::isOneOf($index.getType(), false, true, false)", "\"found \" << elementTypeOf($index)">,
    Rule<"C2", "0 <= dim < rank", "asSigned($dim) >= 0 && asSigned($dim) < rankOf($input)", "\"dim is \" << asSigned($dim) << \", rank is \" << rankOf($input)">,
    Rule<"C3", "the result is the input with the index's shape in the place of dim", "isGatheredType($input, $index, $dim, $result)",
         "describeShapes({$input, $index, $result})">,
    Rule<"C4", "the dimension is not empty, unless the index is", "canTake($input, $index, $dim)", "describeShapes({$input, $index})">];
}

//===-- reductions and contractions ---------------------------------------===//

def FlatIR_ReduceKind : I32EnumAttr<"ReduceKind", "kind of reduction", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Prod", 1, "prod">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"And", 4, "and">, I32EnumAttrCase<"Or", 5, "or">]> {
  let cppNamespace = "::tripy::flatir";
  let genSpecializedAttr = 0;
}
def FlatIR_ReduceKindAttr : EnumAttr<FlatIR_Dialect, FlatIR_ReduceKind, "reduce_kind">;

def FlatIR_ReduceOp : FlatIR_TensorOp<"reduce", "shape.without($input, $dims)", [Pure]> {
  let summary = "Combines the elements along dimensions";
  let description = [{
    The result lacks the dimensions `dims`. An empty reduction gives the
    identity: 0, 1, the lowest, the highest value, true, false. The order of
    combination is fixed for a given program and shape.

    ```mlir
    %r = flatir.reduce max %a dims = [1] : tensor<2x3xf32> -> tensor<2xf32>
    ```
  }];
  let arguments = (ins FlatIR_ReduceKindAttr:$kind, Tripy_Tensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$kind $input `dims` `=` $dims attr-dict `:` type($input) `->` type($result)";
  let rules = [
    Rule<"C1", "sum, prod, max and min are for numbers, and, or for i1",
         "elementTypeOf($input).isInteger(1) == ($kind == ReduceKind::And || $kind == ReduceKind::Or)", "\"found \" << elementTypeOf($input)">,
    Rule<"C2", "dims ascend, within the input's rank, at least one", "areAscendingDims($dims, (int64_t)$dims.size(), rankOf($input)) && !$dims.empty()", "\"found \" << describeList($dims)">,
    Rule<"C3", "the result is the input without dims", "$result.getType() == reducedType($input.getType(), $dims, false)", "describeShapes({$input, $result})">];
  let hasFolder = 1;
}

def FlatIR_DotOp : FlatIR_TensorOp<"dot", "shape.contracted(in)", [Pure]> {
  let summary = "Contracts dimensions of two tensors";
  let description = [{
    Result dimensions: the batch dimensions, the other dimensions of `lhs`, the
    other dimensions of `rhs`. Floats of 16 bits and less accumulate in f32 and
    round once to the result's element type, which is the operands' or f32, or
    f16 or bf16 for floats of 8 bits. Integers wrap around in the result's
    type, which is the operands', or i32 for those of fewer bits.

    `allow_tf32`: f32 operands may be rounded to TF32 (10 bits of mantissa), both
    or neither; sums stay in f32.

    ```mlir
    %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [1] : (tensor<4x8xf16>, tensor<5x8xf16>) -> tensor<4x5xf16>
    %s = flatir.dot %c, %d batch = [] x [] contract = [1] x [1] allow_tf32 : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x5xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$lhs, Tripy_Tensor:$rhs, DenseI64ArrayAttr:$lhsBatch, DenseI64ArrayAttr:$rhsBatch,
                       DenseI64ArrayAttr:$lhsContract, DenseI64ArrayAttr:$rhsContract, UnitAttr:$allowTF32);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `batch` `=` $lhsBatch `x` $rhsBatch `contract` `=` $lhsContract `x` $rhsContract (`allow_tf32` $allowTF32^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let rules = [
    Rule<"C1", "operands are numbers of one element type", "elementTypeOf($lhs) == elementTypeOf($rhs) && isContractible($lhs)", "describeShapes({$lhs, $rhs})">,
    Rule<"C2", "batch and contract name as many dimensions of both operands, each at most once",
         "dotDimsValid($lhs, $lhsBatch, $lhsContract) && dotDimsValid($rhs, $rhsBatch, $rhsContract) && $lhsBatch.size() == $rhsBatch.size() && $lhsContract.size() == $rhsContract.size()">,
    Rule<"C3", "paired dimensions agree", "dotDimsAgree($lhs, $rhs, $lhsBatch, $rhsBatch) && dotDimsAgree($lhs, $rhs, $lhsContract, $rhsContract)", "describeShapes({$lhs, $rhs})">,
    Rule<"C4", "the result has the batch, left and right dimensions", "$result.getType().getShape() == ::llvm::ArrayRef<int64_t>(dotShape($lhs, $rhs, $lhsBatch, $rhsBatch, $lhsContract, $rhsContract))",
         "describeShapes({$lhs, $rhs, $result})">,
    Rule<"C5", "the result's element type is the operands', f32 for floats of fewer bits, f16 or bf16 for those of 8, or i32 for integers of fewer bits",
         "isContractionResult(elementTypeOf($lhs), elementTypeOf($result))", "describeShapes({$lhs, $result})">,
    Rule<"C6", "allow_tf32 is for f32 operands", "!$allowTF32 || elementTypeOf($lhs).isF32()", "\"found \" << elementTypeOf($lhs)">];
  let hasCanonicalizer = 1;
}

def FlatIR_ScanOp : FlatIR_TensorOp<"scan", "shape.of($input)", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "Running sums along one dimension";
  let description = [{
    Element `i` is the sum of the elements 0 to `i`. 16-bit floats accumulate in
    f32; every result is rounded once. The order of summation is fixed for a
    given program and shape.

    ```mlir
    %r = flatir.scan %a dim = 1 : tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, I64Attr:$dim);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `dim` `=` $dim attr-dict `:` type($result)";
  let rules = [
    Rule<"C1", "the element type is not i1", "!elementTypeOf($input).isInteger(1)", "\"found \" << elementTypeOf($input)">,
    Rule<"C2", "0 <= dim < rank", "asSigned($dim) >= 0 && asSigned($dim) < rankOf($input)", "\"dim is \" << asSigned($dim) << \", rank is \" << rankOf($input)">];
}

//===-- structure ---------------------------------------------------------===//

def FlatIR_YieldOp : Op<FlatIR_Dialect, "yield", [Pure, Terminator, ReturnLike, ParentOneOf<["::tripy::flatir::CompositeOp"]>]> {
  let summary = "Results of a composite";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^)? attr-dict (`:` type($values)^)?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

def FlatIR_CompositeOp : FlatIR_Op<"composite", [Pure, IsolatedFromAbove, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "A known function with its decomposition";
  let description = [{
    `name` and `config` say which function this is; the region is its meaning. A
    consumer that knows the name may take the function whole; every other one
    inlines the region (`--flatir-inline-composites`). Operands are tensors and
    sizes; the region's arguments stand for them.

    ```mlir
    %r = flatir.composite "silu" (%x) {} : (tensor<2xf32>) -> tensor<2xf32> {
    ^bb0(%a: tensor<2xf32>):
      ...
      flatir.yield %y : tensor<2xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, StrAttr:$name, DictionaryAttr:$config);
  let results = (outs Variadic<Tripy_Tensor>:$results_);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name `(` $inputs `)` $config attr-dict `:` functional-type($inputs, $results_) $body";
  let rules = [
    Rule<"C1", "operands are tensors and sizes", "areTensorsAndSizes($inputs.getTypes())">,
    Rule<"C2", "the region's arguments have the operands' types", "$body.getArgumentTypes() == $inputs.getTypes()">,
    Rule<"C3", "the region yields the results' types", "yieldsTypes($body, in->getResultTypes())">];
}

def FlatIR_RequireOp : FlatIR_Op<"require", []> {
  let summary = "A condition on sizes, checked before the program runs";
  let description = [{
    `equal`, `broadcastable` (equal, or one is 1) and `at_most` compare two
    sizes. The other kinds say that arithmetic on them has a result: `sum`,
    `difference` and `product` fit 64 bits; for `quotient` and `remainder` the
    right one is not 0, and the quotient fits 64 bits. The message is the rule
    that sizes of a call may break.

    ```mlir
    flatir.require "equal" %n, %m "the operands of 'add' agree in dimension 0"
    ```
  }];
  let arguments = (ins StrAttr:$kind, Index:$lhs, Index:$rhs, StrAttr:$message);
  let assemblyFormat = "$kind $lhs `,` $rhs $message attr-dict";
  let rules = [Rule<"C1", "kind is 'equal', 'broadcastable', 'at_most', 'sum', 'difference', 'product', 'quotient' or 'remainder'", "::tripy::findCheckKind($kind)", "\"found '\" << $kind << \"'\"">];
  let hasCanonicalizer = 1;
}

#endif // TRIPY_DIALECT_FLATIR_FLATIROPS
