// RUN: tripy-opt %s --split-input-file --flatir-form-dispatches=tensor-cores --kernel-outline --flatir-to-linalg --kernel-library-candidates=always | FileCheck %s
// RUN: tripy-opt %s --split-input-file --flatir-form-dispatches=tensor-cores --kernel-outline --flatir-to-linalg --kernel-library-candidates=always --remark-format=emitRemark --remarks-filter=libraries -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tripy-opt %s --split-input-file --flatir-form-dispatches=tensor-cores --kernel-outline --flatir-to-linalg --kernel-library-candidates=chip=sm_90a --remark-format=emitRemark --remarks-filter=libraries -o /dev/null 2>&1 | FileCheck %s --check-prefix=AUTO

// RUN: tripy-opt %s --split-input-file --flatir-form-dispatches=tensor-cores --kernel-outline --flatir-to-linalg --kernel-library-candidates=chip=sm_80 --remark-format=emitRemark --remarks-filter=libraries -o /dev/null 2>&1 | FileCheck %s --check-prefix=OLD

// Which products a library may compute, and why not others.

// Several dimensions of rows are one.
// CHECK-LABEL: func.func @rows
// CHECK: kernel.func @rows_gemm_0_dot
// CHECK-SAME: product = #kernel.product<a = 0, b = 1, bias = -1, transposedA = false, transposedB = true, allowTF32 = false, batch = 1, m = 256, n = 1024, k = 512>
// REMARK: remark: [Passed] candidate | Category:libraries | Function=rows_gemm_0_dot | Remark="cuBLASLt is a candidate for 256x1024x512 nt batch=1; taken where the library is there"
// AUTO: remark: [Missed] declined | Category:libraries | Function=rows_gemm_0_dot | Remark="cuBLASLt is a candidate for 256x1024x512 nt batch=1; {{[0-9]+}} cycles by the model, {{[0-9]+}} of the own kernel; declined"
func.func @rows(%x: tensor<4x64x512xf16>, %w: tensor<1024x512xf16>) -> tensor<4x64x1024xf16> {
  %0 = flatir.dot %x, %w batch = [] x [] contract = [2] x [1] : (tensor<4x64x512xf16>, tensor<1024x512xf16>) -> tensor<4x64x1024xf16>
  return %0 : tensor<4x64x1024xf16>
}

// -----

// CHECK-LABEL: func.func @batched
// CHECK: product = #kernel.product<a = 0, b = 1, bias = -1, transposedA = false, transposedB = false, allowTF32 = false, batch = 8, m = 64, n = 128, k = 32>
func.func @batched(%x: tensor<2x4x64x32xbf16>, %w: tensor<2x4x32x128xbf16>) -> tensor<2x4x64x128xf32> {
  %0 = flatir.dot %x, %w batch = [0, 1] x [0, 1] contract = [3] x [2] : (tensor<2x4x64x32xbf16>, tensor<2x4x32x128xbf16>) -> tensor<2x4x64x128xf32>
  return %0 : tensor<2x4x64x128xf32>
}

// -----

