//===- TraceIndexing.td - Elements chosen by index tensors *- tablegen -*-===//
#ifndef TRIPY_DIALECT_TRACE_TRACEINDEXING
#define TRIPY_DIALECT_TRACE_TRACEINDEXING

include "tripy/Dialect/Common/ScalarFns.td"
include "tripy/Dialect/Trace/TraceBase.td"

defvar IndexElement = ElementClassRule<"C1", "index", 0, 1, 0>;

def Trace_GatherOp : Trace_Op<"gather"> {
  let summary = "Takes slices of a dimension by a tensor of indices";
  let description = [{
    `result[a..., i..., b...] = input[a..., index[i...], b...]`: the dimension
    `dim` of the input is replaced by the dimensions of the index, which may
    have any rank. Negative indices count from the end. An index that is still
    outside is clamped: it takes the first or the last slice.

    ```mlir
    %r = trace.gather %a, %i dim = 1 : (tensor<2x8xf32>, tensor<5x3xi32>) -> tensor<2x5x3xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Tripy_Tensor:$index, I64Attr:$dim);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `,` $index `dim` `=` $dim attr-dict `:` functional-type(operands, results)";
  let rules = [IndexElement,
    Rule<"C2", "-rank <= dim < rank", "isDim($dim, rankOf($input))", "\"dim is \" << asSigned($dim) << \", rank is \" << rankOf($input)">,
    Rule<"C3", "the result has rank at most 8 and at most 2^40 elements",
         "isAllowedTensor(gatheredShape($input, $index, $dim))", "describeShapes({$input, $index})">,
    Rule<"C4", "there is a slice to take: the dimension is not empty, unless the index is",
         "canTake($input, $index, $dim)", "describeShapes({$input, $index})">];
}

def Trace_EmbeddingOp : Trace_Op<"embedding"> {
  let summary = "Takes rows of a weight";
  let description = [{
    `result[i..., j] = weight[index[i...], j]`, with indices as in
    `trace.gather`.

    ```mlir
    %r = trace.embedding %w, %i : (tensor<100x16xf16>, tensor<2x7xi32>) -> tensor<2x7x16xf16>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$weight, Tripy_Tensor:$index);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$weight `,` $index attr-dict `:` functional-type(operands, results)";
  let rules = [IndexElement,
    Rule<"C2", "the weight has rank 2", "rankOf($weight) == 2", "describeShapes({$weight})">,
    Rule<"C3", "the result has rank at most 8 and at most 2^40 elements",
         "isAllowedTensor(gatheredShape($weight, $index, 0))", "describeShapes({$weight, $index})">,
    Rule<"C4", "there is a row to take: the weight is not empty, unless the index is",
         "canTake($weight, $index, 0)", "describeShapes({$weight, $index})">];
}

def Trace_ScatterOp : Trace_Op<"scatter"> {
  let summary = "Replaces slices of a dimension by a tensor of indices";
  let description = [{
    `result[a..., index[i...], b...] = update[a..., i..., b...]`, and what no
    index names is the input's: the inverse of `trace.gather`. Negative indices
    count from the end. An index that is still outside writes nothing; of several
    equal ones the last, in row-major order, writes, on every device.

    ```mlir
    %r = trace.scatter %a, %i, %u dim = 1 : (tensor<2x8xf32>, tensor<3xi32>, tensor<2x3xf32>) -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Tripy_Tensor:$index, Tripy_Tensor:$update, I64Attr:$dim);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `,` $index `,` $update `dim` `=` $dim attr-dict `:` functional-type(operands, results)";
  let rules = [IndexElement,
    Rule<"C2", "-rank <= dim < rank", "isDim($dim, rankOf($input))", "\"dim is \" << asSigned($dim) << \", rank is \" << rankOf($input)">,
    Rule<"C3", "input and update have one element type", "sameElement({$input, $update})", "describeShapes({$input, $update})">,
    Rule<"C4", "the update has the input's shape with that of the index in the place of dim",
         "mayHaveShape($update, gatheredShape($input, $index, $dim))", "describeShapes({$input, $index, $update})">];
  let inferred = "$input.getType()";
}

def Trace_UpdateSliceOp : Trace_Op<"update_slice"> {
  let summary = "Replaces consecutive slices of a dimension";
  let description = [{
    `result[a..., start + i, b...] = update[a..., i, b...]`, and the rest is the
    input's: a step of a key-value cache. `start` is one number, and counts from
    the end when negative. Slices that fall outside of the input are left out.

    ```mlir
    %r = trace.update_slice %cache, %new, %start dim = 1 : (tensor<2x8x4xf16>, tensor<2x1x4xf16>, tensor<i32>) -> tensor<2x8x4xf16>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Tripy_Tensor:$update, Tripy_Tensor:$start, I64Attr:$dim);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `,` $update `,` $start `dim` `=` $dim attr-dict `:` functional-type(operands, results)";
  let rules = [
    Rule<"C1", "the start is an integer of rank 0", "rankOf($start) == 0 && scalar::isOneOf($start.getType(), false, true, false)",
         "describeShapes({$start})">,
    Rule<"C2", "-rank <= dim < rank", "isDim($dim, rankOf($input))", "\"dim is \" << asSigned($dim) << \", rank is \" << rankOf($input)">,
    Rule<"C3", "input and update have one rank and element type", "sameRankAndElement({$input, $update})", "describeShapes({$input, $update})">,
    Rule<"C4", "all other dimensions agree", "agreeExcept({$input, $update}, $dim)", "describeShapes({$input, $update})">];
  let inferred = "$input.getType()";
}

#endif // TRIPY_DIALECT_TRACE_TRACEINDEXING
