// RUN: tripy-opt %s --flatir-form-dispatches | FileCheck %s

// Kernels without a fusion root.

// CHECK-LABEL: func.func @chain(
// CHECK: kernel.dispatch loop(%arg0, %arg1) sizes() sizeArgs = [] {name = "exp_mul_neg"}
// CHECK: flatir.exp
// CHECK: flatir.mul
// CHECK: flatir.neg
// CHECK-NOT: kernel.dispatch
func.func @chain(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = flatir.exp %x : tensor<4x8xf32>
  %m = flatir.mul %e, %y : tensor<4x8xf32>
  %n = flatir.neg %m : tensor<4x8xf32>
  return %n : tensor<4x8xf32>
}

// Results of one shape come from one kernel.
// CHECK-LABEL: func.func @two_results(
// CHECK: %[[K:.*]]:2 = kernel.dispatch loop(%arg0)
// CHECK: return %[[K]]#0, %[[K]]#1
func.func @two_results(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = flatir.exp %x : tensor<4xf32>
  %n = flatir.neg %e : tensor<4xf32>
  return %e, %n : tensor<4xf32>, tensor<4xf32>
}

// A cheap operation is computed again by both readers; an expensive one is
// not.
// CHECK-LABEL: func.func @again(
// CHECK: kernel.dispatch loop(%arg0)
// CHECK: flatir.neg
// CHECK: kernel.dispatch loop(%arg0)
// CHECK: flatir.neg
// CHECK-NOT: kernel.dispatch
func.func @again(%x: tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<4x4xf32>) {
  %e = flatir.neg %x : tensor<4x8xf32>
  %t = flatir.transpose %e [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %s = flatir.slice %e [0, 0] strides = [1, 2] sizes() : tensor<4x8xf32> -> tensor<4x4xf32>
  return %t, %s : tensor<8x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: func.func @once(
// CHECK: %[[E:.*]] = kernel.dispatch loop(%arg0)
// CHECK: flatir.exp
// CHECK: kernel.dispatch loop(%[[E]])
// CHECK: kernel.dispatch loop(%[[E]])
func.func @once(%x: tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<4x4xf32>) {
  %e = flatir.exp %x : tensor<4x8xf32>
  %t = flatir.transpose %e [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %s = flatir.slice %e [0, 0] strides = [1, 2] sizes() : tensor<4x8xf32> -> tensor<4x4xf32>
  return %t, %s : tensor<8x4xf32>, tensor<4x4xf32>
}

// An expensive operation is not computed again for each row of a large result.
// CHECK-LABEL: func.func @spread(
// CHECK: %[[E:.*]] = kernel.dispatch loop(%arg1)
// CHECK: flatir.exp
// CHECK: kernel.dispatch loop(%[[E]], %arg0)
// CHECK: flatir.broadcast
// CHECK: flatir.add
func.func @spread(%x: tensor<512x512xf32>, %y: tensor<512xf32>) -> tensor<512x512xf32> {
  %e = flatir.exp %y : tensor<512xf32>
  %b = flatir.broadcast %e dims = [1] sizes() : tensor<512xf32> -> tensor<512x512xf32>
  %r = flatir.add %x, %b : tensor<512x512xf32>
  return %r : tensor<512x512xf32>
}

// Kernels never wait for each other: %a and %d would each need the other's.
// CHECK-LABEL: func.func @crossed(
// CHECK: kernel.dispatch
// CHECK: return
func.func @crossed(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<8x4xf32>) {
  %a = flatir.exp %x : tensor<4x8xf32>
  %c = flatir.exp %y : tensor<8x4xf32>
  %at = flatir.transpose %a [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %ct = flatir.transpose %c [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %b = flatir.add %a, %ct : tensor<4x8xf32>
  %d = flatir.add %c, %at : tensor<8x4xf32>
  return %a, %b, %c, %d : tensor<4x8xf32>, tensor<4x8xf32>, tensor<8x4xf32>, tensor<8x4xf32>
}

// Constants that lie in memory are inputs; what is nowhere read is gone.
// CHECK-LABEL: func.func @constants(
// CHECK: %[[C:.*]] = flatir.constant dense<[1.000000e+00, 2.000000e+00]>
// CHECK-NOT: flatir.constant
// CHECK: kernel.dispatch loop(%arg0, %[[C]])
// CHECK: flatir.add
// CHECK: %[[S:.*]] = flatir.constant dense<3.0
// CHECK: flatir.mul %{{.*}}, %[[S]]
func.func @constants(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = flatir.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %s = flatir.constant dense<3.0> : tensor<2xf32>
  %dead = flatir.constant dense<[5.0, 6.0]> : tensor<2xf32>
  %unused = flatir.exp %dead : tensor<2xf32>
  %a = flatir.add %x, %c : tensor<2xf32>
  %m = flatir.mul %a, %s : tensor<2xf32>
  return %m : tensor<2xf32>
}

// Tensors of no elements need no operands: empty.mlir.
// CHECK-LABEL: func.func @empty(
// CHECK: kernel.dispatch loop()
func.func @empty(%x: tensor<0x8xf32>) -> tensor<0x8xf32> {
  %n = flatir.neg %x : tensor<0x8xf32>
  return %n : tensor<0x8xf32>
}
