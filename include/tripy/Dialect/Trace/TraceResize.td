//===- TraceResize.td - Interpolation ---------------------*- tablegen -*-===//
#ifndef TRIPY_DIALECT_TRACE_TRACERESIZE
#define TRIPY_DIALECT_TRACE_TRACERESIZE

include "tripy/Dialect/Common/ScalarFns.td"
include "tripy/Dialect/Trace/TraceBase.td"

def Trace_ResizeOp : Trace_Op<"resize"> {
  let summary = "Interpolates to other sizes";
  let description = [{
    Of each dimension either the size is given (-1 keeps the input's) or, with
    `scales`, the factor: the size is then `size * scale`, rounded down. A
    scale counts as the fraction of the smallest denominator that is as near as
    f32 can tell.

    Element `i` of the result stands at `x` in the input:

    | coordinates | x |
    |---|---|
    | `half_pixel` | `(i + 0.5) / scale - 0.5` |
    | `asymmetric` | `i / scale` |
    | `align_corners` | `i * (size - 1) / (result's size - 1)`, and 0 in a result of size 1 |

    where `scale` is the result's size through the input's, or as given. Along each dimension
    whose size changes, `nearest` takes the element at `floor(x)`, for
    `half_pixel` at `floor(x + 0.5)`; `linear` weighs the two elements around
    `x`, `cubic` the four, with Keys' kernel of -0.75. Beyond the ends stands
    the last element. Positions are exact; weights are f32, in which floats of
    16 bits and i8 are computed, too. An element of i8 is rounded to the
    nearest integer, ties to even, and limited to -128 to 127.

    ```mlir
    %r = trace.resize %x to [-1, -1, 16, 4] mode = "linear" : (tensor<1x3x8x8xf32>) -> tensor<1x3x16x4xf32>
    %s = trace.resize %x scales = [1.0, 1.0, 2.0, 1.5] mode = "nearest" coordinates = "asymmetric" : (tensor<1x3x8x8xf32>) -> tensor<1x3x16x12xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Variadic<Index>:$sizes, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$staticSizes,
                       DefaultValuedAttr<F64ArrayAttr, "{}">:$scales, StrAttr:$mode,
                       DefaultValuedAttr<StrAttr, "\"half_pixel\"">:$coordinates);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = [{
    $input (`to` custom<DynamicIndexList>($sizes, $staticSizes)^)? (`scales` `=` $scales^)? `mode` `=` $mode
    (`coordinates` `=` $coordinates^)? attr-dict `:` `(` type($input) `)` `->` type($result)
  }];
  let rules = [
    Rule<"C1", "the element type is float or i8, or for mode 'nearest' any", "$mode == \"nearest\" || isAveraged($input)",
         "\"found \" << elementTypeOf($input)">,
    Rule<"C2", "mode is 'nearest', 'linear' or 'cubic'", "isResizeMode($mode)", "\"found '\" << $mode << \"'\"">,
    Rule<"C3", "coordinates are 'half_pixel', 'asymmetric' or, but for mode 'nearest', 'align_corners'", "areCoordinates($coordinates, $mode)",
         "\"found '\" << $coordinates << \"'\"">,
    Rule<"C4", "either sizes or scales are given, one for each dimension", "hasEither($staticSizes.size(), $scales.size(), rankOf($input))",
         "\"found \" << $staticSizes.size() << \" sizes and \" << $scales.size() << \" scales, rank is \" << rankOf($input)">,
    Rule<"C5", "each dynamic size has one operand", "dynamicCount($staticSizes) == $sizes.size()",
         "\"found \" << $sizes.size() << \" operands for \" << dynamicCount($staticSizes) << \" dynamic sizes\"">,
    Rule<"C6", "sizes are not negative, but for -1, and at most 2^30", "areResizeSizes($staticSizes)", "\"found \" << describeList($staticSizes)">,
    Rule<"C7", "scales are from 2^-20 to 2^20", "areScales(scalesOf($scales))", "\"found \" << describeScales(scalesOf($scales))">,
    Rule<"C8", "a dimension that changes has 1 to 2^30 elements and gets at most 2^30, unless the result is empty",
         "canResize($input, $staticSizes, scalesOf($scales))", "describeShapes({$input})">,
    Rule<"C9", "the result has at most 2^40 elements", "isAllowedShape(resizedShape($input, $staticSizes, scalesOf($scales)))", "describeShapes({$input})">];
  let inferred = "::mlir::RankedTensorType::get(resizedShape($input, $staticSizes, scalesOf($scales)), elementTypeOf($input))";
}

#endif // TRIPY_DIALECT_TRACE_TRACERESIZE
