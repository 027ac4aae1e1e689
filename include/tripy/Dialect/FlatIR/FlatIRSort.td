//===- FlatIRSort.td - The order of elements --------------*- tablegen -*-===//
#ifndef TRIPY_DIALECT_FLATIR_FLATIRSORT
#define TRIPY_DIALECT_FLATIR_FLATIRSORT

include "tripy/Dialect/FlatIR/FlatIRBase.td"

def FlatIR_SortOp : FlatIR_TensorOp<"sort", "shape.of($input)", [Pure]> {
  let summary = "Positions of a row's elements in sorted order";
  let description = [{
    Rows are along the last dimension. Element `i` of a result's row is the
    position of the element that is number `i` in ascending order, or, with
    `descending`, in descending order. With `count` the result has the first
    `count` positions alone.

    The order is total: NaN is greater than every number and equal to NaN, -0 is
    equal to 0, false is less than true. Of equal elements the one with the lower
    position comes first, in both directions.

    ```mlir
    %r = flatir.sort %a : tensor<2x3xf32> -> tensor<2x3xi32>
    %s = flatir.sort %a descending count = 2 : tensor<2x3xf32> -> tensor<2x2xi32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, UnitAttr:$descending, OptionalAttr<I64Attr>:$count);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input (`descending` $descending^)? (`count` `=` $count^)? attr-dict `:` type($input) `->` type($result)";
  let rules = [
    Rule<"C1", "the input has rank at least 1", "rankOf($input) >= 1", "describeShapes({$input})">,
    Rule<"C2", "the last dimension has at most 2^31 - 1 elements", "hasPositions($input)", "describeShapes({$input})">,
    Rule<"C3", "0 <= count <= the last dimension", "!$count || isCountOf($input, *$count)",
         "\"count is \" << asSigned(*$count) << \", the input is \" << $input.getType()">,
    Rule<"C4", "the result has the input's shape, with count as the last size, and element type i32", "isSortedType($input, $count, $result)",
         "describeShapes({$input, $result})">];
}

#endif // TRIPY_DIALECT_FLATIR_FLATIRSORT
