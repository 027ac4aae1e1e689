//===- TraceElementwise.td - Element-wise operations ------*- tablegen -*-===//
#ifndef TRIPY_DIALECT_TRACE_TRACEELEMENTWISE
#define TRIPY_DIALECT_TRACE_TRACEELEMENTWISE

include "tripy/Dialect/Common/ScalarFns.td"
include "tripy/Dialect/Trace/TraceBase.td"

/// Examples on the pages of operations that are rows of a table.
class UnaryExample<string mnemonic, string element> {
  string text = "\n\n    ```mlir\n    %r = trace." # mnemonic # " %a : (tensor<2x3x" # element # ">) -> tensor<2x3x" # element
                # ">\n    ```";
}
class BinaryExample<string mnemonic, string element, string resultElement> {
  string text = "\n\n    ```mlir\n    %r = trace." # mnemonic # " %a, %b : (tensor<2x3x" # element # ">, tensor<3x" # element
                # ">) -> tensor<2x3x" # resultElement # ">\n    ```";
}

class Trace_Unary<ScalarFn fn> : Trace_Op<fn.mnemonic> {
  let summary = fn.summary;
  let description = "    " # fn.description # UnaryExample<fn.mnemonic, fn.exampleType>.text;
  let arguments = (ins Tripy_Tensor:$input);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let rules = DTypeRules<"C1", fn, "input", fn.int4>.rules;
  let inferred = "$input.getType()";
}

/// Two operands that broadcast.
class Trace_BroadcastingOp<string mnemonic, list<Rule> dtypeRules = []>
    : Trace_Op<mnemonic> {
  let arguments = (ins Tripy_Tensor:$lhs, Tripy_Tensor:$rhs);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let rules = [
    Rule<"C1", "both operands have one element type",
         "elementTypeOf($lhs) == elementTypeOf($rhs)",
         "\"found \" << elementTypeOf($lhs) << \" and \" << elementTypeOf($rhs)">,
    Rule<"C2", "aligned at the last dimension, sizes are equal or one of them is 1",
         "canBroadcast({$lhs, $rhs})", "describeShapes({$lhs, $rhs})">,
    Rule<"C3", "the result has at most 2^40 elements",
         "isAllowedShape(broadcastShape({$lhs, $rhs}))", "describeShapes({$lhs, $rhs})">]
    # dtypeRules;
}

class Trace_Binary<ScalarFn fn>
    : Trace_BroadcastingOp<fn.mnemonic, DTypeRules<"C4", fn, "lhs", fn.int4>.rules> {
  let summary = fn.summary;
  let description = "    " # fn.description # BinaryExample<fn.mnemonic, fn.exampleType, fn.exampleType>.text;
  let inferred = "broadcastType({$lhs, $rhs}, elementTypeOf($lhs))";
}

class Trace_Comparison<Comparison cmp>
    : Trace_BroadcastingOp<cmp.mnemonic> {
  let summary = cmp.summary;
  let description = [{
    IEEE 754 comparisons: with a NaN operand all are false but `ne`. The result
    is a tensor of i1.
  }] # BinaryExample<cmp.mnemonic, "f32", "i1">.text;
  let inferred = "broadcastType({$lhs, $rhs}, ::mlir::IntegerType::get($lhs.getContext(), 1))";
}

foreach fn = UnaryScalarFns in
def Trace_ # fn.cppName # Op : Trace_Unary<fn>;
foreach fn = BinaryScalarFns in
def Trace_ # fn.cppName # Op : Trace_Binary<fn>;
foreach cmp = Comparisons in
def Trace_ # cmp.cppName # Op : Trace_Comparison<cmp>;

