// Layers of transformers as users write them: one kernel for attention, and none that only moves elements.
//
// RUN: tripy-opt %s --split-input-file --trace-to-flatir --tripy-simplify --tripy-cse --flatir-form-dispatches=tensor-cores=1 --kernel-outline --flatir-to-linalg | FileCheck %s

// Projections of their own, a mask that is added, a residual, and a dynamic batch, as in BERT.
// CHECK-LABEL: func.func @bert(
// CHECK: kernel.call @bert_gemm_0_
// CHECK-NEXT: kernel.call @bert_attention_1_sub_mul_attention(
// CHECK-NEXT: kernel.call @bert_gemm_2_dot_add(
// CHECK-NEXT: return
func.func @bert(%x: tensor<?x64x48xf16> {tripy.dims = ["b", "", ""]}, %m: tensor<?x1x1x64xf16> {tripy.dims = ["b", "", "", ""]}, %wq: tensor<48x48xf16>, %wk: tensor<48x48xf16>, %wv: tensor<48x48xf16>, %o: tensor<48x48xf16>) -> tensor<?x64x48xf16> {
  %b = trace.dim %x dim = 0 : (tensor<?x64x48xf16>) -> index
  %q0 = trace.linear %x, %wq : (tensor<?x64x48xf16>, tensor<48x48xf16>) -> tensor<?x64x48xf16>
  %k0 = trace.linear %x, %wk : (tensor<?x64x48xf16>, tensor<48x48xf16>) -> tensor<?x64x48xf16>
  %v0 = trace.linear %x, %wv : (tensor<?x64x48xf16>, tensor<48x48xf16>) -> tensor<?x64x48xf16>
  %q1 = trace.reshape %q0 to [%b, 64, 3, 16] : (tensor<?x64x48xf16>) -> tensor<?x64x3x16xf16>
  %k1 = trace.reshape %k0 to [%b, 64, 3, 16] : (tensor<?x64x48xf16>) -> tensor<?x64x3x16xf16>
  %v1 = trace.reshape %v0 to [%b, 64, 3, 16] : (tensor<?x64x48xf16>) -> tensor<?x64x3x16xf16>
  %q = trace.permute %q1 [0, 2, 1, 3] : (tensor<?x64x3x16xf16>) -> tensor<?x3x64x16xf16>
  %k = trace.permute %k1 [0, 2, 3, 1] : (tensor<?x64x3x16xf16>) -> tensor<?x3x16x64xf16>
  %v = trace.permute %v1 [0, 2, 1, 3] : (tensor<?x64x3x16xf16>) -> tensor<?x3x64x16xf16>
  %s = trace.matmul %q, %k : (tensor<?x3x64x16xf16>, tensor<?x3x16x64xf16>) -> tensor<?x3x64x64xf16>
  %c = trace.constant dense<4.0> : tensor<f16>
  %t = trace.div %s, %c : (tensor<?x3x64x64xf16>, tensor<f16>) -> tensor<?x3x64x64xf16>
  %one = trace.constant dense<1.0> : tensor<f16>
  %low = trace.constant dense<-1.0e4> : tensor<f16>
  %m1 = trace.sub %one, %m : (tensor<f16>, tensor<?x1x1x64xf16>) -> tensor<?x1x1x64xf16>
  %m2 = trace.mul %m1, %low : (tensor<?x1x1x64xf16>, tensor<f16>) -> tensor<?x1x1x64xf16>
  %u = trace.add %t, %m2 : (tensor<?x3x64x64xf16>, tensor<?x1x1x64xf16>) -> tensor<?x3x64x64xf16>
  %p = trace.softmax %u dim = 3 : (tensor<?x3x64x64xf16>) -> tensor<?x3x64x64xf16>
  %r = trace.matmul %p, %v : (tensor<?x3x64x64xf16>, tensor<?x3x64x16xf16>) -> tensor<?x3x64x16xf16>
  %1 = trace.permute %r [0, 2, 1, 3] : (tensor<?x3x64x16xf16>) -> tensor<?x64x3x16xf16>
  %2 = trace.reshape %1 to [%b, 64, 48] : (tensor<?x64x3x16xf16>) -> tensor<?x64x48xf16>
  %y = trace.linear %2, %o : (tensor<?x64x48xf16>, tensor<48x48xf16>) -> tensor<?x64x48xf16>
  %z = trace.add %y, %x : (tensor<?x64x48xf16>, tensor<?x64x48xf16>) -> tensor<?x64x48xf16>
  return %z : tensor<?x64x48xf16>
}

