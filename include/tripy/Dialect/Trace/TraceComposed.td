//===- TraceComposed.td - Element-wise operations of others *- tablegen -*-===//
#ifndef TRIPY_DIALECT_TRACE_TRACECOMPOSED
#define TRIPY_DIALECT_TRACE_TRACECOMPOSED

include "tripy/Dialect/Trace/TraceElementwise.td"

def Trace_ReciprocalOp : Trace_ComposedUnary<"reciprocal", "Element-wise 1 / x", [{
    `1 / x`: an infinity of the zero's sign for a zero.

    ```mlir
    %r = trace.reciprocal %a : (tensor<2xf32>) -> tensor<2xf32>
    ```
  }]>;

/// A question about floats.
class Trace_Classification<string mnemonic, string what, string text>
    : Trace_ComposedUnary<mnemonic, what, "    " # text # [{ The result is a tensor of i1.

    ```mlir
    %r = trace.}] # mnemonic # [{ %a : (tensor<2xf32>) -> tensor<2xi1>
    ```
  }]> {
  let inferred = "withElementType($input.getType(), ::mlir::IntegerType::get($input.getContext(), 1))";
}
def Trace_IsNanOp : Trace_Classification<"isnan", "Whether x is NaN", "`x != x`.">;
def Trace_IsInfOp : Trace_Classification<"isinf", "Whether x is an infinity of either sign", "`|x| == infinity`.">;
def Trace_IsFiniteOp : Trace_Classification<"isfinite", "Whether x is a number that is not infinite", "`|x| < infinity`.">;

def Trace_ClampOp : Trace_Op<"clamp"> {
  let summary = "Limits to an interval";
  let description = [{
    `minimum(maximum(input, low), high)`; all three broadcast. The result is NaN
    if any operand is, and `high` where `low` is above it.

    ```mlir
    %r = trace.clamp %a, %low, %high : (tensor<2x3xf32>, tensor<f32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Tripy_Tensor:$low, Tripy_Tensor:$high);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `,` $low `,` $high attr-dict `:` functional-type(operands, results)";
  let rules = [
    ElementClassRule<"C1", "input", 1, 1, 0>,
    Rule<"C2", "all operands have one element type", "sameElement({$input, $low, $high})", "describeShapes({$input, $low, $high})">,
    Rule<"C3", "aligned at the last dimension, sizes are equal or one of them is 1",
         "canBroadcast({$input, $low, $high})", "describeShapes({$input, $low, $high})">,
    Rule<"C4", "the result has at most 2^40 elements", "isAllowedShape(broadcastShape({$input, $low, $high}))",
         "describeShapes({$input, $low, $high})">];
  let inferred = "broadcastType({$input, $low, $high}, elementTypeOf($input))";
}

#endif // TRIPY_DIALECT_TRACE_TRACECOMPOSED
