// RUN: tripy-opt %s --flatir-form-dispatches --mlir-print-local-scope --mlir-print-debuginfo | FileCheck %s

// A kernel has at most 24 buffers.

// Thirty inputs are joined in steps, in two kernels.
// CHECK-LABEL: func.func @join(
// CHECK: %[[A:.*]] = kernel.dispatch loop(%arg0, %arg1, {{.*}}%arg15)
// CHECK: flatir.concatenate {{.*}} loc(fused<#tripy.why<rule = "split", reason = "join many tensors in steps; a kernel has few buffers">>
// CHECK: kernel.dispatch loop(%arg16, {{.*}}%arg29, %[[A]])
// CHECK-NOT: kernel.dispatch
func.func @join(%a0: tensor<1x2xf32>, %a1: tensor<1x2xf32>, %a2: tensor<1x2xf32>, %a3: tensor<1x2xf32>, %a4: tensor<1x2xf32>, %a5: tensor<1x2xf32>, %a6: tensor<1x2xf32>, %a7: tensor<1x2xf32>, %a8: tensor<1x2xf32>, %a9: tensor<1x2xf32>, %a10: tensor<1x2xf32>, %a11: tensor<1x2xf32>, %a12: tensor<1x2xf32>, %a13: tensor<1x2xf32>, %a14: tensor<1x2xf32>, %a15: tensor<1x2xf32>, %a16: tensor<1x2xf32>, %a17: tensor<1x2xf32>, %a18: tensor<1x2xf32>, %a19: tensor<1x2xf32>, %a20: tensor<1x2xf32>, %a21: tensor<1x2xf32>, %a22: tensor<1x2xf32>, %a23: tensor<1x2xf32>, %a24: tensor<1x2xf32>, %a25: tensor<1x2xf32>, %a26: tensor<1x2xf32>, %a27: tensor<1x2xf32>, %a28: tensor<1x2xf32>, %a29: tensor<1x2xf32>) -> tensor<30x2xf32> {
  %r = flatir.concatenate %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %a10, %a11, %a12, %a13, %a14, %a15, %a16, %a17, %a18, %a19, %a20, %a21, %a22, %a23, %a24, %a25, %a26, %a27, %a28, %a29 dim = 0 : (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<30x2xf32>
  return %r : tensor<30x2xf32>
}

// A long sum of arguments is cut where the buffers end.
// CHECK-LABEL: func.func @sum(
// CHECK: %[[S:.*]] = kernel.dispatch loop(%arg0, %arg1, {{.*}}) sizes() sizeArgs = []
// CHECK: kernel.dispatch loop({{.*}}%[[S]]{{.*}}%arg29)
// CHECK-NOT: kernel.dispatch
func.func @sum(%a0: tensor<2xf32>, %a1: tensor<2xf32>, %a2: tensor<2xf32>, %a3: tensor<2xf32>, %a4: tensor<2xf32>, %a5: tensor<2xf32>, %a6: tensor<2xf32>, %a7: tensor<2xf32>, %a8: tensor<2xf32>, %a9: tensor<2xf32>, %a10: tensor<2xf32>, %a11: tensor<2xf32>, %a12: tensor<2xf32>, %a13: tensor<2xf32>, %a14: tensor<2xf32>, %a15: tensor<2xf32>, %a16: tensor<2xf32>, %a17: tensor<2xf32>, %a18: tensor<2xf32>, %a19: tensor<2xf32>, %a20: tensor<2xf32>, %a21: tensor<2xf32>, %a22: tensor<2xf32>, %a23: tensor<2xf32>, %a24: tensor<2xf32>, %a25: tensor<2xf32>, %a26: tensor<2xf32>, %a27: tensor<2xf32>, %a28: tensor<2xf32>, %a29: tensor<2xf32>) -> tensor<2xf32> {
  %s1 = flatir.add %a0, %a1 : tensor<2xf32>
  %s2 = flatir.add %s1, %a2 : tensor<2xf32>
  %s3 = flatir.add %s2, %a3 : tensor<2xf32>
  %s4 = flatir.add %s3, %a4 : tensor<2xf32>
  %s5 = flatir.add %s4, %a5 : tensor<2xf32>
  %s6 = flatir.add %s5, %a6 : tensor<2xf32>
  %s7 = flatir.add %s6, %a7 : tensor<2xf32>
  %s8 = flatir.add %s7, %a8 : tensor<2xf32>
  %s9 = flatir.add %s8, %a9 : tensor<2xf32>
  %s10 = flatir.add %s9, %a10 : tensor<2xf32>
  %s11 = flatir.add %s10, %a11 : tensor<2xf32>
  %s12 = flatir.add %s11, %a12 : tensor<2xf32>
  %s13 = flatir.add %s12, %a13 : tensor<2xf32>
  %s14 = flatir.add %s13, %a14 : tensor<2xf32>
  %s15 = flatir.add %s14, %a15 : tensor<2xf32>
  %s16 = flatir.add %s15, %a16 : tensor<2xf32>
  %s17 = flatir.add %s16, %a17 : tensor<2xf32>
  %s18 = flatir.add %s17, %a18 : tensor<2xf32>
  %s19 = flatir.add %s18, %a19 : tensor<2xf32>
  %s20 = flatir.add %s19, %a20 : tensor<2xf32>
  %s21 = flatir.add %s20, %a21 : tensor<2xf32>
  %s22 = flatir.add %s21, %a22 : tensor<2xf32>
  %s23 = flatir.add %s22, %a23 : tensor<2xf32>
  %s24 = flatir.add %s23, %a24 : tensor<2xf32>
  %s25 = flatir.add %s24, %a25 : tensor<2xf32>
  %s26 = flatir.add %s25, %a26 : tensor<2xf32>
  %s27 = flatir.add %s26, %a27 : tensor<2xf32>
  %s28 = flatir.add %s27, %a28 : tensor<2xf32>
  %s29 = flatir.add %s28, %a29 : tensor<2xf32>
  return %s29 : tensor<2xf32>
}
