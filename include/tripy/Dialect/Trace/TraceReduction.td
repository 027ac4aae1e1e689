//===- TraceReduction.td - Reductions and normalizations --*- tablegen -*-===//
#ifndef TRIPY_DIALECT_TRACE_TRACEREDUCTION
#define TRIPY_DIALECT_TRACE_TRACEREDUCTION

include "tripy/Dialect/Common/ScalarFns.td"
include "tripy/Dialect/Trace/TraceBase.td"

defvar ReductionDims = Rule<"C2", "dims name dimensions of the input, each at most once", "areDims($dims, rankOf($input))",
                            "\"found \" << describeList($dims) << \", rank is \" << rankOf($input)">;
defvar FloatInput = ElementClassRule<"C1", "input", 1, 0, 0>;

/// A reduction over `dims`; `keepdim` keeps them with size 1.
class Trace_Reduction<string mnemonic, string what, string text, bit integers, bit bools> : Trace_Op<mnemonic> {
  let summary = what;
  let description = "    " # text # [{

    `dims` are the dimensions to reduce: negative ones count from the end, and an
    empty list means all dimensions. `keepdim` keeps them with size 1. 16-bit
    floats accumulate in f32 and round once.

    ```mlir
    %r = trace.}] # mnemonic # [{ %a dims = [1] : (tensor<2x3x}] # !if(bools, "i1", "f32") # [{>) -> tensor<2x}]
    # !if(bools, "i1", "f32") # [{>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, DenseI64ArrayAttr:$dims, UnitAttr:$keepdim);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `dims` `=` $dims (`keepdim` $keepdim^)? attr-dict `:` functional-type(operands, results)";
  let rules = [ElementClassRule<"C1", "input", !not(bools), integers, bools>, ReductionDims];
  let inferred = "reducedType($input.getType(), $dims, $keepdim)";
}
def Trace_SumOp : Trace_Reduction<"sum", "Sum over dimensions", "An empty sum is 0; integers wrap around.", 1, 0>;
def Trace_ProdOp : Trace_Reduction<"prod", "Product over dimensions", "An empty product is 1; integers wrap around.", 1, 0>;
def Trace_MaxOp : Trace_Reduction<"max", "Maximum over dimensions", "NaN if any is NaN; an empty maximum is the lowest value.", 1, 0>;
def Trace_MinOp : Trace_Reduction<"min", "Minimum over dimensions", "NaN if any is NaN; an empty minimum is the highest value.", 1, 0>;
def Trace_AllOp : Trace_Reduction<"all", "Whether all are true", "The result for no elements is true.", 0, 1>;
def Trace_AnyOp : Trace_Reduction<"any", "Whether any is true", "The result for no elements is false.", 0, 1>;
def Trace_MeanOp : Trace_Reduction<"mean", "Mean over dimensions",
    [{The mean of no elements is NaN, of integers -1. Integers are summed in i64, where
    they wrap around, and the quotient rounds toward zero.}], 1, 0>;

def Trace_VarOp : Trace_Op<"var"> {
  let summary = "Variance over dimensions";
  let description = [{
    The mean squared distance from the mean, with the divisor
    `max(n - correction, 0)`.

    ```mlir
    %r = trace.var %a dims = [1] correction = 0 : (tensor<2x3xf32>) -> tensor<2xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, DenseI64ArrayAttr:$dims, DefaultValuedAttr<I64Attr, "1">:$correction, UnitAttr:$keepdim);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `dims` `=` $dims (`correction` `=` $correction^)? (`keepdim` $keepdim^)? attr-dict `:` functional-type(operands, results)";
  let rules = [FloatInput, ReductionDims,
    Rule<"C3", "0 <= correction <= 2^40", "isCorrection($correction)", "\"correction is \" << asSigned($correction)">];
  let inferred = "reducedType($input.getType(), $dims, $keepdim)";
}

