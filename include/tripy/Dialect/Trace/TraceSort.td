//===- TraceSort.td - Sorting and selection ---------------*- tablegen -*-===//
#ifndef TRIPY_DIALECT_TRACE_TRACESORT
#define TRIPY_DIALECT_TRACE_TRACESORT

include "tripy/Dialect/Trace/TraceBase.td"

defvar SortDimRules = [
    Rule<"C1", "-rank <= dim < rank", "isDim($dim, rankOf($input))", "\"dim is \" << asSigned($dim) << \", rank is \" << rankOf($input)">,
    Rule<"C2", "the dimension has at most 2^31 - 1 elements", "hasPositions($input, $dim)", "describeShapes({$input})">];

def Trace_SortOp : Trace_Op<"sort"> {
  let summary = "Sorts along one dimension";
  let description = [{
    The elements in ascending order, or with `descending` in descending order, and
    the index (i32) along `dim` of each.

    The order is total: NaN is greater than every number and equal to NaN, -0 is
    equal to 0, false is less than true. The sort is stable in both directions: of
    equal elements, the one with the lower index comes first.

    ```mlir
    %r:2 = trace.sort %a dim = -1 : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
    %s:2 = trace.sort %a dim = 0 descending : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, I64Attr:$dim, UnitAttr:$descending);
  let results = (outs Tripy_Tensor:$values, Tripy_Tensor:$indices);
  let assemblyFormat = "$input `dim` `=` $dim (`descending` $descending^)? attr-dict `:` functional-type(operands, results)";
  let rules = SortDimRules;
}

def Trace_TopKOp : Trace_Op<"topk"> {
  let summary = "The largest or smallest elements along one dimension";
  let description = [{
    The `k` largest elements in descending order, or with `smallest` the `k`
    smallest in ascending order, and the index (i32) along `dim` of each: what
    `sort` puts first. Of equal elements, the ones with the lower indices are
    taken, and come first; NaN is greater than every number. Where the dimension
    is dynamic, that it has `k` elements is checked at run time.

    ```mlir
    %r:2 = trace.topk %a k = 2 dim = -1 : (tensor<2x3xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
    %s:2 = trace.topk %a k = 1 dim = 0 smallest : (tensor<2x3xf32>) -> (tensor<1x3xf32>, tensor<1x3xi32>)
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, I64Attr:$k, I64Attr:$dim, UnitAttr:$smallest);
  let results = (outs Tripy_Tensor:$values, Tripy_Tensor:$indices);
  let assemblyFormat = "$input `k` `=` $k `dim` `=` $dim (`smallest` $smallest^)? attr-dict `:` functional-type(operands, results)";
  let rules = SortDimRules # [
    Rule<"C3", "0 <= k <= the size of the dimension", "isCount($input, $dim, $k)",
         "\"k is \" << asSigned($k) << \", the input is \" << $input.getType()">];
}

#endif // TRIPY_DIALECT_TRACE_TRACESORT
