//===- TraceRandom.td - Random numbers --------------------*- tablegen -*-===//
#ifndef TRIPY_DIALECT_TRACE_TRACERANDOM
#define TRIPY_DIALECT_TRACE_TRACERANDOM

include "tripy/Dialect/Trace/TraceCreation.td"

defvar SeedRules = SizeRules # [
    Rule<"C4", "the seed is one or two numbers: tensor<i64> or tensor<2xi64>", "isSeed($seed)", "describeShapes({$seed})">];

/// Random numbers of a seed. `what` says how an element follows from the
/// stream's numbers.
class Trace_Random<string mnemonic, string what, string text, string attribute, string example> : Trace_Op<mnemonic> {
  let summary = what;
  let description = "    " # text # [{

    An element depends on the seed and on its number in row-major order alone: the
    same program gives the same bits on every device, whatever the shape around
    it. `seed` is the key of the generator, Philox 4x32-10; a seed of two numbers
    is the key and the number of a stream. Streams do not overlap: another one
    for each call gives independent numbers. Block `b` of a stream has the
    counter `b` (words 0 and 1) and the stream's number (words 2 and 3).

    ```mlir
    %r = trace.}] # mnemonic # [{ %s [2, %n] }] # example # [{
    ```
  }];
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$seed custom<DynamicIndexList>($sizes, $staticSizes) `" # attribute # "` `=` $" # attribute
                       # " attr-dict `:` `(` type($seed) `)` `->` type($result)";
}

class Trace_RandomFloat<string mnemonic, string what, string text>
    : Trace_Random<mnemonic, what, text, "dtype", "dtype = f32 : (tensor<i64>) -> tensor<2x?xf32>"> {
  let arguments = (ins Tripy_Tensor:$seed, Variadic<Index>:$sizes, DenseI64ArrayAttr:$staticSizes, TypeAttr:$dtype);
  let rules = SeedRules # [
    Rule<"C5", "dtype is f64, f32, f16 or bf16", "scalar::isOneOf($dtype, true, false, false)", "\"found \" << $dtype">];
  let inferred = "::mlir::RankedTensorType::get($staticSizes, $dtype)";
}

def Trace_RandomUniformOp : Trace_RandomFloat<"random_uniform", "Random numbers from 0 to 1", [{Multiples of 2^-24 from 0 up to, not including, 1 (f16: 2^-11, bf16: 2^-8, f64:
    2^-53), each with the same probability. Element `i` is made of the upper bits
    of word `i mod 4` of block `i div 4`; of f64, of words `2 (i mod 2)`, the low
    half, and `2 (i mod 2) + 1` of block `i div 2`.}]>;

def Trace_RandomNormalOp : Trace_RandomFloat<"random_normal", "Random numbers of the standard normal distribution", [{Mean 0, variance 1, by the Box-Muller transform
    `sqrt(-2 log(u)) cos(2 pi v)`. Of element `i`, `u` is `(x + 1) / 2^32` and `v`
    is `y / 2^32`, `x` and `y` being words `2 (i mod 2)` and `2 (i mod 2) + 1` of
    block `i div 2`, all computed in f32 and rounded once to 16-bit types. Of f64,
    they are `(x + 1) / 2^53` and `y / 2^53`, `x` and `y` being the upper 53 bits of
    words 0 and 1 (the low half first) and of words 2 and 3 of block `i`. The
    largest magnitude is 6.7, of f64 8.6.}]>;

def Trace_RandomBernoulliOp : Trace_Random<"random_bernoulli", "Random truth values", [{True with probability `p`, rounded to a multiple of 2^-32: where word `i mod 4` of
    block `i div 4`, which `random_uniform` uses, is less than `p * 2^32`.}], "p", "p = 0.25 : (tensor<i64>) -> tensor<2x?xi1>"> {
  let arguments = (ins Tripy_Tensor:$seed, Variadic<Index>:$sizes, DenseI64ArrayAttr:$staticSizes, F64Attr:$p);
  let rules = SeedRules # [
    Rule<"C5", "0 <= p <= 1", "isProbability($p)", "\"p is \" << $p.convertToDouble()">];
  let inferred = "::mlir::RankedTensorType::get($staticSizes, ::mlir::IntegerType::get($seed.getContext(), 1))";
}

#endif // TRIPY_DIALECT_TRACE_TRACERANDOM
