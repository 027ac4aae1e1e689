// x plus a transpose, with rows of an odd number of 2 bytes on both sides: all
// but the ends of rows are read and written as words of 4 bytes, and all words
// are asked for before one is stored. Nothing in local memory.
//
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --implicit-check-not=.local

// CHECK: .entry main_
// CHECK: .maxntid 256
// CHECK-NOT: st.shared
// CHECK-COUNT-17: ld.global.{{(nc.)?}}b32
// CHECK-NOT: ld.global.{{(nc.)?}}b32
// CHECK-COUNT-9: st.shared.b32
// The last element of y.
// CHECK: ld.global.{{(nc.)?}}b16
// CHECK-NOT: st.global.b16
// CHECK-COUNT-8: st.global.b32
// Rows' ends.
// CHECK-COUNT-2: st.global.b16
// CHECK-NOT: st.global
func.func @main(%x: tensor<2587x5187xf16>, %y: tensor<5187x2587xf16>) -> tensor<2587x5187xf16> {
  %0 = trace.permute %y [1, 0] : (tensor<5187x2587xf16>) -> tensor<2587x5187xf16>
  %1 = trace.add %x, %0 : (tensor<2587x5187xf16>, tensor<2587x5187xf16>) -> tensor<2587x5187xf16>
  return %1 : tensor<2587x5187xf16>
}
