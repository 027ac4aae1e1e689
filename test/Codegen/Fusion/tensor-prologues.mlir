// RUN: tripy-opt %s --flatir-form-dispatches="tensor-cores tensor-prologues=estimated" --split-input-file | FileCheck %s
// RUN: tripy-opt %s --flatir-form-dispatches="tensor-cores tensor-prologues=estimated" --split-input-file --remark-format=emitRemark --remarks-filter="fusion" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tripy-opt %s --flatir-form-dispatches="tensor-cores tensor-prologues=always" --split-input-file | FileCheck %s --check-prefix=ALWAYS
// RUN: tripy-opt %s --tripy-cuda --split-input-file | FileCheck %s --check-prefix=KERNEL
// RUN: not tripy-opt %s --flatir-form-dispatches="tensor-prologues=sometimes" --split-input-file 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: tensor-prologues is never, estimated or always; found 'sometimes'

// Where a contraction's kernel on tensor cores computes its left operand. None
// of these leaves the tensor cores: every gemm kernel has tensor maps.

// KERNEL: kernel.func @activated_gemm
// KERNEL-SAME: tensor_maps
// CHECK-LABEL: func.func @activated(
// CHECK: kernel.dispatch gemm(%arg0, %arg1)
// CHECK-NOT: kernel.dispatch
// REMARK: remark: [Passed] fused | Category:fusion | Function=activated | Remark="fused 'maximum' into 'dot': the prologue computes each element 4 times, which costs about {{[0-9]+}} cycles and saves {{[0-9]+}}"
func.func @activated(%x: tensor<512x1024xf16>, %w: tensor<1024x1024xf16>) -> tensor<512x1024xf16> {
  %z = flatir.constant dense<0.0> : tensor<512x1024xf16>
  %a = flatir.maximum %x, %z : tensor<512x1024xf16>
  %d = flatir.dot %a, %w batch = [] x [] contract = [1] x [1] : (tensor<512x1024xf16>, tensor<1024x1024xf16>) -> tensor<512x1024xf16>
  return %d : tensor<512x1024xf16>
}

// -----

