// RUN: tripy-compile %s --target=cuda --stop-after=ptx -o - | FileCheck %s

// PTX's shl limits the amount, but takes 32 bits of it: amounts of 2^32 and
// more are compared as 64 bits, and the result is chosen.
// CHECK: setp.lt.u64 [[INSIDE:%p[0-9]+]], {{%rd[0-9]+}}, 64;
// CHECK: selp.b64 {{%rd[0-9]+}}, {{%rd[0-9]+}}, 0, [[INSIDE]];
func.func @main(%x: tensor<6xi64>, %amount: tensor<6xi64>) -> tensor<6xi64> {
  %0 = trace.shift_left %x, %amount : (tensor<6xi64>, tensor<6xi64>) -> tensor<6xi64>
  return %0 : tensor<6xi64>
}
