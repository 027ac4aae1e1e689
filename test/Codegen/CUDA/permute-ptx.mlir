// The machine code of a permute with three channels: 16 bytes on both sides,
// nothing in local memory, and no division of 64 bits.
//
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --implicit-check-not=.local --implicit-check-not=div --implicit-check-not=rem.u64

// CHECK: .entry main_
// CHECK: .maxntid 256
// CHECK-COUNT-3: ld.global.{{(nc.)?}}v4.b32
// CHECK-COUNT-3: st.shared.v4.b32
// CHECK: bar
// CHECK-COUNT-24: ld.shared.b16
// CHECK-NOT: ld.global
// CHECK: st.global.v4.b32
func.func @main(%a: tensor<32x3x224x224xf16>) -> tensor<32x224x224x3xf16> {
  %0 = trace.permute %a [0, 2, 3, 1] : (tensor<32x3x224x224xf16>) -> tensor<32x224x224x3xf16>
  return %0 : tensor<32x224x224x3xf16>
}
