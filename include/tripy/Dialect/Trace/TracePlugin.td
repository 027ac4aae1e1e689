//===- TracePlugin.td - Calls of the user's own kernels ---*- tablegen -*-===//
#ifndef TRIPY_DIALECT_TRACE_TRACEPLUGIN
#define TRIPY_DIALECT_TRACE_TRACEPLUGIN

include "tripy/Dialect/Trace/TraceBase.td"

def Trace_PluginOp : Op<Trace_Dialect, "plugin", [Tripy_ContractTrait, Pure]>, TripyContract {
  let summary = "Calls a kernel that the user brings";
  let description = [{
    The kernel is declared by a `tripy.plugin` beside the function, which says
    what it takes, how the sizes of its results follow from those of its
    operands, and where its code is. Each parameter that it declares is given.

    ```mlir
    %r = trace.plugin @scale(%a) parameters {factor = 0.5 : f32} : (tensor<?x4xf32>) -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Tripy_Tensor>:$inputs, OptionalAttr<DictionaryAttr>:$parameters);
  let results = (outs Variadic<Tripy_Tensor>:$results_);
  let assemblyFormat = "$callee `(` $inputs `)` (`parameters` $parameters^)? attr-dict `:` functional-type($inputs, $results_)";
  let rules = [
    Rule<"C1", "the callee is a tripy.plugin of the program", "findPlugin(op, $callee)", "\"found \" << in.getCalleeAttr()">,
    Rule<"C2", "there is one operand for each of the plugin's, with its element type, its rank and the sizes that it gives",
         "takesOperands(findPlugin(op, $callee), $inputs.getTypes())", "describeOperands(findPlugin(op, $callee), $inputs.getTypes())">,
    Rule<"C3", "the parameters are those of the plugin, each of its type",
         "takesParameters(findPlugin(op, $callee), in.getParametersAttr())", "describeParameters(findPlugin(op, $callee), in.getParametersAttr())">,
    Rule<"C4", "the results have the types that the plugin's size function gives",
         "in->getResultTypes() == ::mlir::TypeRange(resultTypes(findPlugin(op, $callee), $inputs.getTypes()))",
         "describeResults(findPlugin(op, $callee), $inputs.getTypes(), in->getResultTypes())">];
  let extraClassDeclaration = [{
    /// Checks the numbered rules of `op`, one of this class; reports the first
    /// broken one.
    static ::llvm::LogicalResult
    checkRules(::mlir::Operation *op, ::llvm::function_ref<::mlir::InFlightDiagnostic()> emit);
  }];
}

#endif // TRIPY_DIALECT_TRACE_TRACEPLUGIN
