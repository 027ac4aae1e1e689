// RUN: tripy-opt %s --flatir-form-dispatches --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// Every result is written by a dispatch, once.

// CHECK-LABEL: func.func @argument(
// CHECK: %[[R:.*]] = kernel.dispatch loop(%arg0) sizes() sizeArgs = [] {name = "copy"}
// CHECK: flatir.reshape {{.*}} loc(fused<#tripy.why<rule = "copy", reason = "copy a result that is an argument, a constant or another result">>
// CHECK: return %[[R]]
func.func @argument(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// CHECK-LABEL: func.func @constant(
// CHECK: %[[C:.*]] = flatir.constant
// CHECK: %[[R:.*]] = kernel.dispatch loop(%[[C]])
// CHECK: return %[[R]]
func.func @constant() -> tensor<2xf32> {
  %c = flatir.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %c : tensor<2xf32>
}

// CHECK-LABEL: func.func @splat(
// CHECK: %[[R:.*]] = kernel.dispatch loop()
// CHECK: flatir.constant dense<1.0
// CHECK: return %[[R]]
func.func @splat() -> tensor<2xf32> {
  %c = flatir.constant dense<1.0> : tensor<2xf32>
  return %c : tensor<2xf32>
}

// CHECK-LABEL: func.func @twice(
// CHECK: %[[K:.*]]:2 = kernel.dispatch loop(%arg0)
// CHECK: return %[[K]]#0, %[[K]]#1
func.func @twice(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %n = flatir.exp %x : tensor<2xf32>
  return %n, %n : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @argument_twice(
// CHECK-COUNT-2: kernel.dispatch loop(%arg0
// CHECK-NOT: kernel.dispatch
func.func @argument_twice(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  return %x, %x : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @view(
// CHECK: kernel.dispatch loop(%arg0)
// CHECK: flatir.reshape
func.func @view(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  %r = flatir.reshape %x sizes() : tensor<2x3xf32> -> tensor<6xf32>
  return %r : tensor<6xf32>
}