// -----

// Heads that share keys, a cache that keys are written to, a mask by positions, as in decoders: the softmax is of f32.
// Each cache is written by one kernel.
// CHECK-LABEL: func.func @decoder(
// CHECK: kernel.call @decoder_gemm_0_dot(
// CHECK-NEXT: kernel.call @decoder_gemm_1_dot(
// CHECK-NEXT: kernel.call @decoder_loop_2_update_slice(%arg3
// CHECK-NEXT: kernel.call @decoder_loop_2_update_slice(%arg3
// CHECK-NEXT: kernel.call @decoder_attention_3_add_compare_attention(
// CHECK-NEXT: kernel.call @decoder_gemm_0_dot(
// CHECK-NEXT: return
// CHECK: kernel.attention {{.*}} : (tensor<2x2x2x16x64xf16>, tensor<2x2x1x128x64xf16>, tensor<2x2x1x128x64xf16>, tensor<2x2x2x16x128xi1>)
func.func @decoder(%x: tensor<2x16x256xf16>, %keys: tensor<2x2x128x64xf16>, %values: tensor<2x2x128x64xf16>, %at: tensor<i32>, %wq: tensor<256x256xf16>, %wk: tensor<128x256xf16>, %wv: tensor<128x256xf16>, %o: tensor<256x256xf16>) -> (tensor<2x16x256xf16>, tensor<2x2x128x64xf16>, tensor<2x2x128x64xf16>) {
  %q0 = trace.linear %x, %wq : (tensor<2x16x256xf16>, tensor<256x256xf16>) -> tensor<2x16x256xf16>
  %k0 = trace.linear %x, %wk : (tensor<2x16x256xf16>, tensor<128x256xf16>) -> tensor<2x16x128xf16>
  %v0 = trace.linear %x, %wv : (tensor<2x16x256xf16>, tensor<128x256xf16>) -> tensor<2x16x128xf16>
  %q1 = trace.reshape %q0 to [2, 16, 4, 64] : (tensor<2x16x256xf16>) -> tensor<2x16x4x64xf16>
  %k1 = trace.reshape %k0 to [2, 16, 2, 64] : (tensor<2x16x128xf16>) -> tensor<2x16x2x64xf16>
  %v1 = trace.reshape %v0 to [2, 16, 2, 64] : (tensor<2x16x128xf16>) -> tensor<2x16x2x64xf16>
  %q = trace.permute %q1 [0, 2, 1, 3] : (tensor<2x16x4x64xf16>) -> tensor<2x4x16x64xf16>
  %k2 = trace.permute %k1 [0, 2, 1, 3] : (tensor<2x16x2x64xf16>) -> tensor<2x2x16x64xf16>
  %v2 = trace.permute %v1 [0, 2, 1, 3] : (tensor<2x16x2x64xf16>) -> tensor<2x2x16x64xf16>
  %kc = trace.update_slice %keys, %k2, %at dim = 2 : (tensor<2x2x128x64xf16>, tensor<2x2x16x64xf16>, tensor<i32>) -> tensor<2x2x128x64xf16>
  %vc = trace.update_slice %values, %v2, %at dim = 2 : (tensor<2x2x128x64xf16>, tensor<2x2x16x64xf16>, tensor<i32>) -> tensor<2x2x128x64xf16>
  %k3 = trace.reshape %kc to [2, 2, 1, 128, 64] : (tensor<2x2x128x64xf16>) -> tensor<2x2x1x128x64xf16>
  %k4 = trace.expand %k3 to [2, 2, 2, 128, 64] : (tensor<2x2x1x128x64xf16>) -> tensor<2x2x2x128x64xf16>
  %k5 = trace.reshape %k4 to [2, 4, 128, 64] : (tensor<2x2x2x128x64xf16>) -> tensor<2x4x128x64xf16>
  %v3 = trace.reshape %vc to [2, 2, 1, 128, 64] : (tensor<2x2x128x64xf16>) -> tensor<2x2x1x128x64xf16>
  %v4 = trace.expand %v3 to [2, 2, 2, 128, 64] : (tensor<2x2x1x128x64xf16>) -> tensor<2x2x2x128x64xf16>
  %v5 = trace.reshape %v4 to [2, 4, 128, 64] : (tensor<2x2x2x128x64xf16>) -> tensor<2x4x128x64xf16>
  %kt = trace.permute %k5 [0, 1, 3, 2] : (tensor<2x4x128x64xf16>) -> tensor<2x4x64x128xf16>
  %s = trace.matmul %q, %kt : (tensor<2x4x16x64xf16>, tensor<2x4x64x128xf16>) -> tensor<2x4x16x128xf16>
  %c = trace.constant dense<0.125> : tensor<f16>
  %t = trace.mul %s, %c : (tensor<2x4x16x128xf16>, tensor<f16>) -> tensor<2x4x16x128xf16>
  %row = trace.iota [16, 1] dim = 0 dtype = i32 -> tensor<16x1xi32>
  %column = trace.iota [1, 128] dim = 1 dtype = i32 -> tensor<1x128xi32>
  %last = trace.add %row, %at : (tensor<16x1xi32>, tensor<i32>) -> tensor<16x1xi32>
  %seen = trace.le %column, %last : (tensor<1x128xi32>, tensor<16x1xi32>) -> tensor<16x128xi1>
  %low = trace.constant dense<0xFC00> : tensor<f16>
  %u = trace.where %seen, %t, %low : (tensor<16x128xi1>, tensor<2x4x16x128xf16>, tensor<f16>) -> tensor<2x4x16x128xf16>
  %f = trace.cast %u to f32 : (tensor<2x4x16x128xf16>) -> tensor<2x4x16x128xf32>
  %p = trace.softmax %f dim = -1 : (tensor<2x4x16x128xf32>) -> tensor<2x4x16x128xf32>
  %p2 = trace.cast %p to f16 : (tensor<2x4x16x128xf32>) -> tensor<2x4x16x128xf16>
  %r = trace.matmul %p2, %v5 : (tensor<2x4x16x128xf16>, tensor<2x4x128x64xf16>) -> tensor<2x4x16x64xf16>
  %1 = trace.permute %r [0, 2, 1, 3] : (tensor<2x4x16x64xf16>) -> tensor<2x16x4x64xf16>
  %2 = trace.reshape %1 to [2, 16, 256] : (tensor<2x16x4x64xf16>) -> tensor<2x16x256xf16>
  %y = trace.linear %2, %o : (tensor<2x16x256xf16>, tensor<256x256xf16>) -> tensor<2x16x256xf16>
  return %y, %kc, %vc : tensor<2x16x256xf16>, tensor<2x2x128x64xf16>, tensor<2x2x128x64xf16>
}

