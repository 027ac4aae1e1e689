// A division by 1 + a power needs no look at the size of the divisor: a product, a power, a fused multiply-add, a reciprocal and
// two products are a silu.
//
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --implicit-check-not=selp --implicit-check-not=div.

// CHECK-COUNT-8: ex2.approx
// CHECK: fma.rn.f32 {{.*}}, 0f3D800000, 0f3D800000
// CHECK: rcp.approx.ftz
func.func @main(%x: tensor<48000x384xbf16>) -> tensor<48000x384xbf16> {
  %0 = trace.silu %x : (tensor<48000x384xbf16>) -> tensor<48000x384xbf16>
  return %0 : tensor<48000x384xbf16>
}
