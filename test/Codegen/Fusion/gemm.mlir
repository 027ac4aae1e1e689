// RUN: tripy-opt %s --flatir-form-dispatches | FileCheck %s

// Kernels around contractions.

// A linear layer with all that follows is one kernel.
// CHECK-LABEL: func.func @linear_gelu_residual(
// CHECK: kernel.dispatch gemm(%arg0, %arg1, %arg2, %arg3)
// CHECK-SAME: name = "dot_add_gelu"
// CHECK: flatir.dot
// CHECK: flatir.broadcast
// CHECK: flatir.add
// CHECK: flatir.tanh
// CHECK: flatir.convert
// CHECK: %[[R:.*]] = flatir.add
// CHECK-NEXT: kernel.yield %[[R]]
// CHECK-NOT: kernel.dispatch
func.func @linear_gelu_residual(%x: tensor<16x8xf16>, %w: tensor<4x8xf16>, %b: tensor<4xf16>, %r: tensor<16x4xf16>) -> tensor<16x4xf16> {
  %d = flatir.dot %x, %w batch = [] x [] contract = [1] x [1] : (tensor<16x8xf16>, tensor<4x8xf16>) -> tensor<16x4xf16>
  %bb = flatir.broadcast %b dims = [1] sizes() : tensor<4xf16> -> tensor<16x4xf16>
  %l = flatir.add %d, %bb : tensor<16x4xf16>
  %g = flatir.composite "gelu" (%l) {} : (tensor<16x4xf16>) -> tensor<16x4xf16> {
  ^bb0(%a: tensor<16x4xf16>):
    %f = flatir.convert %a : tensor<16x4xf16> -> tensor<16x4xf32>
    %t = flatir.tanh %f : tensor<16x4xf32>
    %m = flatir.mul %f, %t : tensor<16x4xf32>
    %h = flatir.convert %m : tensor<16x4xf32> -> tensor<16x4xf16>
    flatir.yield %h : tensor<16x4xf16>
  }
  %o = flatir.add %g, %r : tensor<16x4xf16>
  return %o : tensor<16x4xf16>
}

