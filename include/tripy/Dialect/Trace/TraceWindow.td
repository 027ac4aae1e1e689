//===- TraceWindow.td - Convolutions and pooling ----------*- tablegen -*-===//
#ifndef TRIPY_DIALECT_TRACE_TRACEWINDOW
#define TRIPY_DIALECT_TRACE_TRACEWINDOW

include "tripy/Dialect/Common/ScalarFns.td"
include "tripy/Dialect/Trace/TraceContraction.td"

/// A list of numbers, one for each spatial dimension; an empty one stands for
/// the default in all of them.
defvar Trace_SpatialList = DefaultValuedAttr<DenseI64ArrayAttr, "{}">;

/// Rules that the convolutions share, C1 to C7.
defvar ConvolutionRules = [
    ElementClassRule<"C1", "input", 1, 1, 0>,
    Rule<"C2", "input, weight and bias have one element type", "sameElement({$input, $weight}) && (!$bias || sameElement({$input, $bias}))",
         "describeShapes({$input, $weight, $bias})">,
    Rule<"C3", "input and weight have one rank, from 3 to 5", "rankOf($input) == rankOf($weight) && rankOf($input) >= 3 && rankOf($input) <= 5",
         "describeShapes({$input, $weight})">,
    Rule<"C4", "the weight's spatial sizes are static and at least 1", "hasKernelSizes($weight)", "describeShapes({$weight})">,
    Rule<"C5", "stride, dilation, low and high have one number for each spatial dimension, or none",
         "areSpatial(rankOf($input) - 2, {$stride, $dilation, $low, $high})",
         "describeSpatial({$stride, $dilation, $low, $high}) << \"; the input has rank \" << rankOf($input)">,
    Rule<"C6", "strides and dilations are from 1 to 2^20", "areWindowSteps($stride) && areWindowSteps($dilation)",
         "\"found \" << describeList($stride) << \" and \" << describeList($dilation)">,
    Rule<"C7", "padding is from 0 to 2^40", "areWidths($low) && areWidths($high)",
         "\"found \" << describeList($low) << \" and \" << describeList($high)">];

defvar ConvolutionFormat = "$input `,` $weight (`,` $bias^)? (`stride` `=` $stride^)? (`dilation` `=` $dilation^)? (`low` `=` $low^)? "
    "(`high` `=` $high^)? ";

