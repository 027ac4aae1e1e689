// A dialect with one operation, which is told in terms of trace. Its type comes
// from Tripy's .td files.
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def AboveDialect : Dialect {
  let name = "above";
  let cppNamespace = "::above";
}

def SquareOp : Op<AboveDialect, "square", [Pure, SameOperandsAndResultType]> {
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}
