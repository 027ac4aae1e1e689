// RUN: tripy-opt %s --trace-to-flatir --canonicalize --cse --flatir-form-dispatches | FileCheck %s

// A kernel has at most 20 buffers while it grows. Constants are no buffers, even if another kernel reads them too: each kernel makes
// its own, and none is written to memory. The loop kernels read 20 tensors and six constants that the contraction reads as well.
// CHECK-LABEL: func.func @main(
// CHECK-NOT: kernel.dispatch {{.*}}tensor<f32>
// CHECK: kernel.dispatch gemm(%arg0, %arg1) {{.*}} -> tensor<8x8xf32>
// CHECK-COUNT-6: flatir.constant
// CHECK-NOT: kernel.dispatch
func.func @main(%x0: tensor<8x8xf32>, %x1: tensor<8x8xf32>, %x2: tensor<8x8xf32>, %x3: tensor<8x8xf32>, %x4: tensor<8x8xf32>, %x5: tensor<8x8xf32>, %x6: tensor<8x8xf32>, %x7: tensor<8x8xf32>, %x8: tensor<8x8xf32>, %x9: tensor<8x8xf32>, %x10: tensor<8x8xf32>, %x11: tensor<8x8xf32>, %x12: tensor<8x8xf32>, %x13: tensor<8x8xf32>, %x14: tensor<8x8xf32>, %x15: tensor<8x8xf32>, %x16: tensor<8x8xf32>, %x17: tensor<8x8xf32>, %x18: tensor<8x8xf32>, %x19: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %c0 = trace.full [] value = 0.1 : f32 -> tensor<f32>
  %c1 = trace.full [] value = 0.2 : f32 -> tensor<f32>
  %c2 = trace.full [] value = 0.3 : f32 -> tensor<f32>
  %c3 = trace.full [] value = 0.4 : f32 -> tensor<f32>
  %c4 = trace.full [] value = 0.5 : f32 -> tensor<f32>
  %c5 = trace.full [] value = 0.6 : f32 -> tensor<f32>
  %a0 = trace.mul %x0, %c0 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %a1 = trace.mul %x1, %c1 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %s1 = trace.add %a0, %a1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %a2 = trace.mul %x2, %c2 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %s2 = trace.add %s1, %a2 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %a3 = trace.mul %x3, %c3 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %s3 = trace.add %s2, %a3 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %a4 = trace.mul %x4, %c4 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %s4 = trace.add %s3, %a4 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %a5 = trace.mul %x5, %c5 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %s5 = trace.add %s4, %a5 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %a6 = trace.mul %x6, %c0 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %s6 = trace.add %s5, %a6 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %a7 = trace.mul %x7, %c1 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %s7 = trace.add %s6, %a7 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %a8 = trace.mul %x8, %c2 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %s8 = trace.add %s7, %a8 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %a9 = trace.mul %x9, %c3 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %s9 = trace.add %s8, %a9 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %a10 = trace.mul %x10, %c4 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %s10 = trace.add %s9, %a10 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %a11 = trace.mul %x11, %c5 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %s11 = trace.add %s10, %a11 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %a12 = trace.mul %x12, %c0 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %s12 = trace.add %s11, %a12 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %a13 = trace.mul %x13, %c1 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %s13 = trace.add %s12, %a13 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %a14 = trace.mul %x14, %c2 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %s14 = trace.add %s13, %a14 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %a15 = trace.mul %x15, %c3 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %s15 = trace.add %s14, %a15 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %a16 = trace.mul %x16, %c4 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %s16 = trace.add %s15, %a16 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %a17 = trace.mul %x17, %c5 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %s17 = trace.add %s16, %a17 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %a18 = trace.mul %x18, %c0 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %s18 = trace.add %s17, %a18 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %a19 = trace.mul %x19, %c1 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %s19 = trace.add %s18, %a19 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m = trace.matmul %x0, %x1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %r0 = trace.add %m, %c0 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %r1 = trace.mul %r0, %c1 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %r2 = trace.add %r1, %c2 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %r3 = trace.mul %r2, %c3 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %r4 = trace.add %r3, %c4 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  %r5 = trace.mul %r4, %c5 : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
  return %s19, %r5 : tensor<8x8xf32>, tensor<8x8xf32>
}