def Trace_ConvolutionOp : Trace_Op<"convolution"> {
  let summary = "Convolution over 1, 2 or 3 spatial dimensions";
  let description = [{
    `input` is (batch, channels, spatial...), `weight` is (output channels,
    channels / groups, window...), `bias` is (output channels). The input is
    padded with `low` zeros before and `high` behind each spatial dimension; a
    window has its elements `dilation` apart, and windows are `stride` apart:

    `result[n, o, p...] = bias[o] + sum over c, k... of padded[n, c, p * stride + k * dilation, ...] * weight[o, c, k...]`

    where `c` are the channels of `o`'s group. A size of the result is
    `(size + low + high - dilation * (window - 1) - 1) / stride + 1`, rounded
    down. Missing strides and dilations are 1, missing padding is 0. 16-bit
    floats accumulate in f32 and round once, before the bias; integers wrap
    around. `allow_tf32` is that of `matmul`.

    ```mlir
    %r = trace.convolution %x, %w, %b stride = [2, 2] low = [1, 1] high = [1, 1] : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>, tensor<6xf32>) -> tensor<1x6x4x4xf32>
    %s = trace.convolution %y, %v dilation = [2] groups = 4 : (tensor<?x4x8xf16>, tensor<4x1x3xf16>) -> tensor<?x4x4xf16>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Tripy_Tensor:$weight, Optional<Tripy_Tensor>:$bias, Trace_SpatialList:$stride,
                       Trace_SpatialList:$dilation, Trace_SpatialList:$low, Trace_SpatialList:$high,
                       DefaultValuedAttr<I64Attr, "1">:$groups, UnitAttr:$allowTF32);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = ConvolutionFormat # [{
    (`groups` `=` $groups^)? (`allow_tf32` $allowTF32^)? attr-dict `:` functional-type(operands, results)
  }];
  let rules = ConvolutionRules # [
    Rule<"C8", "the input has groups times as many channels as the weight's dimension 1, and groups divide the output channels",
         "hasGroups($input, $weight, asSigned($groups))",
         "\"groups is \" << asSigned($groups) << \", \" << describeShapes({$input, $weight}) << describeChannels($input, $weight, /*contracted=*/1)">,
    Rule<"C9", "the bias is a vector of the weight's first dimension", "!$bias || isBiasOf($bias, $weight)", "describeShapes({$weight, $bias})">,
    Rule<"C10", "spatial dimensions are not empty, and a window fits into the padded input",
         "convolutionSpace($input, $weight, $stride, $dilation, $low, $high).fits()", "describeShapes({$input, $weight})">,
    Rule<"C11", "the result and all windows together have at most 2^40 elements",
         "convolutionSpace($input, $weight, $stride, $dilation, $low, $high).isAllowed() && isAllowedShape(convolutionShape($input, $weight, $stride, $dilation, $low, $high))",
         "describeShapes({$input, $weight})">,
    AllowTF32Rule<"C12", "input">];
  let inferred = "::mlir::RankedTensorType::get(convolutionShape($input, $weight, $stride, $dilation, $low, $high), elementTypeOf($input))";
}

def Trace_ConvTransposeOp : Trace_Op<"conv_transpose"> {
  let summary = "Transposed convolution over 1, 2 or 3 spatial dimensions";
  let description = [{
    What a convolution does to its result, backwards: `weight` is (channels,
    output channels / groups, window...), and each element of the input is
    multiplied by a window and added to the result, `stride` elements further
    for each. Of the result, `low` elements are left out before and `high`
    behind each spatial dimension, and `output_padding` more are there at the
    end. A size of the result is
    `(size - 1) * stride + dilation * (window - 1) + 1 + output_padding - low - high`.

    ```mlir
    %r = trace.conv_transpose %x, %w stride = [2, 2] low = [1, 1] high = [1, 1] output_padding = [1, 1] : (tensor<1x4x8x8xf32>, tensor<4x6x3x3xf32>) -> tensor<1x6x16x16xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Tripy_Tensor:$weight, Optional<Tripy_Tensor>:$bias, Trace_SpatialList:$stride,
                       Trace_SpatialList:$dilation, Trace_SpatialList:$low, Trace_SpatialList:$high,
                       Trace_SpatialList:$outputPadding, DefaultValuedAttr<I64Attr, "1">:$groups, UnitAttr:$allowTF32);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = ConvolutionFormat # [{
    (`output_padding` `=` $outputPadding^)? (`groups` `=` $groups^)? (`allow_tf32` $allowTF32^)? attr-dict
    `:` functional-type(operands, results)
  }];
  let rules = ConvolutionRules # [
    Rule<"C8", "output_padding has one number for each spatial dimension, or none, and is less than the stride or the dilation",
         "isOutputPadding($outputPadding, rankOf($input) - 2, $stride, $dilation)", "\"found \" << describeList($outputPadding)">,
    Rule<"C9", "the input has as many channels as the weight's dimension 0, and groups divide them",
         "hasTransposedGroups($input, $weight, asSigned($groups))",
         "\"groups is \" << asSigned($groups) << \", \" << describeShapes({$input, $weight}) << describeChannels($input, $weight, /*contracted=*/0)">,
    Rule<"C10", "the bias is a vector of the output channels, groups times the weight's dimension 1",
         "!$bias || isTransposedBias($bias, $weight, asSigned($groups))", "describeShapes({$weight, $bias})">,
    Rule<"C11", "spatial dimensions are not empty, and those of the result have a size of at least 1",
         "transposedSpace($input, $weight, $stride, $dilation, $low, $high, $outputPadding).fits()", "describeShapes({$input, $weight})">,
    Rule<"C12", "the result and all windows together have at most 2^40 elements",
         "transposedSpace($input, $weight, $stride, $dilation, $low, $high, $outputPadding).isAllowed() && "
         "isAllowedShape(transposedShape($input, $weight, $stride, $dilation, $low, $high, $outputPadding, asSigned($groups)))",
         "describeShapes({$input, $weight})">,
    AllowTF32Rule<"C13", "input">];
  let inferred = "::mlir::RankedTensorType::get(transposedShape($input, $weight, $stride, $dilation, $low, $high, $outputPadding, "
                 "asSigned($groups)), elementTypeOf($input))";
}

