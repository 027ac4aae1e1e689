// RUN: tripy-opt %s --flatir-form-dispatches | FileCheck %s
// RUN: tripy-opt %s --flatir-form-dispatches --kernel-outline | FileCheck %s --check-prefix=OUTLINE
// RUN: tripy-opt %s --flatir-form-dispatches --kernel-outline --flatir-to-linalg | FileCheck %s --check-prefix=LINALG

// The examples of the passes' descriptions.

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>) -> tensor<2xf32> {
// CHECK-NEXT: %[[S:.*]] = kernel.dispatch row(%[[X]]) sizes() sizeArgs = [] {name = "exp_sum"} : (tensor<2x3xf32>) -> tensor<2xf32> {
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<2x3xf32>):
// CHECK-NEXT: %[[E:.*]] = flatir.exp %[[A]] : tensor<2x3xf32>
// CHECK-NEXT: %[[R:.*]] = flatir.reduce sum %[[E]] dims = [1] : tensor<2x3xf32> -> tensor<2xf32>
// CHECK-NEXT: kernel.yield %[[R]] : tensor<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return %[[S]] : tensor<2xf32>

// OUTLINE: kernel.call @main_row_0_exp_sum(%arg0) sizes() : (tensor<2x3xf32>) -> tensor<2xf32>
// OUTLINE: kernel.func @main_row_0_exp_sum row sizeArgs = [] : (tensor<2x3xf32>) -> tensor<2xf32> {
// OUTLINE-NEXT: ^bb0(%{{.*}}: tensor<2x3xf32>):

// LINALG: kernel.func @main_row_0_exp_sum
// LINALG: math.exp
// LINALG: iterator_types = ["parallel", "reduction"]
// LINALG: kernel.yield
func.func @main(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %e = flatir.exp %x : tensor<2x3xf32>
  %s = flatir.reduce sum %e dims = [1] : tensor<2x3xf32> -> tensor<2xf32>
  return %s : tensor<2xf32>
}
