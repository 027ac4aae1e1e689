// RUN: tripy-opt %s --flatir-form-dispatches --kernel-outline --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// Equal layers share their kernels; each call has its own lines.

// CHECK-LABEL: func.func @layers(
// CHECK: %[[A:.*]] = kernel.call @layers_gemm_0_dot_add_tanh(%arg0, %arg1, %arg2) sizes() {{.*}} loc(fused["m.py":1:1, "m.py":2:1, "m.py":3:1, "m.py":4:1])
// CHECK: %[[B:.*]] = kernel.call @layers_gemm_0_dot_add_tanh(%[[A]], %arg3, %arg4) sizes() {{.*}} loc(fused["m.py":5:1, "m.py":6:1, "m.py":7:1, "m.py":8:1])
// CHECK: return %[[B]]
func.func @layers(%x: tensor<4x4xf32>, %w0: tensor<4x4xf32>, %b0: tensor<4xf32>, %w1: tensor<4x4xf32>, %b1: tensor<4xf32>) -> tensor<4x4xf32> {
  %d0 = flatir.dot %x, %w0 batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> loc("m.py":1:1)
  %c0 = flatir.broadcast %b0 dims = [1] sizes() : tensor<4xf32> -> tensor<4x4xf32> loc("m.py":2:1)
  %a0 = flatir.add %d0, %c0 : tensor<4x4xf32> loc("m.py":3:1)
  %t0 = flatir.tanh %a0 : tensor<4x4xf32> loc("m.py":4:1)
  %d1 = flatir.dot %t0, %w1 batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> loc("m.py":5:1)
  %c1 = flatir.broadcast %b1 dims = [1] sizes() : tensor<4xf32> -> tensor<4x4xf32> loc("m.py":6:1)
  %a1 = flatir.add %d1, %c1 : tensor<4x4xf32> loc("m.py":7:1)
  %t1 = flatir.tanh %a1 : tensor<4x4xf32> loc("m.py":8:1)
  return %t1 : tensor<4x4xf32>
}

// Another function may share them too; what differs does not.
// CHECK-LABEL: func.func @other(
// CHECK: kernel.call @layers_gemm_0_dot_add_tanh(
// CHECK: kernel.call @other_loop_0_exp(
// CHECK: kernel.call @other_loop_1_exp(
func.func @other(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %b: tensor<4xf32>, %y: tensor<3xf32>, %z: tensor<3xf16>) -> (tensor<4x4xf32>, tensor<3xf32>, tensor<3xf16>) {
  %d = flatir.dot %x, %w batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = flatir.broadcast %b dims = [1] sizes() : tensor<4xf32> -> tensor<4x4xf32>
  %a = flatir.add %d, %c : tensor<4x4xf32>
  %t = flatir.tanh %a : tensor<4x4xf32>
  %e = flatir.exp %y : tensor<3xf32>
  %f = flatir.exp %z : tensor<3xf16>
  return %t, %e, %f : tensor<4x4xf32>, tensor<3xf32>, tensor<3xf16>
}

// The kernel has the lines of all.
// CHECK: kernel.func @layers_gemm_0_dot_add_tanh gemm sizeArgs = []
// CHECK: flatir.dot
// CHECK: } loc(fused["m.py":1:1, "m.py":2:1, "m.py":3:1, "m.py":4:1, "m.py":5:1,
// CHECK: kernel.func @other_loop_0_exp loop sizeArgs = [] : (tensor<3xf32>) -> tensor<3xf32>
// CHECK: kernel.func @other_loop_1_exp loop sizeArgs = [] : (tensor<3xf16>) -> tensor<3xf16>
