//===- TraceCreation.td - Tensors from nothing ------------*- tablegen -*-===//
#ifndef TRIPY_DIALECT_TRACE_TRACECREATION
#define TRIPY_DIALECT_TRACE_TRACECREATION

include "tripy/Dialect/Trace/TraceBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

def Trace_ConstantOp : Trace_Op<"constant"> {
  let summary = "A tensor known at compile time";
  let description = [{
    The value is written inline or held in a resource:

    ```mlir
    %w = trace.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %v = trace.constant dense_resource<weights> : tensor<4096xf16>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let rules = [
    Rule<"C1", "the value is a dense tensor", "isConstantData($value)", "\"found \" << $value.getType()">,
    Rule<"C2", "a resource has as many bytes as the tensor, one for an i1, half of one for an i4", "hasConstantBytes($value)",
         "\"found \" << resourceBytes($value) << \" bytes for \" << $value.getType()">];
  let inferred = "$value.getType()";
}

/// Rules of a list of sizes with `?` given by operands.
defvar SizeRules = [
  Rule<"C1", "static sizes are not negative", "sizesNotNegative($staticSizes)", "\"found \" << describeList($staticSizes)">,
  Rule<"C2", "each dynamic size has one operand", "dynamicCount($staticSizes) == $sizes.size()",
       "\"found \" << $sizes.size() << \" operands for \" << dynamicCount($staticSizes) << \" dynamic sizes\"">,
  Rule<"C3", "the result has rank at most 8 and at most 2^40 elements", "isAllowedShape($staticSizes)",
       "\"found \" << describeList($staticSizes)">];

def Trace_FullOp : Trace_Op<"full"> {
  let summary = "A tensor filled with one value";
  let description = [{
    ```mlir
    %r = trace.full [2, %n] value = 1.5 : f32 -> tensor<2x?xf32>
    ```
  }];
  let arguments = (ins Variadic<Index>:$sizes, DenseI64ArrayAttr:$staticSizes, TypedAttrInterface:$value);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = [{
    custom<DynamicIndexList>($sizes, $staticSizes) `value` `=` $value attr-dict `->` type($result)
  }];
  let rules = SizeRules # [
    Rule<"C4", "the value is a number of an element type", "isScalarNumber($value)", "\"found \" << $value">];
  let inferred = "::mlir::RankedTensorType::get($staticSizes, $value.getType())";
}

def Trace_IotaOp : Trace_Op<"iota"> {
  let summary = "Counts 0, 1, 2, ... along one dimension";
  let description = [{
    ```mlir
    %r = trace.iota [1, 2] dim = 1 dtype = f32 -> tensor<1x2xf32>
    ```
  }];
  let arguments = (ins Variadic<Index>:$sizes, DenseI64ArrayAttr:$staticSizes, I64Attr:$dim, TypeAttr:$dtype);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = [{
    custom<DynamicIndexList>($sizes, $staticSizes) `dim` `=` $dim `dtype` `=` $dtype attr-dict `->` type($result)
  }];
  let rules = SizeRules # [
    Rule<"C4", "-rank <= dim < rank", "isDim($dim, $staticSizes.size())",
         "\"dim is \" << asSigned($dim) << \", rank is \" << $staticSizes.size()">,
    Rule<"C5", "dtype is a float or integer type", "isTensorElementType($dtype) && !$dtype.isInteger(1)", "\"found \" << $dtype">];
  let inferred = "::mlir::RankedTensorType::get($staticSizes, $dtype)";
}

def Trace_DimOp : Trace_Op<"dim"> {
  let summary = "The size of one dimension";
  let description = [{
    ```mlir
    %n = trace.dim %x dim = 0 : (tensor<?x2xf32>) -> index
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$input `dim` `=` $dim attr-dict `:` functional-type(operands, results)";
  let rules = [
    Rule<"C1", "-rank <= dim < rank", "isDim($dim, rankOf($input))",
         "\"dim is \" << asSigned($dim) << \", rank is \" << rankOf($input)">];
  let inferred = "::mlir::IndexType::get($input.getContext())";
}

def Trace_FromIndexOp : Trace_Op<"from_index"> {
  let summary = "A size as a tensor of rank 0";
  let description = [{
    What computes with sizes as data takes them from here; an i32 keeps the low
    bits. The way back is not needed: the size is still there as an index.

    ```mlir
    %r = trace.from_index %n dtype = i64 -> tensor<i64>
    ```
  }];
  let arguments = (ins Index:$value, TypeAttr:$dtype);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$value `dtype` `=` $dtype attr-dict `->` type($result)";
  let rules = [
    Rule<"C1", "dtype is a float or integer type", "isTensorElementType($dtype) && !$dtype.isInteger(1)", "\"found \" << $dtype">];
  let inferred = "::mlir::RankedTensorType::get({}, $dtype)";
}

#endif // TRIPY_DIALECT_TRACE_TRACECREATION
