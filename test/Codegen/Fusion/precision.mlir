// RUN: tripy-opt %s --flatir-form-dispatches --kernel-outline --flatir-to-linalg | FileCheck %s

// Contractions that meet are computed together only at one precision; what one
// of them allows stays with it.
// CHECK-LABEL: kernel.func @alike_gemm
// CHECK-COUNT-2: linalg.generic {{.*}} attrs = {tripy.allow_tf32}
// CHECK: kernel.yield
func.func @alike(%x: tensor<64x16xf32>, %w: tensor<32x16xf32>, %v: tensor<32x16xf32>) -> tensor<64x32xf32> {
  %a = flatir.dot %x, %w batch = [] x [] contract = [1] x [1] allow_tf32 : (tensor<64x16xf32>, tensor<32x16xf32>) -> tensor<64x32xf32>
  %b = flatir.dot %x, %v batch = [] x [] contract = [1] x [1] allow_tf32 : (tensor<64x16xf32>, tensor<32x16xf32>) -> tensor<64x32xf32>
  %r = flatir.mul %a, %b : tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// CHECK-LABEL: kernel.func @apart_gemm_0
// CHECK-COUNT-1: linalg.generic {{.*}} "reduction"
// CHECK-NOT: "reduction"
// CHECK: kernel.yield
// CHECK-LABEL: kernel.func @apart_gemm_1
// CHECK-COUNT-1: linalg.generic {{.*}} "reduction"
// CHECK-NOT: "reduction"
// CHECK: kernel.yield
func.func @apart(%x: tensor<64x16xf32>, %w: tensor<32x16xf32>, %v: tensor<32x16xf32>) -> tensor<64x32xf32> {
  %a = flatir.dot %x, %w batch = [] x [] contract = [1] x [1] allow_tf32 : (tensor<64x16xf32>, tensor<32x16xf32>) -> tensor<64x32xf32>
  %b = flatir.dot %x, %v batch = [] x [] contract = [1] x [1] : (tensor<64x16xf32>, tensor<32x16xf32>) -> tensor<64x32xf32>
  %r = flatir.mul %a, %b : tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}
