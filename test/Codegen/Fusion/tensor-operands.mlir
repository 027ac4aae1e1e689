// RUN: tripy-opt %s --flatir-form-dispatches=tensor-cores --split-input-file | FileCheck %s
// RUN: tripy-opt %s --flatir-form-dispatches=tensor-cores --split-input-file --remark-format=emitRemark --remarks-filter="fusion" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tripy-opt %s --flatir-form-dispatches --split-input-file | FileCheck %s --check-prefix=GENERAL
// RUN: tripy-opt %s --tripy-cuda --split-input-file | FileCheck %s --check-prefix=KERNEL

// What comes before a large contraction of 16-bit floats does not push it off
// the tensor cores: without prologues it is a kernel of its own (with them, see
// tensor-prologues.mlir).

// KERNEL: kernel.func @activated_gemm
// KERNEL-SAME: tensor_maps
// CHECK-LABEL: func.func @activated(
// CHECK: %[[A:.*]] = kernel.dispatch loop(%arg0)
// CHECK: flatir.maximum
// CHECK: kernel.dispatch gemm(%[[A]], %arg1)
// REMARK: remark: [Analysis] declined | Category:fusion | Function=activated | Remark="did not fuse 'maximum' into 'dot': the contraction would leave the tensor cores"
func.func @activated(%x: tensor<512x1024xf16>, %w: tensor<1024x1024xf16>) -> tensor<512x1024xf16> {
  %z = flatir.constant dense<0.0> : tensor<512x1024xf16>
  %a = flatir.maximum %x, %z : tensor<512x1024xf16>
  %d = flatir.dot %a, %w batch = [] x [] contract = [1] x [1] : (tensor<512x1024xf16>, tensor<1024x1024xf16>) -> tensor<512x1024xf16>
  return %d : tensor<512x1024xf16>
}

// -----

// A conversion is made once; the general kernel applies it as it reads.
// KERNEL: kernel.func @converted_gemm
// KERNEL-SAME: tensor_maps
// CHECK-LABEL: func.func @converted(
// CHECK: %[[A:.*]] = kernel.dispatch loop(%arg0)
// CHECK: flatir.convert
// CHECK: kernel.dispatch gemm(%[[A]], %arg1)
// REMARK: remark: [Analysis] declined | Category:fusion | Function=converted | Remark="did not fuse 'convert' into 'dot': the contraction would leave the tensor cores"
// GENERAL-LABEL: func.func @converted(
// GENERAL: kernel.dispatch gemm(%arg0, %arg1)
// GENERAL: flatir.convert
func.func @converted(%x: tensor<512x1024xf32>, %w: tensor<1024x1024xf16>) -> tensor<512x1024xf16> {
  %a = flatir.convert %x : tensor<512x1024xf32> -> tensor<512x1024xf16>
  %d = flatir.dot %a, %w batch = [] x [] contract = [1] x [1] : (tensor<512x1024xf16>, tensor<1024x1024xf16>) -> tensor<512x1024xf16>
  return %d : tensor<512x1024xf16>
}

// -----

// Parts of a tensor are read in place; every second column is not.
// KERNEL: kernel.func @parts_gemm
// KERNEL-SAME: tensor_maps
// CHECK-LABEL: func.func @parts(
// CHECK: %[[W:.*]] = kernel.dispatch loop(%arg1)
// CHECK: flatir.slice
// CHECK: kernel.dispatch gemm(%arg0, %[[W]])
// CHECK: flatir.slice %{{.*}} [8, 0] strides = [1, 1]
// CHECK: flatir.dot
func.func @parts(%x: tensor<520x1024xf16>, %w: tensor<1024x2048xf16>) -> tensor<512x1024xf16> {
  %a = flatir.slice %x [8, 0] strides = [1, 1] sizes() : tensor<520x1024xf16> -> tensor<512x1024xf16>
  %b = flatir.slice %w [0, 0] strides = [1, 2] sizes() : tensor<1024x2048xf16> -> tensor<1024x1024xf16>
  %d = flatir.dot %a, %b batch = [] x [] contract = [1] x [1] : (tensor<512x1024xf16>, tensor<1024x1024xf16>) -> tensor<512x1024xf16>
  return %d : tensor<512x1024xf16>
}

// -----

// A part of rows that are no multiple of 16 bytes is copied, without them.
// KERNEL: kernel.func @unaligned_gemm
// KERNEL-SAME: tensor_maps
// CHECK-LABEL: func.func @unaligned(
// CHECK: %[[A:.*]] = kernel.dispatch loop(%arg0)
// CHECK: flatir.slice
// CHECK: kernel.dispatch gemm(%[[A]], %arg1)
func.func @unaligned(%x: tensor<512x1027xf16>, %w: tensor<1024x1024xf16>) -> tensor<512x1024xf16> {
  %a = flatir.slice %x [0, 3] strides = [1, 1] sizes() : tensor<512x1027xf16> -> tensor<512x1024xf16>
  %d = flatir.dot %a, %w batch = [] x [] contract = [1] x [1] : (tensor<512x1024xf16>, tensor<1024x1024xf16>) -> tensor<512x1024xf16>
  return %d : tensor<512x1024xf16>
}

// -----

// A small one runs on CUDA cores rather than wait for another kernel.
// CHECK-LABEL: func.func @small(
// CHECK: kernel.dispatch gemm(%arg0, %arg1)
// CHECK: flatir.convert
// CHECK-NOT: kernel.dispatch
func.func @small(%x: tensor<16x64xf32>, %w: tensor<64x64xf16>) -> tensor<16x64xf16> {
  %a = flatir.convert %x : tensor<16x64xf32> -> tensor<16x64xf16>
  %d = flatir.dot %a, %w batch = [] x [] contract = [1] x [1] : (tensor<16x64xf16>, tensor<64x64xf16>) -> tensor<16x64xf16>
  return %d : tensor<16x64xf16>
}