// CHECK-LABEL: func.func @transposed
// CHECK: product = #kernel.product<a = 0, b = 1, bias = -1, transposedA = true, transposedB = false, allowTF32 = true, batch = 1, m = 64, n = 128, k = 32>
func.func @transposed(%x: tensor<32x64xf32>, %w: tensor<32x128xf32>) -> tensor<64x128xf32> {
  %0 = flatir.dot %x, %w batch = [] x [] contract = [0] x [0] allow_tf32 : (tensor<32x64xf32>, tensor<32x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// -----

// CHECK-LABEL: func.func @f8
// CHECK: product = #kernel.product<a = 0, b = 1, bias = -1, transposedA = false, transposedB = true, allowTF32 = false, batch = 1, m = 64, n = 128, k = 32>
func.func @f8(%x: tensor<64x32xf8E4M3FN>, %w: tensor<128x32xf8E4M3FN>) -> tensor<64x128xbf16> {
  %0 = flatir.dot %x, %w batch = [] x [] contract = [1] x [1] : (tensor<64x32xf8E4M3FN>, tensor<128x32xf8E4M3FN>) -> tensor<64x128xbf16>
  return %0 : tensor<64x128xbf16>
}

// -----

// A bias of f32 is added before anything is rounded, on either side.
// CHECK-LABEL: func.func @bias
// CHECK: product = #kernel.product<a = 1, b = 2, bias = 0, {{.*}} m = 64, n = 128, k = 32>
func.func @bias(%x: tensor<64x32xf32>, %w: tensor<128x32xf32>, %b: tensor<128xf32>) -> tensor<64x128xf32> {
  %0 = flatir.dot %x, %w batch = [] x [] contract = [1] x [1] : (tensor<64x32xf32>, tensor<128x32xf32>) -> tensor<64x128xf32>
  %1 = flatir.broadcast %b dims = [1] sizes() : tensor<128xf32> -> tensor<64x128xf32>
  %2 = flatir.add %1, %0 : tensor<64x128xf32>
  return %2 : tensor<64x128xf32>
}

// -----

// The sum is rounded to f16, then the bias is added: a library rounds once.
// CHECK-LABEL: func.func @rounded
// CHECK-NOT: product =
// REMARK: Function=rounded_gemm_0_dot_add | Remark="cuBLASLt is no candidate: the kernel has an epilogue other than a bias of f32, the only one that the library computes with the same roundings"
func.func @rounded(%x: tensor<64x32xf16>, %w: tensor<128x32xf16>, %b: tensor<128xf16>) -> tensor<64x128xf16> {
  %0 = flatir.dot %x, %w batch = [] x [] contract = [1] x [1] : (tensor<64x32xf16>, tensor<128x32xf16>) -> tensor<64x128xf16>
  %1 = flatir.broadcast %b dims = [1] sizes() : tensor<128xf16> -> tensor<64x128xf16>
  %2 = flatir.add %0, %1 : tensor<64x128xf16>
  return %2 : tensor<64x128xf16>
}

// -----

// A bias of each row is none of the library's.
// CHECK-LABEL: func.func @column
// CHECK-NOT: product =
// REMARK: Function=column_gemm_0_dot_add | Remark="cuBLASLt is no candidate: the kernel has an epilogue other than
func.func @column(%x: tensor<64x32xf32>, %w: tensor<64x32xf32>, %b: tensor<64xf32>) -> tensor<64x64xf32> {
  %0 = flatir.dot %x, %w batch = [] x [] contract = [1] x [1] : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x64xf32>
  %1 = flatir.broadcast %b dims = [0] sizes() : tensor<64xf32> -> tensor<64x64xf32>
  %2 = flatir.add %0, %1 : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// -----

// CHECK-LABEL: func.func @activated
// CHECK-NOT: product =
// REMARK: Function=activated_gemm_0_dot_tanh | Remark="cuBLASLt is no candidate: the kernel has an epilogue other than
func.func @activated(%x: tensor<64x32xf32>, %w: tensor<128x32xf32>) -> tensor<64x128xf32> {
  %0 = flatir.dot %x, %w batch = [] x [] contract = [1] x [1] : (tensor<64x32xf32>, tensor<128x32xf32>) -> tensor<64x128xf32>
  %1 = flatir.tanh %0 : tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
}

// -----

// CHECK-LABEL: func.func @dynamic
// CHECK-NOT: product =
// REMARK: Function=dynamic_gemm_0_dot | Remark="cuBLASLt is no candidate: the kernel has dynamic sizes"
func.func @dynamic(%x: tensor<?x32xf16>, %w: tensor<128x32xf16>) -> tensor<?x128xf16> {
  %0 = flatir.dot %x, %w batch = [] x [] contract = [1] x [1] : (tensor<?x32xf16>, tensor<128x32xf16>) -> tensor<?x128xf16>
  return %0 : tensor<?x128xf16>
}

// -----

// Beyond 448, f8 is NaN here and 448 there.
// CHECK-LABEL: func.func @saturated
// CHECK-NOT: product =
// REMARK: Function=saturated_gemm_0_dot | Remark="cuBLASLt is no candidate: the kernel has types that the library does not support"
func.func @saturated(%x: tensor<64x32xf8E4M3FN>, %w: tensor<128x32xf8E4M3FN>) -> tensor<64x128xf8E4M3FN> {
  %0 = flatir.dot %x, %w batch = [] x [] contract = [1] x [1] : (tensor<64x32xf8E4M3FN>, tensor<128x32xf8E4M3FN>) -> tensor<64x128xf8E4M3FN>
  return %0 : tensor<64x128xf8E4M3FN>
}

// -----

// CHECK-LABEL: func.func @integers
// CHECK-NOT: product =
// REMARK: Function=integers_gemm_0_dot | Remark="cuBLASLt is no candidate: the kernel has types
func.func @integers(%x: tensor<64x32xi32>, %w: tensor<128x32xi32>) -> tensor<64x128xi32> {
  %0 = flatir.dot %x, %w batch = [] x [] contract = [1] x [1] : (tensor<64x32xi32>, tensor<128x32xi32>) -> tensor<64x128xi32>
  return %0 : tensor<64x128xi32>
}

// -----

// CHECK-LABEL: func.func @part
// CHECK-NOT: product =
// REMARK: Function=part_gemm_0_{{.*}} | Remark="cuBLASLt is no candidate: the kernel has an operand that is not a whole tensor in memory"
func.func @part(%x: tensor<64x64xf16>, %w: tensor<128x32xf16>) -> tensor<64x128xf16> {
  %s = flatir.slice %x [0, 0] strides = [1, 1] sizes() : tensor<64x64xf16> -> tensor<64x32xf16>
  %0 = flatir.dot %s, %w batch = [] x [] contract = [1] x [1] : (tensor<64x32xf16>, tensor<128x32xf16>) -> tensor<64x128xf16>
  return %0 : tensor<64x128xf16>
}

// -----

// Two products of one operand are one kernel.
// CHECK-LABEL: func.func @gated
// CHECK-NOT: product =
// REMARK: Function=gated_gemm_0_{{.*}} | Remark="cuBLASLt is no candidate: the kernel has more than one contraction
func.func @gated(%x: tensor<64x32xf16>, %w: tensor<128x32xf16>, %v: tensor<128x32xf16>) -> tensor<64x128xf16> {
  %0 = flatir.dot %x, %w batch = [] x [] contract = [1] x [1] : (tensor<64x32xf16>, tensor<128x32xf16>) -> tensor<64x128xf16>
  %1 = flatir.dot %x, %v batch = [] x [] contract = [1] x [1] : (tensor<64x32xf16>, tensor<128x32xf16>) -> tensor<64x128xf16>
  %2 = flatir.mul %0, %1 : tensor<64x128xf16>
  return %2 : tensor<64x128xf16>
}

// -----

// Exact f32 is level with the library.
// CHECK-LABEL: func.func @exact
// CHECK: product = #kernel.product<
// AUTO: remark: [Missed] declined | Category:libraries | Function=exact_gemm_0_dot | Remark="cuBLASLt is a candidate for 4096x4096x4096 nt batch=1; {{[0-9]+}} cycles by the model, {{[0-9]+}} of the own kernel; declined"
func.func @exact(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = flatir.dot %x, %w batch = [] x [] contract = [1] x [1] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// -----

// So are large products on wgmma. Without it the model expects more of the library.
// AUTO: remark: [Missed] declined | Category:libraries | Function=large_gemm_0_dot
// OLD: remark: [Passed] candidate | Category:libraries | Function=large_gemm_0_dot | Remark="cuBLASLt is a candidate for 4096x4096x4096 nt batch=1; {{[0-9]+}} cycles by the model, {{[0-9]+}} of the own kernel; taken where the library is there"
func.func @large(%x: tensor<4096x4096xf16>, %w: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %0 = flatir.dot %x, %w batch = [] x [] contract = [1] x [1] : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  return %0 : tensor<4096x4096xf16>
}

// -----

// AUTO: Function=vector_gemm_0_dot | Remark="cuBLASLt is a candidate for 1x4096x4096 nt batch=1; with few rows the own kernel reads the matrix as fast as memory delivers it; declined"
func.func @vector(%x: tensor<1x4096xf16>, %w: tensor<4096x4096xf16>) -> tensor<1x4096xf16> {
  %0 = flatir.dot %x, %w batch = [] x [] contract = [1] x [1] : (tensor<1x4096xf16>, tensor<4096x4096xf16>) -> tensor<1x4096xf16>
  return %0 : tensor<1x4096xf16>
}
