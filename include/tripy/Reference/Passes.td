//===- Passes.td - Passes that compute ---------------------*- tablegen -*-===//
#ifndef TRIPY_REFERENCE_PASSES
#define TRIPY_REFERENCE_PASSES

include "mlir/Pass/PassBase.td"

def FoldConstantsPass : Pass<"flatir-fold-constants"> {
  let summary = "Folds flatir operations whose operands are constants";
  let description = [{
    Evaluates operations with constant operands with the reference evaluator, so
    that the values are those that the program is specified to have. An
    `iota` of static shape counts as a constant operand, but is kept as long as
    something else needs it. The constant's location is that of the operation,
    fused with those of the constants from which it was computed.

    Operations whose result is larger than `max-bytes`, or that take more than
    `max-steps` scalar operations, are not folded. A splat stays a splat, whatever
    its size, and the data of a `dense_resource` is read in place.

    Before:

    ```mlir
    %a = flatir.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %b = flatir.iota dim = 0 sizes() : tensor<2xf32>
    %r = flatir.add %a, %b : tensor<2xf32>
    ```

    After:

    ```mlir
    %r = flatir.constant dense<[1.0, 3.0]> : tensor<2xf32>
    ```
  }];
  let dependentDialects = ["::tripy::flatir::FlatIRDialect"];
  let options = [
    Option<"maxBytes", "max-bytes", "uint64_t", "65536", "Maximum size of a folded constant, in bytes">,
    Option<"maxSteps", "max-steps", "uint64_t", "16777216", "Maximum number of scalar operations to fold one operation">];
}

#endif // TRIPY_REFERENCE_PASSES
