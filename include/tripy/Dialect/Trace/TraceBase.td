//===- TraceBase.td - The trace dialect and its op class --*- tablegen -*-===//
#ifndef TRIPY_DIALECT_TRACE_TRACEBASE
#define TRIPY_DIALECT_TRACE_TRACEBASE

include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tripy/Dialect/Common/OpBase.td"

def Trace_Dialect : Dialect {
  let name = "trace";
  let cppNamespace = "::tripy::trace";
  let summary = "Tensor programs as the user wrote them, with implicit broadcasting";
  let description = [{
    Trace records a user's calls one to one. Operations broadcast their operands
    implicitly, as NumPy does; nothing is inserted, nothing is optimised, and
    every operation carries the user's location. `--trace-to-flatir` makes the
    program explicit.

    Sizes are values of type `index`; `trace.dim` reads one and the `arith`
    dialect computes with them.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

/// An operation of trace: rules on the inputs, an inferred result.
class Trace_Op<string mnemonic, list<Trait> traits = []>
    : Op<Trace_Dialect, mnemonic,
         [Tripy_ContractTrait, Pure,
          DeclareOpInterfaceMethods<InferTypeOpInterface>] # traits>,
      TripyContract {
  let infers = 1;
  let extraClassDeclaration = [{
    /// Checks the numbered rules; reports the first broken one.
    static ::llvm::LogicalResult
    checkRules(Adaptor in, ::llvm::function_ref<::mlir::InFlightDiagnostic()> emit);
    /// Result types of inputs that keep the rules.
    static void inferResults(Adaptor in, ::llvm::SmallVectorImpl<::mlir::Type> &out);
  }];
}

#endif // TRIPY_DIALECT_TRACE_TRACEBASE
