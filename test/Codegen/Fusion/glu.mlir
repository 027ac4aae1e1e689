// RUN: tripy-opt %s --flatir-form-dispatches --split-input-file | FileCheck %s
// RUN: tripy-opt %s --flatir-form-dispatches="tensor-cores tensor-paired=2" --kernel-outline --flatir-to-linalg --split-input-file --mlir-print-local-scope | FileCheck %s --check-prefix=LINALG
// RUN: tripy-opt %s --flatir-form-dispatches=paired=1 --split-input-file --remark-format=emitRemark --remarks-filter="fusion" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALONE

// Column ranges of a contraction that meet again in one result: gated units.

// The two halves of the columns are two contractions of the same left operand,
// with slices of the weight and of the bias.
// CHECK-LABEL: func.func @geglu(
// CHECK: %[[O:.*]] = kernel.dispatch gemm(%arg1, %arg0, %arg2)
// CHECK: ^bb0(%[[W:.*]]: tensor<32x16xf16>, %[[X:.*]]: tensor<64x16xf16>, %[[B:.*]]: tensor<32xf16>):
// CHECK: %[[W0:.*]] = flatir.slice %[[W]] [0, 0] strides = [1, 1] sizes() : tensor<32x16xf16> -> tensor<16x16xf16>
// CHECK: %[[D0:.*]] = flatir.dot %[[X]], %[[W0]]
// CHECK: %[[B0:.*]] = flatir.slice %[[B]] [0] strides = [1]
// CHECK: flatir.broadcast %[[B0]]
// CHECK: %[[W1:.*]] = flatir.slice %[[W]] [16, 0] strides = [1, 1] sizes() : tensor<32x16xf16> -> tensor<16x16xf16>
// CHECK: %[[D1:.*]] = flatir.dot %[[X]], %[[W1]]
// CHECK: %[[B1:.*]] = flatir.slice %[[B]] [16] strides = [1]
// CHECK: flatir.broadcast %[[B1]]
// CHECK: flatir.tanh
// CHECK: flatir.mul
// CHECK-NOT: kernel.dispatch
// CHECK: return %[[O]]

// LINALG: kernel.func @geglu_gemm_0_dot_add_tanh_mul gemm
// LINALG: ^bb0(%[[W:.*]]: tensor<32x16xf16>, %[[X:.*]]: tensor<64x16xf16>, %[[B:.*]]: tensor<32xf16>):
// LINALG: %[[W0:.*]] = tensor.extract_slice %[[W]][0, 0] [16, 16] [1, 1] : tensor<32x16xf16> to tensor<16x16xf16>
// LINALG: %[[D0:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[X]], %[[W0]] : tensor<64x16xf16>, tensor<16x16xf16>) outs(%{{.*}} : tensor<64x16xf32>)
// LINALG: tensor.extract_slice %[[B]][0] [16] [1]
// LINALG: %[[W1:.*]] = tensor.extract_slice %[[W]][16, 0] [16, 16] [1, 1] : tensor<32x16xf16> to tensor<16x16xf16>
// LINALG: %[[D1:.*]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[X]], %[[W1]] : tensor<64x16xf16>, tensor<16x16xf16>) outs(%{{.*}} : tensor<64x16xf32>)
// LINALG: tensor.extract_slice %[[B]][16] [16] [1]
// LINALG: kernel.yield

// ALONE: remark: [Analysis] declined | Category:fusion | Function=geglu | Remark="did not compute columns [0, 16), [16, 32) of 'dot' side by side: the emitter computes fewer contractions side by side"
func.func @geglu(%x: tensor<64x16xf16>, %w: tensor<32x16xf16>, %b: tensor<32xf16>) -> tensor<64x16xf16> {
  %d = flatir.dot %x, %w batch = [] x [] contract = [1] x [1] : (tensor<64x16xf16>, tensor<32x16xf16>) -> tensor<64x32xf16>
  %bb = flatir.broadcast %b dims = [1] sizes() : tensor<32xf16> -> tensor<64x32xf16>
  %l = flatir.add %d, %bb : tensor<64x32xf16>
  %s = flatir.slice %l [0, 0] strides = [1, 1] sizes() : tensor<64x32xf16> -> tensor<64x16xf16>
  %g = flatir.slice %l [0, 16] strides = [1, 1] sizes() : tensor<64x32xf16> -> tensor<64x16xf16>
  %t = flatir.tanh %g : tensor<64x16xf16>
  %o = flatir.mul %s, %t : tensor<64x16xf16>
  return %o : tensor<64x16xf16>
}

// -----

