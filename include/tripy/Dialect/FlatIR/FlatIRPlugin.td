//===- FlatIRPlugin.td - Calls of the user's own kernels --*- tablegen -*-===//
#ifndef TRIPY_DIALECT_FLATIR_FLATIRPLUGIN
#define TRIPY_DIALECT_FLATIR_FLATIRPLUGIN

include "tripy/Dialect/FlatIR/FlatIRBase.td"

def FlatIR_PluginOp : FlatIR_Op<"plugin", [Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "A kernel that the user brings, with its sizes";
  let description = [{
    As trace.plugin, with what the plugin's size function gives: the `sizes` of
    the dynamic dimensions of the results, and for CUDA the `grid`, the bytes of
    dynamic `shared` memory and the `numbers`. It is a kernel of its own.

    ```mlir
    %r = flatir.plugin @scale(%a) sizes(%m) grid(%blocks, %one, %one) numbers(%count) parameters {factor = 0.5 : f32} : (tensor<?x4xf32>) -> tensor<?x4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Tripy_Tensor>:$inputs, Variadic<Index>:$sizes, Variadic<Index>:$grid,
                       Optional<Index>:$shared, Variadic<Index>:$numbers, OptionalAttr<DictionaryAttr>:$parameters);
  let results = (outs Variadic<Tripy_Tensor>:$results_);
  let assemblyFormat = [{
    $callee `(` $inputs `)` `sizes` `(` $sizes `)` (`grid` `(` $grid^ `)`)? (`shared` `(` $shared^ `)`)?
    (`numbers` `(` $numbers^ `)`)? (`parameters` $parameters^)? attr-dict `:` functional-type($inputs, $results_)
  }];
  let rules = [
    Rule<"C1", "the callee is a tripy.plugin of the program", "findPlugin(op, $callee)", "\"found \" << in.getCalleeAttr()">,
    Rule<"C2", "there is one operand for each of the plugin's, with its element type, its rank and the sizes that it gives",
         "takesOperands(findPlugin(op, $callee), $inputs.getTypes())", "describeOperands(findPlugin(op, $callee), $inputs.getTypes())">,
    Rule<"C3", "the parameters are those of the plugin, each of its type",
         "takesParameters(findPlugin(op, $callee), in.getParametersAttr())", "describeParameters(findPlugin(op, $callee), in.getParametersAttr())">,
    Rule<"C4", "the results have the plugin's element types and ranks, and sizes that its results may have",
         "givesResults(findPlugin(op, $callee), in->getResultTypes())">,
    Rule<"C5", "there is one size for each dynamic dimension of the results, and as many other sizes as the plugin's size function gives",
         "hasPluginSizes(findPlugin(op, $callee), in->getResultTypes(), $sizes.size(), $grid.size(), !!$shared, $numbers.size())">];
}

#endif // TRIPY_DIALECT_FLATIR_FLATIRPLUGIN
