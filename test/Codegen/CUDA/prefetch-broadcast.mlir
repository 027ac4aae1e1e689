// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s

// Threads that start early bring the large operand to the L2 cache. All of them would ask for the same lines of the bias: it stays out.
// CHECK: .entry main_
// CHECK-COUNT-1: prefetch.global.L2
// CHECK-NOT: prefetch.global.L2
// CHECK: griddepcontrol.wait
func.func @main(%x: tensor<16x71x12x64xf32>, %b: tensor<64xf32>) -> tensor<16x71x12x64xf32> {
  %0 = trace.add %x, %b : (tensor<16x71x12x64xf32>, tensor<64xf32>) -> tensor<16x71x12x64xf32>
  return %0 : tensor<16x71x12x64xf32>
}
