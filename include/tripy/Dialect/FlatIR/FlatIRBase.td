//===- FlatIRBase.td - The flatir dialect and its op class -*- tablegen -*-===//
#ifndef TRIPY_DIALECT_FLATIR_FLATIRBASE
#define TRIPY_DIALECT_FLATIR_FLATIRBASE

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tripy/Dialect/Common/OpBase.td"

def FlatIR_Dialect : Dialect {
  let name = "flatir";
  let cppNamespace = "::tripy::flatir";
  let summary = "Explicit tensor programs: primitives and composites";
  let description = [{
    Operands of an operation have one element type and broadcast-free shapes:
    what trace leaves implicit is an operation here, and every operation that a
    lowering inserted says why in its location (`#tripy.why`). Sizes are `index`
    values. A composite keeps both a known function's name and its decomposition.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::tripy::TripyDialect"];
  let hasCanonicalizer = 1;
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
}

/// What every operation of flatir declares.
defvar FlatIR_CheckRules = [{
    /// Checks the numbered rules of `op`, one of this class; reports the first
    /// broken one.
    static ::llvm::LogicalResult
    checkRules(::mlir::Operation *op, ::llvm::function_ref<::mlir::InFlightDiagnostic()> emit);
}];

/// An operation of flatir: rules on operands, attributes and results.
class FlatIR_Op<string mnemonic, list<Trait> traits = []>
    : Op<FlatIR_Dialect, mnemonic, [Tripy_ContractTrait] # traits>, TripyContract {
  let extraClassDeclaration = FlatIR_CheckRules;
}

/// An operation that makes a tensor, whose sizes `shape` gives.
class FlatIR_TensorOp<string mnemonic, string resultShape, list<Trait> traits = []>
    : FlatIR_Op<mnemonic, [DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>] # traits> {
  let shape = resultShape;
}

#endif // TRIPY_DIALECT_FLATIR_FLATIRBASE
