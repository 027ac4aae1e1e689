//===- FlatIRRandom.td - Random bits ----------------------*- tablegen -*-===//
#ifndef TRIPY_DIALECT_FLATIR_FLATIRRANDOM
#define TRIPY_DIALECT_FLATIR_FLATIRRANDOM

include "tripy/Dialect/FlatIR/FlatIRBase.td"

def FlatIR_Word64 : Type<CPred<"$_self == ::mlir::RankedTensorType::get({}, ::mlir::IntegerType::get($_self.getContext(), 64))">,
                         "tensor<i64>", "::mlir::RankedTensorType">,
                    BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI64Type())">;

def FlatIR_RandomBitsOp : FlatIR_TensorOp<"random_bits", "shape.declared($result, $sizes)", [Pure]> {
  let summary = "Numbers of a Philox stream";
  let description = [{
    Philox 4x32-10 makes four words of 32 bits, a block, from a key and a
    counter: word 0 and 1 of the key are the low and the high half of `key`, words
    0 and 1 of the counter those of `low + block`, words 2 and 3 those of `high`.
    The sum wraps around. The blocks 0, 1, 2, ... are a stream of numbers of
    `bits` bits: the words one by one, or in pairs, the first being the low half.

    Element `i` of the result, in row-major order, is number `start + i * stride`
    of the stream: of 32 bits, not negative; of 64 bits, any number.

    ```mlir
    %r = flatir.random_bits %k counter = %l, %h bits = 32 stride = 1 start = 0 sizes() : tensor<2x3xi64>
    ```
  }];
  let arguments = (ins FlatIR_Word64:$key, FlatIR_Word64:$low, FlatIR_Word64:$high, Variadic<Index>:$sizes,
                       I64Attr:$bits, I64Attr:$stride, I64Attr:$start);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = [{
    $key `counter` `=` $low `,` $high `bits` `=` $bits `stride` `=` $stride `start` `=` $start `sizes` `(` $sizes `)`
    attr-dict `:` type($result)
  }];
  let rules = [
    Rule<"C1", "each dynamic size of the result has one operand", "$result.getType().getNumDynamicDims() == $sizes.size()",
         "\"found \" << $sizes.size() << \" operands for \" << $result.getType()">,
    Rule<"C2", "the element type is i64", "elementTypeOf($result).isInteger(64)", "\"found \" << elementTypeOf($result)">,
    Rule<"C3", "bits is 32 or 64", "$bits == 32 || $bits == 64", "\"bits is \" << asSigned($bits)">,
    Rule<"C4", "1 <= stride <= 4 and 0 <= start <= 4", "$stride >= 1 && $stride <= 4 && $start <= 4",
         "\"stride is \" << asSigned($stride) << \", start is \" << asSigned($start)">];
}

#endif // TRIPY_DIALECT_FLATIR_FLATIRRANDOM
