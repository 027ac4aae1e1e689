//===- TraceArrange.td - Turned, repeated and cut tensors -*- tablegen -*-===//
#ifndef TRIPY_DIALECT_TRACE_TRACEARRANGE
#define TRIPY_DIALECT_TRACE_TRACEARRANGE

include "tripy/Dialect/Trace/TraceBase.td"

defvar ArrangedDims = Rule<"C1", "dims name dimensions of the input, each at most once", "areDims($dims, rankOf($input))",
                           "\"found \" << describeList($dims) << \", rank is \" << rankOf($input)">;

def Trace_FlipOp : Trace_Op<"flip"> {
  let summary = "Reverses the order along dimensions";
  let description = [{
    ```mlir
    %r = trace.flip %a dims = [0, -1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, DenseI64ArrayAttr:$dims);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `dims` `=` $dims attr-dict `:` functional-type(operands, results)";
  let rules = [ArrangedDims];
  let inferred = "$input.getType()";
}

def Trace_RollOp : Trace_Op<"roll"> {
  let summary = "Moves elements along dimensions, around the end";
  let description = [{
    Element `i` of dimension `dims[k]` goes to `i + shifts[k]`, modulo the
    dimension's size.

    ```mlir
    %r = trace.roll %a by [1, -2] dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, DenseI64ArrayAttr:$shifts, DenseI64ArrayAttr:$dims);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `by` $shifts `dims` `=` $dims attr-dict `:` functional-type(operands, results)";
  let rules = [ArrangedDims,
    Rule<"C2", "there is one shift for each of dims", "$shifts.size() == $dims.size()",
         "\"found \" << describeList($shifts) << \" and \" << describeList($dims)">,
    Rule<"C3", "shifts are at most 2^40 in magnitude", "shiftsValid($shifts)", "\"found \" << describeList($shifts)">];
  let inferred = "$input.getType()";
}

/// Copies along dimensions: a count for each.
class Trace_Copies<string mnemonic, string what, string text> : Trace_Op<mnemonic> {
  let summary = what;
  let description = "    " # text # [{

    ```mlir
    %r = trace.}] # mnemonic # [{ %a by [2, 1] : (tensor<2x3xf32>) -> tensor<4x3xf32>
    %s = trace.}] # mnemonic # [{ %b by [%n] : (tensor<?xf32>) -> tensor<?xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Variadic<Index>:$counts, DenseI64ArrayAttr:$staticCounts);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = [{
    $input `by` custom<DynamicIndexList>($counts, $staticCounts) attr-dict `:` `(` type($input) `)` `->` type($result)
  }];
  let rules = [
    Rule<"C1", "there is one count for each dimension", "(int64_t)$staticCounts.size() == rankOf($input)",
         "\"found \" << describeList($staticCounts) << \", rank is \" << rankOf($input)">,
    Rule<"C2", "each dynamic count has one operand", "dynamicCount($staticCounts) == $counts.size()",
         "\"found \" << $counts.size() << \" operands for \" << dynamicCount($staticCounts) << \" dynamic counts\"">,
    Rule<"C3", "counts are not negative", "sizesNotNegative($staticCounts)", "\"found \" << describeList($staticCounts)">,
    Rule<"C4", "the result has at most 2^40 elements", "isAllowedShape(copiedShape($input, $staticCounts))",
         "\"input is \" << $input.getType() << \", counts are \" << describeList($staticCounts)">];
  let inferred = "::mlir::RankedTensorType::get(copiedShape($input, $staticCounts), elementTypeOf($input))";
}
def Trace_TileOp : Trace_Copies<"tile", "Copies of the whole, one after the other",
    "`a b` becomes `a b a b`: dimension `i` holds the input `counts[i]` times.">;
def Trace_RepeatOp : Trace_Copies<"repeat", "Copies of each element, side by side",
    "`a b` becomes `a a b b`: along dimension `i` each element comes `counts[i]` times.">;

/// One side of the diagonal.
class Trace_Triangle<string mnemonic, string which, string condition> : Trace_Op<mnemonic> {
  let summary = "The " # which # " triangle of matrices";
  let description = "    Of the last two dimensions: keeps element (i, j) where `" # condition # [{`,
    and has 0 (or false) elsewhere.

    ```mlir
    %r = trace.}] # mnemonic # [{ %a diagonal = 0 : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, I64Attr:$diagonal);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `diagonal` `=` $diagonal attr-dict `:` functional-type(operands, results)";
  let rules = [
    Rule<"C1", "the input has rank at least 2", "rankOf($input) >= 2", "describeShapes({$input})">,
    Rule<"C2", "the diagonal is at most 2^40 in magnitude", "shiftsValid({asSigned($diagonal)})", "\"diagonal is \" << asSigned($diagonal)">];
  let inferred = "$input.getType()";
}
def Trace_TrilOp : Trace_Triangle<"tril", "lower", "j - i <= diagonal">;
def Trace_TriuOp : Trace_Triangle<"triu", "upper", "j - i >= diagonal">;

#endif // TRIPY_DIALECT_TRACE_TRACEARRANGE
