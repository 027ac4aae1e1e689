//===- TraceActivation.td - Activations with parameters ---*- tablegen -*-===//
#ifndef TRIPY_DIALECT_TRACE_TRACEACTIVATION
#define TRIPY_DIALECT_TRACE_TRACEACTIVATION

include "tripy/Dialect/Trace/TraceElementwise.td"

def Trace_SoftplusOp : Trace_ComposedUnary<"softplus", "Smooth rectified linear unit", [{
    `log(1 + exp(x))`, computed as `maximum(x, 0) + log1p(exp(-|x|))`, which does
    not overflow.

    ```mlir
    %r = trace.softplus %a : (tensor<2xf32>) -> tensor<2xf32>
    ```
  }]>;
def Trace_MishOp : Trace_ComposedUnary<"mish", "Self-regularized activation", [{
    `x tanh(softplus(x))`.

    ```mlir
    %r = trace.mish %a : (tensor<2xf32>) -> tensor<2xf32>
    ```
  }]>;
def Trace_HardSwishOp : Trace_ComposedUnary<"hard_swish", "Piecewise silu", [{
    `x minimum(maximum(x / 6 + 0.5, 0), 1)`.

    ```mlir
    %r = trace.hard_swish %a : (tensor<2xf32>) -> tensor<2xf32>
    ```
  }]>;

/// `parameter` is finite: what it is multiplied with may be 0.
class FiniteRule<string ruleId, string parameter>
    : Rule<ruleId, parameter # " is finite", "$" # parameter # ".isFinite()",
           "\"" # parameter # " is \" << $" # parameter # ".convertToDouble()">;

def Trace_EluOp : Trace_ComposedUnary<"elu", "Exponential linear unit", [{
    `x` where `x > 0`, elsewhere `alpha expm1(x)`.

    ```mlir
    %r = trace.elu %a alpha = 1.0 : (tensor<2xf32>) -> tensor<2xf32>
    ```
  }]> {
  let arguments = (ins Tripy_Tensor:$input, F64Attr:$alpha);
  let assemblyFormat = "$input `alpha` `=` $alpha attr-dict `:` functional-type(operands, results)";
  let rules = [ElementClassRule<"C1", "input", 1, 0, 0>, FiniteRule<"C2", "alpha">];
}
def Trace_LeakyReluOp : Trace_ComposedUnary<"leaky_relu", "Rectified linear unit with a slope", [{
    `x` where `x > 0`, elsewhere `slope x`.

    ```mlir
    %r = trace.leaky_relu %a slope = 0.01 : (tensor<2xf32>) -> tensor<2xf32>
    ```
  }]> {
  let arguments = (ins Tripy_Tensor:$input, F64Attr:$slope);
  let assemblyFormat = "$input `slope` `=` $slope attr-dict `:` functional-type(operands, results)";
  let rules = [ElementClassRule<"C1", "input", 1, 0, 0>, FiniteRule<"C2", "slope">];
}
def Trace_HardSigmoidOp : Trace_ComposedUnary<"hard_sigmoid", "Piecewise logistic function", [{
    `minimum(maximum(alpha x + beta, 0), 1)`. PyTorch's has `alpha` 1/6 and
    `beta` 0.5, ONNX's default is 0.2 and 0.5.

    ```mlir
    %r = trace.hard_sigmoid %a alpha = 0.2 beta = 0.5 : (tensor<2xf32>) -> tensor<2xf32>
    ```
  }]> {
  let arguments = (ins Tripy_Tensor:$input, F64Attr:$alpha, F64Attr:$beta);
  let assemblyFormat = "$input `alpha` `=` $alpha `beta` `=` $beta attr-dict `:` functional-type(operands, results)";
  let rules = [ElementClassRule<"C1", "input", 1, 0, 0>, FiniteRule<"C2", "alpha">, FiniteRule<"C3", "beta">];
}

#endif // TRIPY_DIALECT_TRACE_TRACEACTIVATION