/// The place of an extreme element.
class Trace_ArgReduction<string mnemonic, string what> : Trace_Op<mnemonic> {
  let summary = "Index of the " # what # " element";
  let description = [{
    Indices (i32) along `dim`, or, without `dim`, into all elements in row-major
    order. The first of several equal elements is taken, and the first NaN
    before any number. `keepdim` keeps the reduced dimensions with size 1.

    ```mlir
    %r = trace.}] # mnemonic # [{ %a dim = -1 keepdim : (tensor<2x3xf32>) -> tensor<2x1xi32>
    %s = trace.}] # mnemonic # [{ %a : (tensor<2x3xf32>) -> tensor<i32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, OptionalAttr<I64Attr>:$dim, UnitAttr:$keepdim);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input (`dim` `=` $dim^)? (`keepdim` $keepdim^)? attr-dict `:` functional-type(operands, results)";
  let rules = [ElementClassRule<"C1", "input", 1, 1, 0>,
    Rule<"C2", "-rank <= dim < rank", "!$dim || isDim(*$dim, rankOf($input))", "\"dim is \" << asSigned(*$dim) << \", rank is \" << rankOf($input)">,
    Rule<"C3", "there are at least 1 and at most 2^31 - 1 elements to choose from", "isArgCount(choices($input, $dim))",
         "\"found \" << choices($input, $dim)">];
  let inferred = "argType($input, $dim, $keepdim)";
}
def Trace_ArgMaxOp : Trace_ArgReduction<"argmax", "largest">;
def Trace_ArgMinOp : Trace_ArgReduction<"argmin", "smallest">;

def Trace_CumSumOp : Trace_Op<"cumsum"> {
  let summary = "Running sums along one dimension";
  let description = [{
    Element `i` is the sum of the elements 0 to `i`. Integers wrap around;
    16-bit floats accumulate in f32 and round once.

    ```mlir
    %r = trace.cumsum %a dim = 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, I64Attr:$dim);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `dim` `=` $dim attr-dict `:` functional-type(operands, results)";
  let rules = [ElementClassRule<"C1", "input", 1, 1, 0>,
    Rule<"C2", "-rank <= dim < rank", "isDim($dim, rankOf($input))", "\"dim is \" << asSigned($dim) << \", rank is \" << rankOf($input)">];
  let inferred = "$input.getType()";
}

def Trace_SoftmaxOp : Trace_Op<"softmax"> {
  let summary = "exp(x - max) / sum(exp(x - max)) along one dimension";
  let description = [{
    ```mlir
    %r = trace.softmax %a dim = -1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, I64Attr:$dim);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `dim` `=` $dim attr-dict `:` functional-type(operands, results)";
  let rules = [FloatInput,
    Rule<"C2", "-rank <= dim < rank", "isDim($dim, rankOf($input))", "\"dim is \" << asSigned($dim) << \", rank is \" << rankOf($input)">];
  let inferred = "$input.getType()";
}

defvar NormWeight = Rule<"C3", "the weight has the shape of the input's trailing dimensions, at least one",
       "isTrailingShape($weight, $input)", "describeShapes({$weight, $input})">;

def Trace_LayerNormOp : Trace_Op<"layer_norm"> {
  let summary = "(x - mean) / sqrt(var + eps) * weight + bias over the trailing dimensions";
  let description = [{
    Mean and variance (divisor n) are taken over the dimensions of `weight`, in
    f32 for 16-bit inputs.

    ```mlir
    %r = trace.layer_norm %x, %w, %b eps = 1.0e-5 : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Tripy_Tensor:$weight, Tripy_Tensor:$bias, F64Attr:$eps);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `,` $weight `,` $bias `eps` `=` $eps attr-dict `:` functional-type(operands, results)";
  let rules = [FloatInput,
    Rule<"C2", "input, weight and bias have one element type", "sameElement({$input, $weight, $bias})", "describeShapes({$input, $weight, $bias})">,
    NormWeight,
    Rule<"C4", "the bias has the weight's shape", "$bias.getType() == $weight.getType()", "describeShapes({$weight, $bias})">,
    Rule<"C5", "eps is finite and not negative", "$eps.isFinite() && !$eps.isNegative()", "\"eps is \" << $eps.convertToDouble()">];
  let inferred = "$input.getType()";
}

def Trace_RMSNormOp : Trace_Op<"rms_norm"> {
  let summary = "x / sqrt(mean(x^2) + eps) * weight over the trailing dimensions";
  let description = [{
    ```mlir
    %r = trace.rms_norm %x, %w eps = 1.0e-5 : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input, Tripy_Tensor:$weight, F64Attr:$eps);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input `,` $weight `eps` `=` $eps attr-dict `:` functional-type(operands, results)";
  let rules = [FloatInput,
    Rule<"C2", "input and weight have one element type", "sameElement({$input, $weight})", "describeShapes({$input, $weight})">,
    NormWeight,
    Rule<"C4", "eps is finite and not negative", "$eps.isFinite() && !$eps.isNegative()", "\"eps is \" << $eps.convertToDouble()">];
  let inferred = "$input.getType()";
}

#endif // TRIPY_DIALECT_TRACE_TRACEREDUCTION