/// Rules that the pooling operations share behind their first one.
defvar PoolRules = [
    Rule<"C2", "window has 1 to 3 sizes of at least 1, for the input's last dimensions", "isPoolWindow($window, rankOf($input))",
         "\"found \" << describeList($window) << \" for \" << $input.getType()">,
    Rule<"C3", "stride, dilation, low and high have one number for each of window's, or none",
         "areSpatial($window.size(), {$stride, $dilation, $low, $high})",
         "describeSpatial({$stride, $dilation, $low, $high}) << \" for the window \" << describeList($window)">,
    Rule<"C4", "strides and dilations are from 1 to 2^20", "areWindowSteps($stride) && areWindowSteps($dilation)",
         "\"found \" << describeList($stride) << \" and \" << describeList($dilation)">,
    Rule<"C5", "padding is not negative and less than a window with its gaps", "isPoolPadding($window, $dilation, $low) && isPoolPadding($window, $dilation, $high)",
         "\"found \" << describeList($low) << \" and \" << describeList($high)">,
    Rule<"C6", "the dimensions are not empty, and a window fits into the padded input",
         "poolSpace($input, $window, $stride, $dilation, $low, $high, $ceilMode).fits()",
         "describeShapes({$input}) << \" and the window \" << describeList($window)">,
    Rule<"C7", "there is room for the windows: rank at most 8, and at most 2^40 elements in all of them",
         "poolSpace($input, $window, $stride, $dilation, $low, $high, $ceilMode).isAllowed()", "describeShapes({$input})">];

defvar PoolFormat = "$input `window` `=` $window (`stride` `=` $stride^)? (`dilation` `=` $dilation^)? (`low` `=` $low^)? "
    "(`high` `=` $high^)? (`ceil_mode` $ceilMode^)? ";

defvar PoolSizes = [{
    A size of the result is `(size + low + high - dilation * (window - 1) - 1) /
    stride + 1`, rounded down; with `ceil_mode` rounded up, without a window
    that would start behind the input. Missing strides and dilations are 1,
    missing padding is 0.
}];

def Trace_MaxPoolOp : Trace_Op<"maxpool"> {
  let summary = "The largest element of each window over the last dimensions";
  let description = !strconcat([{
    NaN if any is NaN. Padding counts as the lowest value, which is the result
    of a window without an element of the input.
}], PoolSizes, [{
    ```mlir
    %r = trace.maxpool %x window = [3, 3] stride = [2, 2] low = [1, 1] high = [1, 1] : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
    ```
  }]);
  let arguments = (ins Tripy_Tensor:$input, DenseI64ArrayAttr:$window, Trace_SpatialList:$stride, Trace_SpatialList:$dilation,
                       Trace_SpatialList:$low, Trace_SpatialList:$high, UnitAttr:$ceilMode);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = PoolFormat # "attr-dict `:` functional-type(operands, results)";
  let rules = [ElementClassRule<"C1", "input", 1, 1, 0>] # PoolRules;
  let inferred = "::mlir::RankedTensorType::get(poolSpace($input, $window, $stride, $dilation, $low, $high, $ceilMode).result(), elementTypeOf($input))";
}

def Trace_AvgPoolOp : Trace_Op<"avgpool"> {
  let summary = "The mean of each window over the last dimensions";
  let description = !strconcat([{
    Padding counts as zeros or, with `count_include_pad = false`, not at all: the
    mean is that of the elements of the input alone, NaN if there is none. What
    `ceil_mode` adds behind the padding never counts. 16-bit floats accumulate
    in f32 and round once. A mean of i8 is rounded to the nearest integer, ties
    to even; that of no element is 0.
}], PoolSizes, [{
    ```mlir
    %r = trace.avgpool %x window = [3, 3] stride = [2, 2] low = [1, 1] high = [1, 1] count_include_pad = false : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
    ```
  }]);
  let arguments = (ins Tripy_Tensor:$input, DenseI64ArrayAttr:$window, Trace_SpatialList:$stride, Trace_SpatialList:$dilation,
                       Trace_SpatialList:$low, Trace_SpatialList:$high, UnitAttr:$ceilMode,
                       DefaultValuedAttr<BoolAttr, "true">:$countIncludePad);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = PoolFormat # [{
    (`count_include_pad` `=` $countIncludePad^)? attr-dict `:` functional-type(operands, results)
  }];
  let rules = [Rule<"C1", "the element type is float or i8", "isAveraged($input)", "\"found \" << elementTypeOf($input)">] # PoolRules;
  let inferred = "::mlir::RankedTensorType::get(poolSpace($input, $window, $stride, $dilation, $low, $high, $ceilMode).result(), elementTypeOf($input))";
}

#endif // TRIPY_DIALECT_TRACE_TRACEWINDOW
