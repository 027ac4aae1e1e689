//===- TraceQuantization.td - To and from scaled elements -*- tablegen -*-===//
#ifndef TRIPY_DIALECT_TRACE_TRACEQUANTIZATION
#define TRIPY_DIALECT_TRACE_TRACEQUANTIZATION

include "tripy/Dialect/Trace/TraceBase.td"

/// Rules of the scale, from C<first> on.
class ScaleRules<int first> {
  list<Rule> rules = [
    Rule<"C" # first, "-rank <= dim < rank", "!$dim || isDim(asSigned(*$dim), rankOf($input))",
         "\"dim is \" << asSigned(*$dim) << \", rank is \" << rankOf($input)">,
    Rule<"C" # !add(first, 1), "with dim, the scale is a vector of that dimension", "!$dim || isScaleOf($scale, $input, asSigned(*$dim))",
         "describeShapes({$input, $scale})">,
    Rule<"C" # !add(first, 2), "without dim, the scale has rank 0, or the input's rank, from 2 to 7",
         "$dim || rankOf($scale) == 0 || isBlockRank($scale, $input)", "describeShapes({$input, $scale})">,
    Rule<"C" # !add(first, 3),
         "a scale of the input's rank has the input's sizes, but in the last dimension but one a static size that divides the input's",
         "$dim || rankOf($scale) == 0 || isBlockScale($scale, $input)", "describeShapes({$input, $scale})">];
}

def Trace_QuantizeOp : Trace_Op<"quantize"> {
  let summary = "Elements as multiples of a scale, in 8 or 4 bits";
  let description = [{
    `x / s`, where `s` is the scale of the element `x`, as an element of `dtype`:

    1. `x` and `s` are converted to f32, which is exact.
    2. The quotient is rounded to f32, to nearest even. Zeros, infinities and
       NaN divide as IEEE 754 says.
    3. For i8 it is rounded to an integer, of two that are as near to the even
       one, and limited to -128 and 127, for i4 to -8 and 7; NaN becomes 0. For
       a float it is
       limited to the largest numbers, 448 (f8E4M3FN) or 57344 (f8E5M2), of
       both signs, and rounded to nearest even; NaN stays NaN.

    A scale of rank 0 is that of all elements. With `dim`, the scale is a vector
    with a number for each index of that dimension. A scale of the input's rank
    has a number for each block of `n / m` elements along the last dimension but
    one, `n` and `m` being the sizes of input and scale there.

    Nothing is asked of the scale's values: 0 or an infinity is a number like
    others.

    ```mlir
    %r = trace.quantize %x, %s to i8 : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xi8>
    %t = trace.quantize %y, %u to f8E4M3FN dim = 1 : (tensor<2x4xf16>, tensor<4xf16>) -> tensor<2x4xf8E4M3FN>
    %v = trace.quantize %z, %w to i4 : (tensor<64x4xf32>, tensor<2x4xf32>) -> tensor<64x4xi4>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Tripy_Tensor:$scale, TypeAttr:$dtype, OptionalAttr<I64Attr>:$dim);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `,` $scale `to` $dtype (`dim` `=` $dim^)? attr-dict `:` functional-type(operands, results)";
  let rules = [
    Rule<"C1", "the input's element type is f32, f16 or bf16", "isScaled(elementTypeOf($input))", "\"found \" << elementTypeOf($input)">,
    Rule<"C2", "dtype is i8, i4, f8E4M3FN or f8E5M2", "isQuantized($dtype)", "\"found \" << $dtype">,
    Rule<"C3", "input and scale have one element type", "sameElement({$input, $scale})", "describeShapes({$input, $scale})">]
    # ScaleRules<4>.rules;
  let inferred = "withElementType($input.getType(), $dtype)";
}

def Trace_DequantizeOp : Trace_Op<"dequantize"> {
  let summary = "Elements of 8 or 4 bits times a scale";
  let description = [{
    `q * s`, where `s` is the scale of the element `q`, in the scale's element
    type: both are converted to f32, which is exact, the product is rounded to
    f32 and then to the result's element type, each time to nearest even.

    Scales are those of `quantize`. Where a `matmul` or `linear` multiplies two
    results of `dequantize`, the compiler may multiply and sum the elements
    themselves, and then multiply by the scales, in f32: see
    docs/rationale/quantization.md for when it does, and what changes.

    ```mlir
    %r = trace.dequantize %x, %s : (tensor<2x4xi8>, tensor<f32>) -> tensor<2x4xf32>
    %t = trace.dequantize %y, %u dim = 1 : (tensor<2x4xf8E4M3FN>, tensor<4xf16>) -> tensor<2x4xf16>
    %v = trace.dequantize %z, %w : (tensor<64x4xi4>, tensor<2x4xf32>) -> tensor<64x4xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Tripy_Tensor:$scale, OptionalAttr<I64Attr>:$dim);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `,` $scale (`dim` `=` $dim^)? attr-dict `:` functional-type(operands, results)";
  let rules = [
    Rule<"C1", "the input's element type is i8, i4, f8E4M3FN or f8E5M2", "isQuantized(elementTypeOf($input))", "\"found \" << elementTypeOf($input)">,
    Rule<"C2", "the scale's element type is f32, f16 or bf16", "isScaled(elementTypeOf($scale))", "\"found \" << elementTypeOf($scale)">]
    # ScaleRules<3>.rules;
  let inferred = "withElementType($input.getType(), elementTypeOf($scale))";
}

#endif // TRIPY_DIALECT_TRACE_TRACEQUANTIZATION