def Trace_WhereOp : Trace_Op<"where"> {
  let summary = "Chooses element-wise between two tensors";
  let description = [{
    `result[i] = condition[i] ? input[i] : other[i]`; all three broadcast.

    ```mlir
    %r = trace.where %c, %a, %b : (tensor<2x1xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$condition, Tripy_Tensor:$input, Tripy_Tensor:$other);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$condition `,` $input `,` $other attr-dict `:` functional-type(operands, results)";
  let rules = [
    Rule<"C1", "the condition's element type is i1",
         "elementTypeOf($condition).isInteger(1)",
         "\"found \" << elementTypeOf($condition)">,
    Rule<"C2", "both choices have one element type",
         "elementTypeOf($input) == elementTypeOf($other)",
         "\"found \" << elementTypeOf($input) << \" and \" << elementTypeOf($other)">,
    Rule<"C3", "aligned at the last dimension, sizes are equal or one of them is 1",
         "canBroadcast({$condition, $input, $other})",
         "describeShapes({$condition, $input, $other})">,
    Rule<"C4", "the result has at most 2^40 elements",
         "isAllowedShape(broadcastShape({$condition, $input, $other}))",
         "describeShapes({$condition, $input, $other})">];
  let inferred = "broadcastType({$condition, $input, $other}, elementTypeOf($input))";
}

/// Functions composed of several primitives. Of integers they are computed in
/// f32 and rounded toward zero.
class Trace_ComposedUnary<string mnemonic, string what, string text, bit integers = 0, bit int4 = 0> : Trace_Op<mnemonic> {
  let summary = what;
  // A text may have an example of its own.
  let description = "    " # text # !if(!lt(!find(text, "```mlir"), 0), UnaryExample<mnemonic, "f32">.text, "");
  let arguments = (ins Tripy_Tensor:$input);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let rules = [ElementClassRule<"C1", "input", 1, integers, 0, int4>];
  let inferred = "$input.getType()";
}
def Trace_SigmoidOp : Trace_ComposedUnary<"sigmoid", "Logistic function", "`1 / (1 + exp(-x))`; of integers in f32, rounded toward zero.", 1>;
def Trace_SiluOp : Trace_ComposedUnary<"silu", "Sigmoid linear unit", "`x / (1 + exp(-x))`; of integers in f32, rounded toward zero.", 1>;
def Trace_ReluOp : Trace_ComposedUnary<"relu", "Rectified linear unit", "`maximum(x, 0)`; integers too.", 1, 1>;
def Trace_GeluOp : Trace_ComposedUnary<"gelu", "Gaussian error linear unit", [{
    With `approximate = "tanh"` (the default):
    `0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))`; with
    `approximate = "erf"`: `0.5 x (1 + erf(x / sqrt(2)))`. Of integers in f32,
    rounded toward zero.
  }]> {
  let arguments = (ins Tripy_Tensor:$input, DefaultValuedStrAttr<StrAttr, "tanh">:$approximate);
  let rules = [
    ElementClassRule<"C1", "input", 1, 1, 0>,
    Rule<"C2", "approximate is 'tanh' or 'erf'",
         "$approximate == \"tanh\" || $approximate == \"erf\"", "\"found '\" << $approximate << \"'\"">];
}

def Trace_CastOp : Trace_Op<"cast"> {
  let summary = "Converts the element type";
  let description = [{
    Float to float rounds to nearest even; float to integer rounds toward zero,
    saturates, and turns NaN into 0; to i1 is `x != 0`; i1 to others is 0 or 1;
    integer to integer keeps the low bits. What rounds beyond the largest number
    of a float becomes infinity, but NaN in f8E4M3FN, which has no infinity
    (beyond 448).

    ```mlir
    %r = trace.cast %a to f16 : (tensor<2xf32>) -> tensor<2xf16>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, TypeAttr:$dtype);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `to` $dtype attr-dict `:` functional-type(operands, results)";
  let rules = [
    Rule<"C1", "dtype is an element type of tensors", "isTensorElementType($dtype)", "\"found \" << $dtype">];
  let inferred = "withElementType($input.getType(), $dtype)";
}

#endif // TRIPY_DIALECT_TRACE_TRACEELEMENTWISE
