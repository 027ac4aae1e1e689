//===- TraceContraction.td - Matrix products --------------*- tablegen -*-===//
#ifndef TRIPY_DIALECT_TRACE_TRACECONTRACTION
#define TRIPY_DIALECT_TRACE_TRACECONTRACTION

include "tripy/Dialect/Common/ScalarFns.td"
include "tripy/Dialect/Trace/TraceBase.td"

def Trace_MatmulOp : Trace_Op<"matmul"> {
  let summary = "Matrix product, batched and broadcast";
  let description = [{
    As NumPy's `matmul`: two vectors give a scalar; a vector on the left is a
    row, on the right a column, and the added dimension is dropped from the result; leading
    dimensions broadcast. 16-bit floats accumulate in f32 and round once.

    ```mlir
    %r = trace.matmul %a, %b : (tensor<4x2x3xf32>, tensor<3x5xf32>) -> tensor<4x2x5xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$lhs, Tripy_Tensor:$rhs);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let rules = [ElementClassRule<"C1", "lhs", 1, 1, 0>,
    Rule<"C2", "both operands have one element type", "elementTypeOf($lhs) == elementTypeOf($rhs)",
         "\"found \" << elementTypeOf($lhs) << \" and \" << elementTypeOf($rhs)">,
    Rule<"C3", "both operands have rank at least 1", "rankOf($lhs) >= 1 && rankOf($rhs) >= 1", "describeShapes({$lhs, $rhs})">,
    Rule<"C4", "the last dimension of the left operand agrees with the contracted one of the right", "canContract($lhs, $rhs)", "describeShapes({$lhs, $rhs})">,
    Rule<"C5", "leading dimensions, aligned at the end, are equal or one of them is 1", "canBroadcastBatch($lhs, $rhs)", "describeShapes({$lhs, $rhs})">,
    Rule<"C6", "the result has at most 2^40 elements", "isAllowedShape(matmulShape($lhs, $rhs))", "describeShapes({$lhs, $rhs})">];
  let inferred = "::mlir::RankedTensorType::get(matmulShape($lhs, $rhs), elementTypeOf($lhs))";
}

def Trace_LinearOp : Trace_Op<"linear"> {
  let summary = "x times the transposed weight, plus bias";
  let description = [{
    `weight` is (out features, in features), `bias` is (out features).

    ```mlir
    %r = trace.linear %x, %w, %b : (tensor<1x2xf32>, tensor<3x2xf32>, tensor<3xf32>) -> tensor<1x3xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Tripy_Tensor:$weight, Optional<Tripy_Tensor>:$bias);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `,` $weight (`,` $bias^)? attr-dict `:` functional-type(operands, results)";
  let rules = [
    ElementClassRule<"C1", "input", 1, 1, 0>,
    Rule<"C2", "input, weight and bias have one element type",
         "elementTypeOf($input) == elementTypeOf($weight) && (!$bias || elementTypeOf($bias) == elementTypeOf($input))",
         "describeShapes({$input, $weight, $bias})">,
    Rule<"C3", "the input has rank at least 1 and the weight rank 2", "rankOf($input) >= 1 && rankOf($weight) == 2", "describeShapes({$input, $weight})">,
    Rule<"C4", "the last dimensions of input and weight agree", "lastDimsAgree($input, $weight)", "describeShapes({$input, $weight})">,
    Rule<"C5", "the bias is a vector of the weight's first dimension", "!$bias || isBiasOf($bias, $weight)", "describeShapes({$weight, $bias})">,
    Rule<"C6", "the result has at most 2^40 elements", "isAllowedShape(linearShape($input, $weight))", "describeShapes({$input, $weight})">];
  let inferred = "::mlir::RankedTensorType::get(linearShape($input, $weight), elementTypeOf($input))";
}

#endif // TRIPY_DIALECT_TRACE_TRACECONTRACTION
