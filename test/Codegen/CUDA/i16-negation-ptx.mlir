// -x of i16, a part of |x| too, is computed in 32 bits: the assembler takes the
// results of 16-bit instructions to fit where they are widened.
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s
// RUN: tripy-compile %s --target=cuda:sm_90a -o %t.tpx
// RUN: %emulated tripy-run %t.tpx --device=cuda:0 --input x=3xi16=-32768,5,-7 | FileCheck %s --check-prefix=VALUES
// CHECK-NOT: {{neg|abs}}.s16
// CHECK-COUNT-2: sub.s32 %{{r[0-9]+}}, 0, %r
// CHECK-NOT: {{neg|abs}}.s16
// VALUES: result0 = tensor([-32768, -5, 7]
// VALUES: result1 = tensor([-32768, 5, 7]
func.func @main(%x: tensor<3xi16> {tripy.name = "x"}) -> (tensor<3xi32>, tensor<3xi32>) {
  %n = trace.neg %x : (tensor<3xi16>) -> tensor<3xi16>
  %a = trace.abs %x : (tensor<3xi16>) -> tensor<3xi16>
  %0 = trace.cast %n to i32 : (tensor<3xi16>) -> tensor<3xi32>
  %1 = trace.cast %a to i32 : (tensor<3xi16>) -> tensor<3xi32>
  return %0, %1 : tensor<3xi32>, tensor<3xi32>
}
