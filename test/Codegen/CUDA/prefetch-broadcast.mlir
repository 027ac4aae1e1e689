// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s
// RUN: tripy-compile %s --function=rows --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=ROWS

// Threads that start early bring the large operand to the L2 cache. All of them would ask for the same lines of the bias: it stays out.
// CHECK: .entry main_
// CHECK-COUNT-1: prefetch.global.L2
// CHECK-NOT: prefetch.global.L2
// CHECK: griddepcontrol.wait
func.func @main(%x: tensor<16x71x12x64xf32>, %b: tensor<64xf32>) -> tensor<16x71x12x64xf32> {
  %0 = trace.add %x, %b : (tensor<16x71x12x64xf32>, tensor<64xf32>) -> tensor<16x71x12x64xf32>
  return %0 : tensor<16x71x12x64xf32>
}

// Nor is a mask that all rows have, where a block has several of them.
// ROWS: .entry rows_
// ROWS-COUNT-1: prefetch.global.L2
// ROWS-NOT: prefetch.global.L2
// ROWS: griddepcontrol.wait
func.func @rows(%x: tensor<192x81x64xf16>, %mask: tensor<64xf16>) -> tensor<192x81x64xf16> {
  %0 = trace.add %x, %mask : (tensor<192x81x64xf16>, tensor<64xf16>) -> tensor<192x81x64xf16>
  %1 = trace.softmax %0 dim = -1 : (tensor<192x81x64xf16>) -> tensor<192x81x64xf16>
  return %1 : tensor<192x81x64xf16>
}
