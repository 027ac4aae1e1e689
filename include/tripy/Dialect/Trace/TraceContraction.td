//===- TraceContraction.td - Matrix products --------------*- tablegen -*-===//
#ifndef TRIPY_DIALECT_TRACE_TRACECONTRACTION
#define TRIPY_DIALECT_TRACE_TRACECONTRACTION

include "tripy/Dialect/Common/ScalarFns.td"
include "tripy/Dialect/Trace/TraceBase.td"

// What follows the operands of matmul and linear.
defvar ContractionFormat = "(`allow_tf32` $allowTF32^)? (`dtype` `=` $dtype^)? "
    "attr-dict `:` functional-type(operands, results)";

class AllowTF32Rule<string ruleId, string operand>
    : Rule<ruleId, "allow_tf32 is for f32 operands", "!$allowTF32 || elementTypeOf($" # operand # ").isF32()",
           "\"found \" << elementTypeOf($" # operand # ")">;

class ContractionDtypeRule<string ruleId, string operand>
    : Rule<ruleId, "dtype is the operands' element type, f32 for floats of fewer bits, f16 or bf16 for those of 8, or i32 for integers of fewer bits",
           "isContractionResult(elementTypeOf($" # operand # "), $dtype.value_or(elementTypeOf($" # operand # ")))",
           "\"found \" << *$dtype << \" for \" << elementTypeOf($" # operand # ")">;

def Trace_MatmulOp : Trace_Op<"matmul"> {
  let summary = "Matrix product, batched and broadcast";
  let description = [{
    As NumPy's `matmul`: two vectors give a scalar; a vector on the left is a
    row, on the right a column, and the added dimension is dropped from the result; leading
    dimensions broadcast. Floats of 16 and 8 bits accumulate in f32 and round
    once, to `dtype`: the operands' element type unless given, f32, or f16 or
    bf16 for those of 8 bits. Integers wrap around in `dtype`, which is i32 for
    the sums of i8, ui8 and i16 where wanted. Scales of quantised operands are
    products with the result.

    `allow_tf32`: f32 operands may be rounded to TF32, which has f32's range and
    10 bits of mantissa, so that tensor cores can multiply them; sums stay in f32.

    ```mlir
    %r = trace.matmul %a, %b : (tensor<4x2x3xf32>, tensor<3x5xf32>) -> tensor<4x2x5xf32>
    %s = trace.matmul %a, %b allow_tf32 : (tensor<4x2x3xf32>, tensor<3x5xf32>) -> tensor<4x2x5xf32>
    %t = trace.matmul %c, %d dtype = f32 : (tensor<2x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>) -> tensor<2x5xf32>
    %u = trace.matmul %e, %f dtype = i32 : (tensor<2x3xi8>, tensor<3x5xi8>) -> tensor<2x5xi32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$lhs, Tripy_Tensor:$rhs, UnitAttr:$allowTF32, OptionalAttr<TypeAttr>:$dtype);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = !strconcat("$lhs `,` $rhs ", ContractionFormat);
  let rules = [
    Rule<"C1", "the element type is one of: float, integer", "isContractible($lhs)", "\"found \" << elementTypeOf($lhs)">,
    Rule<"C2", "both operands have one element type", "elementTypeOf($lhs) == elementTypeOf($rhs)",
         "\"found \" << elementTypeOf($lhs) << \" and \" << elementTypeOf($rhs)">,
    Rule<"C3", "both operands have rank at least 1", "rankOf($lhs) >= 1 && rankOf($rhs) >= 1", "describeShapes({$lhs, $rhs})">,
    Rule<"C4", "the last dimension of the left operand agrees with the contracted one of the right", "canContract($lhs, $rhs)", "describeShapes({$lhs, $rhs})">,
    Rule<"C5", "leading dimensions, aligned at the end, are equal or one of them is 1", "canBroadcastBatch($lhs, $rhs)", "describeShapes({$lhs, $rhs})">,
    Rule<"C6", "the result has at most 2^40 elements", "isAllowedShape(matmulShape($lhs, $rhs))", "describeShapes({$lhs, $rhs})">,
    AllowTF32Rule<"C7", "lhs">, ContractionDtypeRule<"C8", "lhs">];
  let inferred = "::mlir::RankedTensorType::get(matmulShape($lhs, $rhs), $dtype.value_or(elementTypeOf($lhs)))";
}

def Trace_LinearOp : Trace_Op<"linear"> {
  let summary = "x times the transposed weight, plus bias";
  let description = [{
    `weight` is (out features, in features), `bias` is (out features) and has
    the result's element type. `dtype` and `allow_tf32` are those of `matmul`.

    ```mlir
    %r = trace.linear %x, %w, %b : (tensor<1x2xf32>, tensor<3x2xf32>, tensor<3xf32>) -> tensor<1x3xf32>
    %s = trace.linear %y, %v, %c dtype = f16 : (tensor<1x2xf8E4M3FN>, tensor<3x2xf8E4M3FN>, tensor<3xf16>) -> tensor<1x3xf16>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Tripy_Tensor:$weight, Optional<Tripy_Tensor>:$bias,
                       UnitAttr:$allowTF32, OptionalAttr<TypeAttr>:$dtype);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = !strconcat("$input `,` $weight (`,` $bias^)? ", ContractionFormat);
  let rules = [
    Rule<"C1", "the element type is one of: float, integer", "isContractible($input)", "\"found \" << elementTypeOf($input)">,
    Rule<"C2", "input and weight have one element type, and the bias the result's",
         "elementTypeOf($input) == elementTypeOf($weight) && (!$bias || elementTypeOf($bias) == $dtype.value_or(elementTypeOf($input)))",
         "describeShapes({$input, $weight, $bias})">,
    Rule<"C3", "the input has rank at least 1 and the weight rank 2", "rankOf($input) >= 1 && rankOf($weight) == 2", "describeShapes({$input, $weight})">,
    Rule<"C4", "the last dimensions of input and weight agree", "lastDimsAgree($input, $weight)", "describeShapes({$input, $weight})">,
    Rule<"C5", "the bias is a vector of the weight's first dimension", "!$bias || isBiasOf($bias, $weight)", "describeShapes({$weight, $bias})">,
    Rule<"C6", "the result has at most 2^40 elements", "isAllowedShape(linearShape($input, $weight))", "describeShapes({$input, $weight})">,
    AllowTF32Rule<"C7", "input">, ContractionDtypeRule<"C8", "input">];
  let inferred = "::mlir::RankedTensorType::get(linearShape($input, $weight), $dtype.value_or(elementTypeOf($input)))";
}

#endif // TRIPY_DIALECT_TRACE_TRACECONTRACTION
