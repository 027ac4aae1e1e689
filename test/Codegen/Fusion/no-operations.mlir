// RUN: tripy-opt %s --flatir-form-dispatches | FileCheck %s

// A program without operations: the copy is the only one.
// CHECK-LABEL: func.func @main(
// CHECK: %[[R:.*]] = kernel.dispatch
// CHECK: flatir.reshape
// CHECK: return %[[R]]
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
