//===- TraceMovement.td - Shape and layout changes --------*- tablegen -*-===//
#ifndef TRIPY_DIALECT_TRACE_TRACEMOVEMENT
#define TRIPY_DIALECT_TRACE_TRACEMOVEMENT

include "tripy/Dialect/Trace/TraceBase.td"

def Trace_ReshapeOp : Trace_Op<"reshape"> {
  let summary = "Same elements in row-major order, another shape";
  let description = [{
    One static size may be -1: it is inferred from the others.

    ```mlir
    %r = trace.reshape %a to [-1, 2] : (tensor<3x4xf32>) -> tensor<6x2xf32>
    %s = trace.reshape %b to [%n, 2] : (tensor<?xf32>) -> tensor<?x2xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Variadic<Index>:$sizes, DenseI64ArrayAttr:$staticSizes);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = [{
    $input `to` custom<DynamicIndexList>($sizes, $staticSizes) attr-dict `:`
    `(` type($input) `)` `->` type($result)
  }];
  let rules = [
    Rule<"C1", "sizes are not negative, but one may be -1", "sizesAllowInferred($staticSizes)", "\"found \" << describeList($staticSizes)">,
    Rule<"C2", "each dynamic size has one operand", "dynamicCount($staticSizes) == $sizes.size()",
         "\"found \" << $sizes.size() << \" operands for \" << dynamicCount($staticSizes) << \" dynamic sizes\"">,
    Rule<"C3", "the result has rank at most 8 and at most 2^40 elements", "isAllowedShape($staticSizes)", "\"found \" << describeList($staticSizes)">,
    Rule<"C4", "the number of elements stays the same", "canReshape($input, $staticSizes)",
         "\"input is \" << $input.getType() << \", sizes are \" << describeList($staticSizes)">];
}

def Trace_PermuteOp : Trace_Op<"permute"> {
  let summary = "Reorders the dimensions";
  let description = [{
    Dimension `i` of the result is dimension `permutation[i]` of the input.

    ```mlir
    %r = trace.permute %a [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, DenseI64ArrayAttr:$permutation);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input $permutation attr-dict `:` functional-type(operands, results)";
  let rules = [
    Rule<"C1", "permutation names each dimension once, negative ones from the end",
         "isPermutation($permutation, rankOf($input))",
         "\"found \" << describeList($permutation) << \", rank is \" << rankOf($input)">];
}

def Trace_TransposeOp : Trace_Op<"transpose"> {
  let summary = "Swaps two dimensions";
  let description = [{
    ```mlir
    %r = trace.transpose %a dims = -2, -1 : (tensor<2x3xf32>) -> tensor<3x2xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, I64Attr:$dim0, I64Attr:$dim1);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `dims` `=` $dim0 `,` $dim1 attr-dict `:` functional-type(operands, results)";
  let rules = [
    Rule<"C1", "-rank <= dim0 < rank", "isDim($dim0, rankOf($input))", "\"dim0 is \" << asSigned($dim0) << \", rank is \" << rankOf($input)">,
    Rule<"C2", "-rank <= dim1 < rank", "isDim($dim1, rankOf($input))", "\"dim1 is \" << asSigned($dim1) << \", rank is \" << rankOf($input)">];
}

def Trace_ExpandOp : Trace_Op<"expand"> {
  let summary = "Repeats dimensions of size 1, and prepends dimensions";
  let description = [{
    Sizes are aligned at the last dimension; -1 keeps the input's size.

    ```mlir
    %r = trace.expand %a to [2, -1] : (tensor<1x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Variadic<Index>:$sizes, DenseI64ArrayAttr:$staticSizes);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = [{
    $input `to` custom<DynamicIndexList>($sizes, $staticSizes) attr-dict `:`
    `(` type($input) `)` `->` type($result)
  }];
  let rules = [
    Rule<"C1", "there are at least as many sizes as dimensions", "(int64_t)$staticSizes.size() >= rankOf($input)",
         "\"found \" << describeList($staticSizes) << \", rank is \" << rankOf($input)">,
    Rule<"C2", "each dynamic size has one operand", "dynamicCount($staticSizes) == $sizes.size()",
         "\"found \" << $sizes.size() << \" operands for \" << dynamicCount($staticSizes) << \" dynamic sizes\"">,
    Rule<"C3", "sizes are not negative, -1 only for a dimension of the input", "expandSizesValid($input, $staticSizes)", "\"found \" << describeList($staticSizes)">,
    Rule<"C4", "only dimensions of size 1 change", "canExpand($input, $staticSizes)",
         "\"input is \" << $input.getType() << \", sizes are \" << describeList($staticSizes)">,
    Rule<"C5", "the result has rank at most 8 and at most 2^40 elements", "isAllowedShape(expandedShape($input, $staticSizes))", "\"found \" << describeList($staticSizes)">];
}

def Trace_SqueezeOp : Trace_Op<"squeeze"> {
  let summary = "Removes dimensions of size 1";
  let description = [{
    A dynamic dimension is checked at run time.

    ```mlir
    %r = trace.squeeze %a dims = [0] : (tensor<1x3xf32>) -> tensor<3xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `dims` `=` $dims attr-dict `:` functional-type(operands, results)";
  let rules = [
    Rule<"C1", "dims name dimensions of the input, each at most once", "areDims($dims, rankOf($input))",
         "\"found \" << describeList($dims) << \", rank is \" << rankOf($input)">,
    Rule<"C2", "the dimensions removed have size 1", "haveSizeOne($input, $dims)",
         "\"input is \" << $input.getType() << \", dims are \" << describeList($dims)">];
}

def Trace_UnsqueezeOp : Trace_Op<"unsqueeze"> {
  let summary = "Inserts a dimension of size 1";
  let description = [{
    ```mlir
    %r = trace.unsqueeze %a dim = 0 : (tensor<3xf32>) -> tensor<1x3xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, I64Attr:$dim);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `dim` `=` $dim attr-dict `:` functional-type(operands, results)";
  let rules = [
    Rule<"C1", "-rank - 1 <= dim <= rank", "isDim($dim, rankOf($input) + 1)", "\"dim is \" << asSigned($dim) << \", rank is \" << rankOf($input)">,
    Rule<"C2", "the result has rank at most 8", "rankOf($input) < 8", "\"input is \" << $input.getType()">];
}

def Trace_SliceOp : Trace_Op<"slice", [AttrSizedOperandSegments]> {
  let summary = "Takes every step-th element between two bounds, in each dimension";
  let description = [{
    As Python slices, with one start, stop and step for each dimension: bounds
    count from the end when negative, are clamped to the dimension, and the
    result may be empty. A bound far outside stands for an omitted one:
    `[4611686018427387904] to [-4611686018427387904] by [-1]` reverses.

    ```mlir
    %r = trace.slice %a [0, 5] to [2, 1] by [1, -2] : (tensor<4x8xf32>) -> tensor<2x2xf32>
    %s = trace.slice %b [%i] to [%j] by [1] : (tensor<?xf32>) -> tensor<?xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Variadic<Index>:$starts, Variadic<Index>:$stops,
                       DenseI64ArrayAttr:$staticStarts, DenseI64ArrayAttr:$staticStops, DenseI64ArrayAttr:$steps);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = [{
    $input custom<DynamicIndexList>($starts, $staticStarts) `to` custom<DynamicIndexList>($stops, $staticStops)
    `by` $steps attr-dict `:` `(` type($input) `)` `->` type($result)
  }];
  let rules = [
    Rule<"C1", "there is one start, stop and step for each dimension",
         "(int64_t)$staticStarts.size() == rankOf($input) && (int64_t)$staticStops.size() == rankOf($input) && (int64_t)$steps.size() == rankOf($input)",
         "\"found \" << $staticStarts.size() << \", \" << $staticStops.size() << \" and \" << $steps.size() << \", rank is \" << rankOf($input)">,
    Rule<"C2", "each dynamic bound has one operand",
         "dynamicCount($staticStarts) == $starts.size() && dynamicCount($staticStops) == $stops.size()">,
    Rule<"C3", "steps are not 0 and at most 2^40 in magnitude", "stepsValid($steps)", "\"found \" << describeList($steps)">];
}

def Trace_SplitOp : Trace_Op<"split"> {
  let summary = "Cuts a dimension into consecutive parts";
  let description = [{
    `sizes` are the sizes of the parts; they sum to the dimension, which is
    checked at run time where it is dynamic. Parts of run-time sizes are slices.

    ```mlir
    %r:2 = trace.split %a dim = 1 sizes = [2, 1] : (tensor<4x3xf32>) -> (tensor<4x2xf32>, tensor<4x1xf32>)
    ```

    With `parts` the dimension is cut into that many parts of equal size,
    rounded up; the last ones are smaller, or empty:

    ```mlir
    %s:2 = trace.split %b dim = 0 parts = 2 : (tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>)
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, I64Attr:$dim, OptionalAttr<DenseI64ArrayAttr>:$sizes, OptionalAttr<I64Attr>:$parts);
  let results = (outs Variadic<Tripy_Tensor>:$results_);
  let assemblyFormat = [{
    $input `dim` `=` $dim (`sizes` `=` $sizes^)? (`parts` `=` $parts^)? attr-dict `:` functional-type(operands, results)
  }];
  let rules = [
    Rule<"C1", "-rank <= dim < rank", "isDim($dim, rankOf($input))", "\"dim is \" << asSigned($dim) << \", rank is \" << rankOf($input)">,
    Rule<"C2", "either sizes or parts are given", "$sizes.has_value() != $parts.has_value()">,
    Rule<"C3", "sizes are not negative and sum to the dimension",
         "!$sizes || sumsTo(*$sizes, $input, $dim)", "\"input is \" << $input.getType() << \", sizes are \" << describeList(*$sizes)">,
    Rule<"C4", "1 <= parts <= 1024", "!$parts || partsValid(*$parts)", "\"parts is \" << asSigned(*$parts)">];
}

def Trace_ConcatenateOp : Trace_Op<"concatenate"> {
  let summary = "Joins tensors along one dimension";
  let description = [{
    ```mlir
    %r = trace.concatenate %a, %b dim = 0 : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
    ```
  }];
  let arguments = (ins Variadic<Tripy_Tensor>:$inputs, I64Attr:$dim);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$inputs `dim` `=` $dim attr-dict `:` functional-type(operands, results)";
  let rules = [
    Rule<"C1", "there is at least one input", "!$inputs.empty()">,
    Rule<"C2", "all inputs have one rank and one element type", "sameRankAndElement($inputs)", "describeShapes($inputs)">,
    Rule<"C3", "-rank <= dim < rank", "isDim($dim, rankOf($inputs.front()))", "\"dim is \" << asSigned($dim) << \", rank is \" << rankOf($inputs.front())">,
    Rule<"C4", "all other dimensions agree", "agreeExcept($inputs, $dim)", "describeShapes($inputs)">,
    Rule<"C5", "the result has at most 2^40 elements", "isAllowedShape(concatenatedShape($inputs, $dim))", "describeShapes($inputs)">];
}

def Trace_PadOp : Trace_Op<"pad", [AttrSizedOperandSegments]> {
  let summary = "Adds borders";
  let description = [{
    `low` and `high` say how many elements are added before and after those of
    each dimension. They have one value, or repeat what is there, in the way of
    `mode`, with the meaning that NumPy gives the words, for widths of any size:
    `a b c` becomes `a a a b c c c` with "edge", `c b a b c b a` with "reflect"
    and `b c a b c a b` with "wrap", for widths of 2.

    ```mlir
    %r = trace.pad %a low [1, 0] high [0, 2] value = 0.0 : f32 : (tensor<4x8xf32>) -> tensor<5x10xf32>
    %s = trace.pad %b low [%n] high [0] value = 1 : i32 : (tensor<?xi32>) -> tensor<?xi32>
    %t = trace.pad %a low [0, 2] high [0, 2] mode = "reflect" : (tensor<4x8xf32>) -> tensor<4x12xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Variadic<Index>:$low, Variadic<Index>:$high,
                       DenseI64ArrayAttr:$staticLow, DenseI64ArrayAttr:$staticHigh,
                       OptionalAttr<TypedAttrInterface>:$value, OptionalAttr<StrAttr>:$mode);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = [{
    $input `low` custom<DynamicIndexList>($low, $staticLow) `high` custom<DynamicIndexList>($high, $staticHigh)
    (`value` `=` $value^)? (`mode` `=` $mode^)? attr-dict `:` `(` type($input) `)` `->` type($result)
  }];
  let rules = [
    Rule<"C1", "there is one low and one high width for each dimension",
         "(int64_t)$staticLow.size() == rankOf($input) && (int64_t)$staticHigh.size() == rankOf($input)",
         "\"found \" << $staticLow.size() << \" and \" << $staticHigh.size() << \", rank is \" << rankOf($input)">,
    Rule<"C2", "each dynamic width has one operand",
         "dynamicCount($staticLow) == $low.size() && dynamicCount($staticHigh) == $high.size()">,
    Rule<"C3", "widths are not negative", "sizesNotNegative($staticLow) && sizesNotNegative($staticHigh)",
         "\"found \" << describeList($staticLow) << \" and \" << describeList($staticHigh)">,
    Rule<"C4", "the value is a number of the input's element type",
         "!$value || (isScalarNumber(*$value) && $value->getType() == elementTypeOf($input))",
         "\"found \" << *$value << \" for \" << $input.getType()">,
    Rule<"C5", "the result has at most 2^40 elements", "isAllowedShape(paddedShape($input, $staticLow, $staticHigh))",
         "\"input is \" << $input.getType() << \", widths are \" << describeList($staticLow) << \" and \" << describeList($staticHigh)">,
    Rule<"C6", "either a value or a mode is given", "$value.has_value() != $mode.has_value()">,
    Rule<"C7", "mode is 'edge', 'reflect' or 'wrap'", "!$mode || isPadMode(*$mode)", "\"found '\" << *$mode << \"'\"">,
    Rule<"C8", "a mode has elements to repeat: a dimension that grows is not empty", "!$mode || canRepeat($input, $staticLow, $staticHigh)",
         "\"input is \" << $input.getType() << \", widths are \" << describeList($staticLow) << \" and \" << describeList($staticHigh)">];
}

#endif // TRIPY_DIALECT_TRACE_TRACEMOVEMENT
