// The test suite runs every tripy-opt with --verify-provenance. Passes that
// break the rules are in unittests/Pipelines.
//
// RUN: not tripy-opt %s --split-input-file --cse -o /dev/null 2>&1 | FileCheck %s

// CHECK: error: every operation has the location of a user's line; after 'cse' this one has none
// CHECK-NEXT: This error occurred while compiling the FlatIR operation:
// CHECK-NEXT: "flatir.exp"
func.func @unknown(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = flatir.exp %a : tensor<2xf32> loc(unknown)
  return %0 : tensor<2xf32>
}

// -----

// A reason alone is no place.
// CHECK: error: every operation has the location of a user's line; after 'cse' this one has none
// CHECK-NEXT: This error occurred while compiling the FlatIR operation:
// CHECK-NEXT: "flatir.neg"
func.func @no_parent(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = flatir.neg %a : tensor<2xf32> loc(fused<#tripy.why<rule = "r", reason = "test">>[unknown])
  return %0 : tensor<2xf32>
}

// -----

// Constants, which folding merges, need no location; kernels do.
// CHECK: error: every operation has the location of a user's line; after 'cse' this one has none
// CHECK-NEXT: This error occurred while compiling the operation:
// CHECK-NEXT: "tensor.empty"
kernel.func @inside loop sizeArgs = [] : (tensor<2xf32>) -> tensor<2xf32> {
^bb0(%a: tensor<2xf32>):
  %c = arith.constant 0.0 : f32 loc(unknown)
  %0 = tensor.empty() : tensor<2xf32> loc(unknown)
  %1 = linalg.fill ins(%c : f32) outs(%0 : tensor<2xf32>) -> tensor<2xf32>
  kernel.yield %1 : tensor<2xf32> loc(unknown)
}
// CHECK-NOT: error
