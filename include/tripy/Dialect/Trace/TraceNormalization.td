//===- TraceNormalization.td - Norms over channels --------*- tablegen -*-===//
#ifndef TRIPY_DIALECT_TRACE_TRACENORMALIZATION
#define TRIPY_DIALECT_TRACE_TRACENORMALIZATION

include "tripy/Dialect/Common/ScalarFns.td"
include "tripy/Dialect/Trace/TraceBase.td"

/// Rules of norms whose input is (batch, channels, ...), C1 to C4. `vectors`
/// are the operands with a number for each channel.
class ChannelNormRules<list<string> vectors> {
  defvar values = !interleave(!foreach(name, vectors, "$" # name), ", ");
  list<Rule> rules = [
    ElementClassRule<"C1", "input", 1, 0, 0>,
    Rule<"C2", "input, " # !interleave(vectors, ", ") # " have one element type", "sameElement({$input, " # values # "})",
         "describeShapes({$input, " # values # "})">,
    Rule<"C3", "the input has rank at least 2, and " # !interleave(vectors, ", ") # " are vectors of its dimension 1",
         "areOfChannels($input, {" # values # "})", "describeShapes({$input, " # values # "})">,
    Rule<"C4", "eps is finite and not negative", "$eps.isFinite() && !$eps.isNegative()", "\"eps is \" << $eps.convertToDouble()">];
}

def Trace_GroupNormOp : Trace_Op<"group_norm"> {
  let summary = "(x - mean) / sqrt(var + eps) * weight + bias over groups of channels";
  let description = [{
    `input` is (batch, channels, ...), `weight` and `bias` are (channels). Mean
    and variance (divisor n) are taken over all elements of a group of channels,
    in f32 for 16-bit inputs.

    ```mlir
    %r = trace.group_norm %x, %w, %b groups = 2 eps = 1.0e-5 : (tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Tripy_Tensor:$weight, Tripy_Tensor:$bias, I64Attr:$groups, F64Attr:$eps);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `,` $weight `,` $bias `groups` `=` $groups `eps` `=` $eps attr-dict `:` functional-type(operands, results)";
  let rules = ChannelNormRules<["weight", "bias"]>.rules # [
    Rule<"C5", "groups divide the channels", "dividesChannels($input, asSigned($groups))",
         "\"groups is \" << asSigned($groups) << \" for \" << $input.getType()">];
  let inferred = "$input.getType()";
}

def Trace_InstanceNormOp : Trace_Op<"instance_norm"> {
  let summary = "(x - mean) / sqrt(var + eps) * weight + bias over each channel";
  let description = [{
    `input` is (batch, channels, spatial...), `weight` and `bias` are (channels).
    Mean and variance (divisor n) are taken over the spatial dimensions, in f32
    for 16-bit inputs.

    ```mlir
    %r = trace.instance_norm %x, %w, %b eps = 1.0e-5 : (tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Tripy_Tensor:$weight, Tripy_Tensor:$bias, F64Attr:$eps);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `,` $weight `,` $bias `eps` `=` $eps attr-dict `:` functional-type(operands, results)";
  let rules = ChannelNormRules<["weight", "bias"]>.rules # [
    Rule<"C5", "the input has a spatial dimension", "rankOf($input) > 2", "\"found \" << $input.getType()">];
  let inferred = "$input.getType()";
}

def Trace_BatchNormOp : Trace_Op<"batch_norm"> {
  let summary = "(x - mean) / sqrt(var + eps) * weight + bias with given statistics";
  let description = [{
    `input` is (batch, channels, ...), the other operands are (channels): mean
    and variance of each channel, as training has left them. Computed in f32 for
    16-bit inputs, as (x - mean) * (weight / sqrt(var + eps)) + bias: the factor
    of a channel is computed once.

    ```mlir
    %r = trace.batch_norm %x, %m, %v, %w, %b eps = 1.0e-5 : (tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Tripy_Tensor:$mean, Tripy_Tensor:$variance, Tripy_Tensor:$weight, Tripy_Tensor:$bias,
                       F64Attr:$eps);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $mean `,` $variance `,` $weight `,` $bias `eps` `=` $eps attr-dict `:` functional-type(operands, results)
  }];
  let rules = ChannelNormRules<["mean", "variance", "weight", "bias"]>.rules;
  let inferred = "$input.getType()";
}

#endif // TRIPY_DIALECT_TRACE_TRACENORMALIZATION
