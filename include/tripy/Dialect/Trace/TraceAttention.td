//===- TraceAttention.td - Attention ----------------------*- tablegen -*-===//
#ifndef TRIPY_DIALECT_TRACE_TRACEATTENTION
#define TRIPY_DIALECT_TRACE_TRACEATTENTION

include "tripy/Dialect/Common/ScalarFns.td"
include "tripy/Dialect/Trace/TraceBase.td"

def Trace_AttentionOp : Trace_Op<"attention", [AttrSizedOperandSegments]> {
  let summary = "softmax(scale * query key^T + mask) value, head by head";
  let description = [{
    `query` is (..., Hq, M, D), `key` (..., Hk, N, D), `value` (..., Hk, N, Dv)
    and the result (..., Hq, M, Dv). Hq is a multiple of Hk: Hq / Hk heads of
    the query in a row share a head of key and value. `scale` is 1 / sqrt(D)
    unless given.

    A query sees the keys that none of these hides:

    | | hides |
    |---|---|
    | `mask`, of i1 | the keys where it is false |
    | `lengths`, i32, one for each batch | the keys from this number on |
    | `causal = "top_left"` | of query i the keys behind key i |
    | `causal = "bottom_right"` | the same, counted from the end: the last query sees all keys, or `lengths` of them |

    A mask of floats is added to the scaled scores instead; minus infinity hides
    as well. It has the query's element type or f32. `mask` and `lengths` broadcast to
    (..., Hq, M, N) and (...). Lengths count as at least 0 and at most N.

    A query that sees no key gives 0, in every form of the kernel: an average
    of nothing has no other value that a sum over keys could be continued with,
    and NaN would spread to whatever is computed beside a padded row.

    Scores, their maxima, exponentials and sums are f32 for floats of 16 bits,
    which the exponentials may be rounded to before they are multiplied with
    the value. The result is rounded once. Keys and values behind `lengths` may be
    anything, such as the rest of a cache. Values that a mask hides are
    multiplied by 0: they should be finite.

    A sum over keys is divided by that of its exponentials, of which the largest is
    1, at its end: values above the largest f32 divided by N may give infinity.

    ```mlir
    %r = trace.attention %q, %k, %v : (tensor<2x4x5x8xf16>, tensor<2x4x7x8xf16>, tensor<2x4x7x8xf16>) -> tensor<2x4x5x8xf16>
    %s = trace.attention %q, %g, %h mask = %m lengths = %l causal = "bottom_right" scale = 0.25 : (tensor<2x4x5x8xf16>, tensor<2x2x7x8xf16>, tensor<2x2x7x6xf16>, tensor<5x7xi1>, tensor<2xi32>) -> tensor<2x4x5x6xf16>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$query, Tripy_Tensor:$key, Tripy_Tensor:$value, Optional<Tripy_Tensor>:$mask,
                       Optional<Tripy_Tensor>:$lengths, OptionalAttr<StrAttr>:$causal, OptionalAttr<F64Attr>:$scale);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`mask` `=` $mask^)? (`lengths` `=` $lengths^)? (`causal` `=` $causal^)? (`scale` `=` $scale^)?
    attr-dict `:` functional-type(operands, results)
  }];
  let rules = [
    ElementClassRule<"C1", "query", 1, 0, 0>,
    Rule<"C2", "query, key and value have one element type", "sameElement({$query, $key, $value})", "describeShapes({$query, $key, $value})">,
    Rule<"C3", "query, key and value have one rank, from 3 to 8", "rankOf($query) >= 3 && rankOf($key) == rankOf($query) && rankOf($value) == rankOf($query)",
         "describeShapes({$query, $key, $value})">,
    Rule<"C4", "the dimensions before the heads agree", "haveOneBatch($query, $key, $value)", "describeShapes({$query, $key, $value})">,
    Rule<"C5", "key and value agree in heads and in keys", "haveOneKeys($key, $value)", "describeShapes({$key, $value})">,
    Rule<"C6", "the query's heads are a multiple of the key's, or as many where one number is dynamic", "canGroupHeads($query, $key, $value)",
         "describeShapes({$query, $key})">,
    Rule<"C7", "last dimensions are static, and the same of query and key, at least 1", "haveHeadSizes($query, $key, $value)",
         "describeShapes({$query, $key, $value})">,
    Rule<"C8", "the mask's element type is i1, the query's or f32", "!$mask || isAttentionMask(elementTypeOf($mask), elementTypeOf($query))",
         "\"found \" << elementTypeOf($mask)">,
    Rule<"C9", "the mask broadcasts to (..., heads, queries, keys)", "!$mask || canBroadcastTo(shapeOf($mask), scoresShape($query, $key, $value))",
         "describeShapes({$query, $key, $mask})">,
    Rule<"C10", "lengths are i32 and broadcast to the dimensions before the heads",
         "!$lengths || (elementTypeOf($lengths).isSignlessInteger(32) && canBroadcastTo(shapeOf($lengths), attentionBatch($query, $key, $value)))",
         "describeShapes({$query, $lengths})">,
    Rule<"C11", "causal is 'top_left' or 'bottom_right'", "!$causal || *$causal == \"top_left\" || *$causal == \"bottom_right\"",
         "\"found '\" << *$causal << \"'\"">,
    Rule<"C12", "scale is finite", "!$scale || $scale->isFinite()", "\"scale is \" << $scale->convertToDouble()">,
    Rule<"C13", "scores and result have at most 2^40 elements",
         "isAllowedShape(scoresShape($query, $key, $value)) && isAllowedShape(attentionShape($query, $key, $value))",
         "describeShapes({$query, $key, $value})">];
  let inferred = "::mlir::RankedTensorType::get(attentionShape($query, $key, $value), elementTypeOf($query))";
}

#endif // TRIPY_DIALECT_TRACE_TRACEATTENTION