// Two column ranges of one result meet: they are computed side by side.
// CHECK-LABEL: func.func @geglu(
// CHECK: %[[O:.*]] = kernel.dispatch gemm(%arg1, %arg0, %arg2)
// CHECK-COUNT-2: flatir.dot
// CHECK: flatir.tanh
// CHECK: flatir.mul
// CHECK-NOT: kernel.dispatch
// CHECK: return %[[O]]
func.func @geglu(%x: tensor<16x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<16x4xf32> {
  %d = flatir.dot %x, %w batch = [] x [] contract = [1] x [1] : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %bb = flatir.broadcast %b dims = [1] sizes() : tensor<8xf32> -> tensor<16x8xf32>
  %l = flatir.add %d, %bb : tensor<16x8xf32>
  %s = flatir.slice %l [0, 0] strides = [1, 1] sizes() : tensor<16x8xf32> -> tensor<16x4xf32>
  %g = flatir.slice %l [0, 4] strides = [1, 1] sizes() : tensor<16x8xf32> -> tensor<16x4xf32>
  %t = flatir.tanh %g : tensor<16x4xf32>
  %o = flatir.mul %s, %t : tensor<16x4xf32>
  return %o : tensor<16x4xf32>
}

// Two contractions of one operand that meet in a product are one kernel.
// CHECK-LABEL: func.func @gated(
// CHECK: kernel.dispatch gemm(%arg0, %arg1, %arg2)
// CHECK: flatir.dot
// CHECK: flatir.dot
// CHECK: flatir.tanh
// CHECK: flatir.mul
// CHECK-NOT: kernel.dispatch
func.func @gated(%x: tensor<16x8xf32>, %u: tensor<4x8xf32>, %v: tensor<4x8xf32>) -> tensor<16x4xf32> {
  %a = flatir.dot %x, %u batch = [] x [] contract = [1] x [1] : (tensor<16x8xf32>, tensor<4x8xf32>) -> tensor<16x4xf32>
  %g = flatir.dot %x, %v batch = [] x [] contract = [1] x [1] : (tensor<16x8xf32>, tensor<4x8xf32>) -> tensor<16x4xf32>
  %t = flatir.tanh %g : tensor<16x4xf32>
  %o = flatir.mul %a, %t : tensor<16x4xf32>
  return %o : tensor<16x4xf32>
}

// Views and conversions are applied where operands are read; an exponential
// would be computed again for each row.
// CHECK-LABEL: func.func @operands(
// CHECK: %[[E:.*]] = kernel.dispatch loop(%arg1)
// CHECK: flatir.exp
// CHECK: kernel.dispatch gemm(%arg0, %[[E]])
// CHECK: flatir.transpose
// CHECK: flatir.convert
// CHECK: flatir.dot
func.func @operands(%x: tensor<8x16xf16>, %w: tensor<8x4xf32>) -> tensor<16x4xf32> {
  %t = flatir.transpose %x [1, 0] : tensor<8x16xf16> -> tensor<16x8xf16>
  %c = flatir.convert %t : tensor<16x8xf16> -> tensor<16x8xf32>
  %e = flatir.exp %w : tensor<8x4xf32>
  %d = flatir.dot %c, %e batch = [] x [] contract = [1] x [0] : (tensor<16x8xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
  return %d : tensor<16x4xf32>
}

// The second sum needs the row kernel, which needs the first: no cycle.
// CHECK-LABEL: func.func @two_layers(
// CHECK: %[[Y:.*]] = kernel.dispatch gemm(%arg0, %arg1)
// CHECK: %[[N:.*]] = kernel.dispatch row(%[[Y]])
// CHECK: kernel.dispatch gemm(%[[N]], %arg1, %[[Y]])
func.func @two_layers(%x: tensor<16x8xf32>, %w: tensor<8x8xf32>) -> tensor<16x8xf32> {
  %d = flatir.dot %x, %w batch = [] x [] contract = [1] x [0] : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %y = flatir.add %d, %x : tensor<16x8xf32>
  %m = flatir.reduce max %y dims = [1] : tensor<16x8xf32> -> tensor<16xf32>
  %mb = flatir.broadcast %m dims = [0] sizes() : tensor<16xf32> -> tensor<16x8xf32>
  %n = flatir.sub %y, %mb : tensor<16x8xf32>
  %e = flatir.dot %n, %w batch = [] x [] contract = [1] x [0] : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
  %z = flatir.add %e, %y : tensor<16x8xf32>
  return %z : tensor<16x8xf32>
}

// Both the sum and its relu are needed: two results of one kernel.
// CHECK-LABEL: func.func @two_results(
// CHECK: %[[K:.*]]:2 = kernel.dispatch gemm
// CHECK: %[[S:.*]] = flatir.add
// CHECK: %[[T:.*]] = flatir.tanh
// CHECK: kernel.yield %[[S]], %[[T]]
// CHECK: return %[[K]]#0, %[[K]]#1
func.func @two_results(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %y: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %d = flatir.dot %x, %w batch = [] x [] contract = [1] x [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %s = flatir.add %d, %y : tensor<4x2xf32>
  %t = flatir.tanh %s : tensor<4x2xf32>
  return %s, %t : tensor<4x2xf32>, tensor<4x2xf32>
}

// A wider copy of the result is made by who reads it.
// CHECK-LABEL: func.func @widened(
// CHECK: %[[D:.*]] = kernel.dispatch gemm{{.*}} -> tensor<4x2xf16>
// CHECK: kernel.dispatch row(%[[D]])
// CHECK: flatir.convert
// CHECK: flatir.reduce
func.func @widened(%x: tensor<4x8xf16>, %w: tensor<8x2xf16>) -> tensor<4xf32> {
  %d = flatir.dot %x, %w batch = [] x [] contract = [1] x [0] : (tensor<4x8xf16>, tensor<8x2xf16>) -> tensor<4x2xf16>
  %c = flatir.convert %d : tensor<4x2xf16> -> tensor<4x2xf32>
  %s = flatir.reduce sum %c dims = [1] : tensor<4x2xf32> -> tensor<4xf32>
  return %s : tensor<4xf32>
}

// A contraction of nothing is a product.
// CHECK-LABEL: func.func @outer(
// CHECK: kernel.dispatch loop(%arg0, %arg1)
// CHECK: flatir.dot
// CHECK: flatir.neg
func.func @outer(%x: tensor<4xf32>, %y: tensor<8xf32>) -> tensor<4x8xf32> {
  %d = flatir.dot %x, %y batch = [] x [] contract = [] x [] : (tensor<4xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %n = flatir.neg %d : tensor<4x8xf32>
  return %n : tensor<4x8xf32>
}

// An operand that is a splat is filled once, not made again for each tile.
// CHECK-LABEL: func.func @splat_operand(
// CHECK: %[[W:.*]] = kernel.dispatch loop()
// CHECK: flatir.constant
// CHECK: kernel.dispatch gemm(%arg0, %[[W]])
func.func @splat_operand(%x: tensor<4x8xf32>) -> tensor<4x2xf32> {
  %w = flatir.constant dense<0.5> : tensor<8x2xf32>
  %d = flatir.dot %x, %w batch = [] x [] contract = [1] x [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %d : tensor<4x2xf32>
}

// A weight of whole numbers is scaled as it is read, where that is not often:
// each element is used for 4 rows.
// CHECK-LABEL: func.func @dequantized(
// CHECK: kernel.dispatch gemm(
// CHECK: flatir.convert
// CHECK: flatir.mul
// CHECK: flatir.dot
// CHECK-NOT: kernel.dispatch
func.func @dequantized(%x: tensor<4x64xf32>, %w: tensor<2048x64xi32>, %s: tensor<2048xf32>) -> tensor<4x2048xf32> {
  %c = flatir.convert %w : tensor<2048x64xi32> -> tensor<2048x64xf32>
  %b = flatir.broadcast %s dims = [0] sizes() : tensor<2048xf32> -> tensor<2048x64xf32>
  %m = flatir.mul %c, %b : tensor<2048x64xf32>
  %d = flatir.dot %x, %m batch = [] x [] contract = [1] x [1] : (tensor<4x64xf32>, tensor<2048x64xf32>) -> tensor<4x2048xf32>
  return %d : tensor<4x2048xf32>
}

// The left operand would be scaled again for each of 32 tiles of columns.
// CHECK-LABEL: func.func @scaled(
// CHECK: %[[X:.*]] = kernel.dispatch loop(%arg2, %arg0
// CHECK: flatir.mul
// CHECK: kernel.dispatch gemm(%[[X]], %arg1)
func.func @scaled(%x: tensor<4x64xf32>, %w: tensor<2048x64xf32>, %s: tensor<64xf32>) -> tensor<4x2048xf32> {
  %b = flatir.broadcast %s dims = [1] sizes() : tensor<64xf32> -> tensor<4x64xf32>
  %m = flatir.mul %x, %b : tensor<4x64xf32>
  %d = flatir.dot %m, %w batch = [] x [] contract = [1] x [1] : (tensor<4x64xf32>, tensor<2048x64xf32>) -> tensor<4x2048xf32>
  return %d : tensor<4x2048xf32>
}
