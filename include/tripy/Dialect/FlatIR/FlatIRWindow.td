//===- FlatIRWindow.td - Sliding windows over a tensor ----*- tablegen -*-===//
#ifndef TRIPY_DIALECT_FLATIR_FLATIRWINDOW
#define TRIPY_DIALECT_FLATIR_FLATIRWINDOW

include "tripy/Dialect/FlatIR/FlatIRBase.td"

def FlatIR_WindowOp : FlatIR_TensorOp<"window", "shape.declared($result, $sizes)", [Pure]> {
  let summary = "Sliding windows over dimensions";
  let description = [{
    The result has a dimension for each of `dims`, the positions in a window,
    and then the input's dimensions, where those of `dims` count windows.
    Position `k` of window `i` is the input's element

    `(i * stride + k * dilation - low) / interior`

    of this dimension, and `value` where that is outside of the input or no
    whole number: `low` places lie in front of the input and `interior - 1`
    between two of its elements, and as many behind it as the result's size
    asks for. Dilations may be negative, and so may `low`.

    ```mlir
    %r = flatir.window %a dims = [1] window = [3] strides = [1] dilations = [1] interior = [1] low = [1] value = 0.0 : f32 sizes() : tensor<2x8xf32> -> tensor<3x2x8xf32>
    %s = flatir.window %b dims = [0, 1] window = [2, 2] strides = [2, 2] dilations = [1, 1] interior = [1, 1] low = [0, 0] value = 0 : i32 sizes(%n) : tensor<?x8xi32> -> tensor<2x2x?x4xi32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Variadic<Index>:$sizes, DenseI64ArrayAttr:$dims, DenseI64ArrayAttr:$window,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$interior,
                       DenseI64ArrayAttr:$low, TypedAttrInterface:$value);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = [{
    $input `dims` `=` $dims `window` `=` $window `strides` `=` $strides `dilations` `=` $dilations `interior` `=` $interior
    `low` `=` $low `value` `=` $value `sizes` `(` $sizes `)` attr-dict `:` type($input) `->` type($result)
  }];
  let rules = [
    Rule<"C1", "each dynamic size of the result has one operand", "$result.getType().getNumDynamicDims() == $sizes.size()",
         "\"found \" << $sizes.size() << \" operands for \" << $result.getType()">,
    Rule<"C2", "input, result and value have one element type",
         "elementTypeOf($input) == elementTypeOf($result) && isScalarNumber($value) && $value.getType() == elementTypeOf($input)",
         "describeShapes({$input, $result}) << \" and \" << $value">,
    Rule<"C3", "dims ascend, within the input's rank, at least one", "!$dims.empty() && areAscendingDims($dims, (int64_t)$dims.size(), rankOf($input))",
         "\"found \" << describeList($dims)">,
    Rule<"C4", "window, strides, dilations, interior and low have one number for each of dims",
         "haveSize($dims.size(), {$window, $strides, $dilations, $interior, $low})">,
    Rule<"C5", "window sizes are at least 1", "areWithin($window, 1, maxElements)", "\"found \" << describeList($window)">,
    Rule<"C6", "strides and interior are from 1 to 2^20, dilations too, or negative, and low is at most 2^61 in magnitude",
         "areSteps($strides) && areSteps($interior) && areDilations($dilations) && areWithin($low, -maxWindowOffset, maxWindowOffset)",
         "\"found \" << describeList($strides) << \", \" << describeList($interior) << \", \" << describeList($dilations) << \" and \" << describeList($low)">,
    Rule<"C7", "the result has the window's sizes, and then the input's but for dims", "isWindowedType($input, $result, $dims, $window)",
         "describeShapes({$input, $result})">,
    Rule<"C8", "dims of the input are not empty, unless the result is", "canSlide($input, $result, $dims)", "describeShapes({$input, $result})">];
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = FlatIR_CheckRules # [{
    /// Whether no position of a window is known to be outside of the input, or
    /// between its elements.
    bool isInside();
  }];
}

#endif // TRIPY_DIALECT_FLATIR_FLATIRWINDOW