// Rows are dynamic, the weight has its columns last, the value that is added
// has all columns: its slices are read in place.
// CHECK-LABEL: func.func @dynamic(
// CHECK: kernel.dispatch gemm(
// CHECK: flatir.slice %{{.*}} [0, 0] strides = [1, 1] sizes() : tensor<3x10xf32> -> tensor<3x5xf32>
// CHECK: flatir.slice %{{.*}} [0, 0] strides = [1, 1] sizes(%{{.*}}) : tensor<?x10xf32> -> tensor<?x5xf32>
// CHECK: flatir.slice %{{.*}} [0, 5] strides = [1, 1] sizes() : tensor<3x10xf32> -> tensor<3x5xf32>
// CHECK: flatir.slice %{{.*}} [0, 5] strides = [1, 1] sizes(%{{.*}}) : tensor<?x10xf32> -> tensor<?x5xf32>
// CHECK-NOT: kernel.dispatch

// LINALG: kernel.func @dynamic_gemm
// LINALG: tensor.extract_slice %{{.*}}[0, 5] [3, 5] [1, 1] : tensor<3x10xf32> to tensor<3x5xf32>
func.func @dynamic(%x: tensor<?x3xf32>, %w: tensor<3x10xf32>, %r: tensor<?x10xf32>) -> tensor<?x5xf32> {
  %n = flatir.dim %x, 0 : tensor<?x3xf32>
  %m = flatir.dim %r, 0 : tensor<?x10xf32>
  flatir.require "equal" %n, %m "the operands of 'add' agree in dimension 0"
  %d = flatir.dot %x, %w batch = [] x [] contract = [1] x [0] : (tensor<?x3xf32>, tensor<3x10xf32>) -> tensor<?x10xf32>
  %l = flatir.add %d, %r : tensor<?x10xf32>
  %s = flatir.slice %l [0, 0] strides = [1, 1] sizes(%n) : tensor<?x10xf32> -> tensor<?x5xf32>
  %g = flatir.slice %l [0, 5] strides = [1, 1] sizes(%n) : tensor<?x10xf32> -> tensor<?x5xf32>
  %t = flatir.tanh %g : tensor<?x5xf32>
  %o = flatir.mul %s, %t : tensor<?x5xf32>
  return %o : tensor<?x5xf32>
}

// -----

// Operations between and after may depend on one half alone, twice on one, and
// broadcasts of scalars and of columns stay what they are.
// CHECK-LABEL: func.func @shared(
// CHECK: kernel.dispatch gemm(
// CHECK-COUNT-2: flatir.dot
// CHECK-NOT: kernel.dispatch
func.func @shared(%x: tensor<4x3xf32>, %w: tensor<3x10xf32>, %c: tensor<4x1xf32>) -> tensor<4x5xf32> {
  %d = flatir.dot %x, %w batch = [] x [] contract = [1] x [0] : (tensor<4x3xf32>, tensor<3x10xf32>) -> tensor<4x10xf32>
  %k = flatir.constant dense<2.0> : tensor<f32>
  %kb = flatir.broadcast %k dims = [] sizes() : tensor<f32> -> tensor<4x10xf32>
  %cb = flatir.broadcast %c dims = [0, 1] sizes() : tensor<4x1xf32> -> tensor<4x10xf32>
  %q = flatir.mul %d, %kb : tensor<4x10xf32>
  %l = flatir.add %q, %cb : tensor<4x10xf32>
  %s = flatir.slice %l [0, 0] strides = [1, 1] sizes() : tensor<4x10xf32> -> tensor<4x5xf32>
  %u = flatir.slice %d [0, 0] strides = [1, 1] sizes() : tensor<4x10xf32> -> tensor<4x5xf32>
  %g = flatir.slice %l [0, 5] strides = [1, 1] sizes() : tensor<4x10xf32> -> tensor<4x5xf32>
  %t = flatir.tanh %g : tensor<4x5xf32>
  %o = flatir.mul %s, %t : tensor<4x5xf32>
  %p = flatir.add %o, %u : tensor<4x5xf32>
  return %p : tensor<4x5xf32>
}

// -----

// What is returned whole is stored anyway.
// CHECK-LABEL: func.func @returned(
// CHECK: kernel.dispatch gemm
// CHECK: kernel.dispatch loop
func.func @returned(%x: tensor<4x3xf32>, %w: tensor<3x10xf32>) -> (tensor<4x10xf32>, tensor<4x5xf32>) {
  %d = flatir.dot %x, %w batch = [] x [] contract = [1] x [0] : (tensor<4x3xf32>, tensor<3x10xf32>) -> tensor<4x10xf32>
  %s = flatir.slice %d [0, 0] strides = [1, 1] sizes() : tensor<4x10xf32> -> tensor<4x5xf32>
  %g = flatir.slice %d [0, 5] strides = [1, 1] sizes() : tensor<4x10xf32> -> tensor<4x5xf32>
  %o = flatir.mul %s, %g : tensor<4x5xf32>
  return %d, %o : tensor<4x10xf32>, tensor<4x5xf32>
}
