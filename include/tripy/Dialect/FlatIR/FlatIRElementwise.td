//===- FlatIRElementwise.td - Element-wise primitives -----*- tablegen -*-===//
#ifndef TRIPY_DIALECT_FLATIR_FLATIRELEMENTWISE
#define TRIPY_DIALECT_FLATIR_FLATIRELEMENTWISE

include "tripy/Dialect/Common/ScalarFns.td"
include "tripy/Dialect/FlatIR/FlatIRBase.td"

/// An operation of equal types throughout.
class FlatIR_ElementwiseOp<ScalarFn fn> : FlatIR_TensorOp<fn.mnemonic, "shape.of((*this)->getOperand(0))", [Pure, SameOperandsAndResultType]> {
  let summary = fn.summary;
  let description = fn.description;
  let hasFolder = 1;
  let extraClassDefinition = [{
    ::mlir::OpFoldResult $cppClass::fold(FoldAdaptor adaptor) {
      return foldElementwise(*this, ::tripy::scalar::ScalarFn::}] # fn.cppName # [{, adaptor.getOperands());
    }
  }];
}
class FlatIR_Unary<ScalarFn fn> : FlatIR_ElementwiseOp<fn> {
  let arguments = (ins Tripy_Tensor:$input);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  let rules = DTypeRules<"C1", fn, "input">.rules;
}
class FlatIR_Binary<ScalarFn fn> : FlatIR_ElementwiseOp<fn> {
  let arguments = (ins Tripy_Tensor:$lhs, Tripy_Tensor:$rhs);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
  let rules = DTypeRules<"C1", fn, "lhs">.rules;
}
foreach fn = UnaryScalarFns in
def FlatIR_ # fn.cppName # Op : FlatIR_Unary<fn>;
foreach fn = BinaryScalarFns in
def FlatIR_ # fn.cppName # Op : FlatIR_Binary<fn>;

def FlatIR_ComparisonDirection : I32EnumAttr<"ComparisonDirection", "comparison",
    !foreach(cmp, Comparisons, I32EnumAttrCase<cmp.cppName, cmp.case, cmp.mnemonic>)> {
  let cppNamespace = "::tripy::flatir";
  let genSpecializedAttr = 0;
}
def FlatIR_ComparisonDirectionAttr : EnumAttr<FlatIR_Dialect, FlatIR_ComparisonDirection, "comparison">;

def FlatIR_CompareOp : FlatIR_TensorOp<"compare", "shape.of($lhs)", [Pure, SameTypeOperands, SameOperandsAndResultShape]> {
  let summary = "Element-wise comparison";
  let description = [{
    IEEE 754: with a NaN operand all are false but `ne`. i1 compares as 0 and 1.

    ```mlir
    %r = flatir.compare lt %a, %b : tensor<2xf32> -> tensor<2xi1>
    ```
  }];
  let arguments = (ins FlatIR_ComparisonDirectionAttr:$direction, Tripy_Tensor:$lhs, Tripy_Tensor:$rhs);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$direction $lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let rules = [Rule<"C1", "the result's element type is i1", "elementTypeOf($result).isInteger(1)", "\"found \" << elementTypeOf($result)">];
  let hasFolder = 1;
}

def FlatIR_SelectOp : FlatIR_TensorOp<"select", "shape.of($input)", [Pure, SameOperandsAndResultShape, AllTypesMatch<["input", "other", "result"]>]> {
  let summary = "Chooses element-wise between two tensors";
  let description = [{
    ```mlir
    %r = flatir.select %c, %a, %b : tensor<2xi1>, tensor<2xf32>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$condition, Tripy_Tensor:$input, Tripy_Tensor:$other);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$condition `,` $input `,` $other attr-dict `:` type($condition) `,` type($result)";
  let rules = [Rule<"C1", "the condition's element type is i1", "elementTypeOf($condition).isInteger(1)", "\"found \" << elementTypeOf($condition)">];
  let hasFolder = 1;
}

def FlatIR_ConvertOp : FlatIR_TensorOp<"convert", "shape.of($input)", [Pure, SameOperandsAndResultShape]> {
  let summary = "Converts the element type";
  let description = [{
    Float to float rounds to nearest even; float to integer rounds toward zero,
    saturates, and turns NaN into 0; to i1 is `x != 0`; i1 to others is 0 or 1;
    integer to integer keeps the low bits. What rounds beyond the largest number
    of a float becomes infinity, but NaN in f8E4M3FN, which has no infinity
    (beyond 448).

    ```mlir
    %r = flatir.convert %a : tensor<2xf32> -> tensor<2xf16>
    ```
  }];
  let arguments = (ins Tripy_Tensor:$input);
  let results = (outs Tripy_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($result)";
  let rules = [];
  let hasFolder = 1;
}

#endif // TRIPY_DIALECT_FLATIR_FLATIRELEMENTWISE