// Vectors along rows and along K, of any type, and a dynamic number of rows.
// KERNEL: kernel.func @vectors_gemm
// KERNEL-SAME: tensor_maps
// CHECK-LABEL: func.func @vectors(
// CHECK: kernel.dispatch gemm(%arg1, %arg0, %arg2, %arg3, %{{.*}})
// CHECK: flatir.convert
// CHECK-NOT: kernel.dispatch
func.func @vectors(%x: tensor<?x1024xbf16> {tripy.profile = #tripy.profile<min = [1, 1024], opt = [2048, 1024], max = [4096, 1024]>},
    %s: tensor<?xbf16> {tripy.profile = #tripy.profile<min = [1], opt = [2048], max = [4096]>}, %g: tensor<1024xf32>, %w: tensor<1024x512xbf16>) -> tensor<?x512xbf16> {
  %n = flatir.dim %x, 0 : tensor<?x1024xbf16>
  %ns = flatir.dim %s, 0 : tensor<?xbf16>
  flatir.require "equal" %n, %ns "rows agree"
  %sb = flatir.broadcast %s dims = [0] sizes(%n) : tensor<?xbf16> -> tensor<?x1024xbf16>
  %h = flatir.convert %g : tensor<1024xf32> -> tensor<1024xbf16>
  %gb = flatir.broadcast %h dims = [1] sizes(%n) : tensor<1024xbf16> -> tensor<?x1024xbf16>
  %0 = flatir.mul %x, %sb : tensor<?x1024xbf16>
  %a = flatir.mul %0, %gb : tensor<?x1024xbf16>
  %d = flatir.dot %a, %w batch = [] x [] contract = [1] x [0] : (tensor<?x1024xbf16>, tensor<1024x512xbf16>) -> tensor<?x512xbf16>
  return %d : tensor<?x512xbf16>
}

// -----

// Two contractions in one kernel share what is computed.
// KERNEL: kernel.func @shared_gemm
// KERNEL-SAME: tensor_maps
// CHECK-LABEL: func.func @shared(
// CHECK: kernel.dispatch gemm(%arg0, %arg1, %arg2)
// CHECK-NOT: kernel.dispatch
func.func @shared(%x: tensor<512x1024xf16>, %w: tensor<1024x512xf16>, %v: tensor<1024x512xf16>) -> (tensor<512x512xf16>, tensor<512x512xf16>) {
  %a = flatir.abs %x : tensor<512x1024xf16>
  %d = flatir.dot %a, %w batch = [] x [] contract = [1] x [0] : (tensor<512x1024xf16>, tensor<1024x512xf16>) -> tensor<512x512xf16>
  %e = flatir.dot %a, %v batch = [] x [] contract = [1] x [0] : (tensor<512x1024xf16>, tensor<1024x512xf16>) -> tensor<512x512xf16>
  return %d, %e : tensor<512x512xf16>, tensor<512x512xf16>
}

// -----

// Part of a tensor whose rows tensor cores can be fed with.
// KERNEL: kernel.func @part_gemm
// KERNEL-SAME: tensor_maps
// CHECK-LABEL: func.func @part(
// CHECK: kernel.dispatch gemm(%arg0, %arg1)
// CHECK: flatir.slice
// CHECK: flatir.abs
func.func @part(%x: tensor<512x2048xf16>, %w: tensor<1024x512xf16>) -> tensor<512x512xf16> {
  %s = flatir.slice %x [0, 1024] strides = [1, 1] sizes() : tensor<512x2048xf16> -> tensor<512x1024xf16>
  %a = flatir.abs %s : tensor<512x1024xf16>
  %d = flatir.dot %a, %w batch = [] x [] contract = [1] x [0] : (tensor<512x1024xf16>, tensor<1024x512xf16>) -> tensor<512x512xf16>
  return %d : tensor<512x512xf16>
}

// -----

// The ring of k-blocks has one tensor of the operand's shape.
// KERNEL: kernel.func @two_loop
// KERNEL: kernel.func @two_gemm
// KERNEL-SAME: tensor_maps
// CHECK-LABEL: func.func @two(
// CHECK: kernel.dispatch loop(%arg0, %arg1)
// REMARK: Function=two | Remark="did not fuse 'mul' into 'dot': it cannot be a prologue on tensor cores: it reads several tensors of the operand's shape"
func.func @two(%x: tensor<512x1024xf16>, %y: tensor<512x1024xf16>, %w: tensor<1024x512xf16>) -> tensor<512x512xf16> {
  %a = flatir.mul %x, %y : tensor<512x1024xf16>
  %d = flatir.dot %a, %w batch = [] x [] contract = [1] x [0] : (tensor<512x1024xf16>, tensor<1024x512xf16>) -> tensor<512x512xf16>
  return %d : tensor<512x512xf16>
}

// -----

// K-blocks of another type have another width.
// CHECK-LABEL: func.func @converted(
// CHECK: kernel.dispatch loop(%arg0)
// REMARK: Function=converted | Remark="did not fuse 'convert' into 'dot': it cannot be a prologue on tensor cores: its operand has another element type or another layout"
func.func @converted(%x: tensor<512x1024xf32>, %w: tensor<1024x512xf16>) -> tensor<512x512xf16> {
  %a = flatir.convert %x : tensor<512x1024xf32> -> tensor<512x1024xf16>
  %d = flatir.dot %a, %w batch = [] x [] contract = [1] x [0] : (tensor<512x1024xf16>, tensor<1024x512xf16>) -> tensor<512x512xf16>
  return %d : tensor<512x512xf16>
}

// -----

// A vector that varies with both is none.
// CHECK-LABEL: func.func @plane(
// CHECK: kernel.dispatch loop(%arg1, %arg0)
// REMARK: Function=plane | Remark="did not fuse 'add' into 'dot': it cannot be a prologue on tensor cores: it reads several
func.func @plane(%x: tensor<4x512x1024xf16>, %s: tensor<512x1024xf16>, %w: tensor<1024x512xf16>) -> tensor<4x512x512xf16> {
  %b = flatir.broadcast %s dims = [1, 2] sizes() : tensor<512x1024xf16> -> tensor<4x512x1024xf16>
  %a = flatir.add %x, %b : tensor<4x512x1024xf16>
  %d = flatir.dot %a, %w batch = [] x [] contract = [2] x [0] : (tensor<4x512x1024xf16>, tensor<1024x512xf16>) -> tensor<4x512x512xf16>
  return %d : tensor<4x512x512xf16>
}

// -----

// 16 tiles of columns would compute it 16 times.
// ALWAYS-LABEL: func.func @costly(
// ALWAYS: kernel.dispatch gemm(%arg0, %arg1)
// CHECK-LABEL: func.func @costly(
// CHECK: kernel.dispatch loop(%arg0)
// REMARK: Function=costly | Remark="did not fuse 'tanh' into 'dot': the prologue computes each element 16 times, which costs about {{[0-9]+}} cycles and saves {{[0-9]+}}"
func.func @costly(%x: tensor<4096x4096xf16>, %w: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %a = flatir.tanh %x : tensor<4096x4096xf16>
  %d = flatir.dot %a, %w batch = [] x [] contract = [1] x [0] : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  return %d : tensor<4096x4096xf16>
}

// -----

// It is stored for another reader anyway.
// CHECK-LABEL: func.func @stored(
// CHECK: kernel.dispatch loop(%arg0)
// REMARK: Function=stored | Remark="did not fuse 'abs' into 'dot': it cannot be a prologue on tensor cores: it has other readers, or another kernel writes it"
func.func @stored(%x: tensor<512x1024xf16>, %w: tensor<1024x512xf16>) -> (tensor<512x512xf16>, tensor<512x1024xf16>) {
  %a = flatir.abs %x : tensor<512x1024xf16>
  %d = flatir.dot %a, %w batch = [] x [] contract = [1] x [0] : (tensor<512x1024xf16>, tensor<1024x512xf16>) -> tensor<512x512xf16>
  return %d, %a : tensor<512x512xf16>, tensor<512x1024xf16>
}

// -----

// The kernel made for the concatenation computes it on its way.
// CHECK-LABEL: func.func @joined(
// CHECK: kernel.dispatch loop(%arg0, %arg1)
// CHECK: flatir.abs
// REMARK: Function=joined | Remark="did not fuse 'abs' into 'dot': it cannot be a prologue on tensor cores: its operand would need a separate kernel"
func.func @joined(%x: tensor<256x1024xf16>, %y: tensor<256x1024xf16>, %w: tensor<1024x512xf16>) -> tensor<512x512xf16> {
  %j = flatir.concatenate %x, %y dim = 0 : (tensor<256x1024xf16>, tensor<256x1024xf16>) -> tensor<512x1024xf16>
  %a = flatir.abs %j : tensor<512x1024xf16>
  %d = flatir.dot %a, %w batch = [] x [] contract = [1] x [0] : (tensor<512x1024xf16>, tensor<1024x512xf16>) -> tensor<512x512xf16>
  return %d : tensor<512x512xf16>
}

// -----

// Registers have A along K alone.
// CHECK-LABEL: func.func @across(
// CHECK: kernel.dispatch loop(%arg0)
func.func @across(%x: tensor<1024x512xf16>, %w: tensor<1024x512xf16>) -> tensor<512x512xf16> {
  %a = flatir.abs %x : tensor<1024x512xf16>
  %d = flatir.dot %a, %w batch = [] x [] contract = [0] x [0] : (tensor<1024x512xf16>, tensor<1024x512xf16>) -> tensor<512x512xf16>
  return %d : tensor<512x512xf16>
}

// -----

// What computes a part of B does not join with the vectors of A.
// KERNEL: kernel.func @both_gemm
// KERNEL-SAME: tensor_maps
// CHECK-LABEL: func.func @both(
// CHECK: %[[W:.*]] = kernel.dispatch loop(%arg2)
// CHECK: flatir.reshape
// CHECK: kernel.dispatch gemm(%arg1, %arg0, %[[W]])
func.func @both(%x: tensor<4096x1024xf16>, %s: tensor<1x1024xf16>, %w: tensor<2048x512x1xf16>) -> tensor<4096x512xf16> {
  %r = flatir.reshape %s sizes() : tensor<1x1024xf16> -> tensor<1024xf16>
  %b = flatir.broadcast %r dims = [1] sizes() : tensor<1024xf16> -> tensor<4096x1024xf16>
  %a = flatir.mul %x, %b : tensor<4096x1024xf16>
  %v = flatir.transpose %w [1, 0, 2] : tensor<2048x512x1xf16> -> tensor<512x2048x1xf16>
  %f = flatir.reshape %v sizes() : tensor<512x2048x1xf16> -> tensor<512x2048xf16>
  %p = flatir.slice %f [0, 0] strides = [1, 1] sizes() : tensor<512x2048xf16> -> tensor<512x1024xf16>
  %d = flatir.dot %a, %p batch = [] x [] contract = [1] x [1] : (tensor<4096x1024xf16>, tensor<512x1024xf16>) -> tensor<4096x512xf16>
  return %d : tensor<4096x512xf16>
}