// -----

// One token, and caches that are not returned: no kernel writes them, as attention reads the new rows where they are. The
// start is read by attention of both layers.
// CHECK-LABEL: func.func @token(
// CHECK-NEXT: %[[X:.*]] = kernel.call @token_gemm_0_dot_add(
// CHECK-NEXT: %[[Y:.*]] = kernel.call @token_attention_1_update_slice_attention(%[[X]], %arg3, %arg1, %arg2)
// CHECK-NEXT: kernel.call @token_gemm_2_dot_add(%[[Y]]
// CHECK-NEXT: kernel.call @token_gemm_0_dot_add(
// CHECK-NEXT: kernel.call @token_attention_1_update_slice_attention({{.*}}, %arg3, %arg1, %arg2)
// CHECK-NEXT: kernel.call @token_gemm_3_dot(
// CHECK-NEXT: return
func.func @token(%x: tensor<1x1x128xf16>, %keys: tensor<1x2x300x64xf16>, %values: tensor<1x2x300x64xf16>, %at: tensor<i32>, %w: tensor<384x128xf16>, %b: tensor<384xf16>, %o: tensor<128x128xf16>) -> tensor<1x1x128xf16> {
  %p0 = trace.linear %x, %w, %b : (tensor<1x1x128xf16>, tensor<384x128xf16>, tensor<384xf16>) -> tensor<1x1x384xf16>
  %s0:3 = trace.split %p0 dim = 2 parts = 3 : (tensor<1x1x384xf16>) -> (tensor<1x1x128xf16>, tensor<1x1x128xf16>, tensor<1x1x128xf16>)
  %q0 = trace.reshape %s0#0 to [1, 2, 1, 64] : (tensor<1x1x128xf16>) -> tensor<1x2x1x64xf16>
  %k0 = trace.reshape %s0#1 to [1, 2, 1, 64] : (tensor<1x1x128xf16>) -> tensor<1x2x1x64xf16>
  %v0 = trace.reshape %s0#2 to [1, 2, 1, 64] : (tensor<1x1x128xf16>) -> tensor<1x2x1x64xf16>
  %c0 = trace.update_slice %keys, %k0, %at dim = 2 : (tensor<1x2x300x64xf16>, tensor<1x2x1x64xf16>, tensor<i32>) -> tensor<1x2x300x64xf16>
  %d0 = trace.update_slice %values, %v0, %at dim = 2 : (tensor<1x2x300x64xf16>, tensor<1x2x1x64xf16>, tensor<i32>) -> tensor<1x2x300x64xf16>
  %a0 = trace.attention %q0, %c0, %d0 : (tensor<1x2x1x64xf16>, tensor<1x2x300x64xf16>, tensor<1x2x300x64xf16>) -> tensor<1x2x1x64xf16>
  %r0 = trace.reshape %a0 to [1, 1, 128] : (tensor<1x2x1x64xf16>) -> tensor<1x1x128xf16>
  %l = trace.linear %r0, %o : (tensor<1x1x128xf16>, tensor<128x128xf16>) -> tensor<1x1x128xf16>
  %y = trace.add %x, %l : (tensor<1x1x128xf16>, tensor<1x1x128xf16>) -> tensor<1x1x128xf16>
  %p1 = trace.linear %y, %w, %b : (tensor<1x1x128xf16>, tensor<384x128xf16>, tensor<384xf16>) -> tensor<1x1x384xf16>
  %s1:3 = trace.split %p1 dim = 2 parts = 3 : (tensor<1x1x384xf16>) -> (tensor<1x1x128xf16>, tensor<1x1x128xf16>, tensor<1x1x128xf16>)
  %q1 = trace.reshape %s1#0 to [1, 2, 1, 64] : (tensor<1x1x128xf16>) -> tensor<1x2x1x64xf16>
  %k1 = trace.reshape %s1#1 to [1, 2, 1, 64] : (tensor<1x1x128xf16>) -> tensor<1x2x1x64xf16>
  %v1 = trace.reshape %s1#2 to [1, 2, 1, 64] : (tensor<1x1x128xf16>) -> tensor<1x2x1x64xf16>
  %c1 = trace.update_slice %keys, %k1, %at dim = 2 : (tensor<1x2x300x64xf16>, tensor<1x2x1x64xf16>, tensor<i32>) -> tensor<1x2x300x64xf16>
  %d1 = trace.update_slice %values, %v1, %at dim = 2 : (tensor<1x2x300x64xf16>, tensor<1x2x1x64xf16>, tensor<i32>) -> tensor<1x2x300x64xf16>
  %a1 = trace.attention %q1, %c1, %d1 : (tensor<1x2x1x64xf16>, tensor<1x2x300x64xf16>, tensor<1x2x300x64xf16>) -> tensor<1x2x1x64xf16>
  %r1 = trace.reshape %a1 to [1, 1, 128] : (tensor<1x2x1x64xf16>) -> tensor<1x1x128xf16>
  %z = trace.linear %r1, %o : (tensor<1x1x128xf16>, tensor<128x128xf16>) -> tensor<1x1x128xf16>
  return %z : tensor<1x1x128xf16>
}
