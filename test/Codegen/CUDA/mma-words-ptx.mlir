// The machine code of products whose rows begin within words: a main loop of
// loads of words, at fixed distances from one pointer, and shifts, without index
// arithmetic, and at full residency.
//
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --implicit-check-not=.local

// A thread's lines are 32 rows apart, 31936 bytes. The fifth word of a piece is
// read where its line begins within a word.
// CHECK: .entry main_gemm_0_dot
// CHECK: .minnctapersm 3
// CHECK: mma.sync
// CHECK: shf.r.wrap.b32
// CHECK-NEXT: shf.r.wrap.b32
// CHECK-NEXT: shf.r.wrap.b32
// CHECK-NEXT: shf.r.wrap.b32
// CHECK: st.shared.v4.b32
// CHECK: mma.sync
// CHECK: ld.global.b32 %r{{[0-9]+}}, [%[[LINE:rd[0-9]+]]+0];
// CHECK-NOT: {{add|mul|mad|shl|selp|setp|b16}}
// CHECK: @%p{{[0-9]+}} ld.global.b32 %r{{[0-9]+}}, [%[[LINE]]+16];
// CHECK-NOT: {{add|mul|mad|shl|selp|setp|b16}}
// CHECK: @%p{{[0-9]+}} ld.global.b32 %r{{[0-9]+}}, [%[[LINE]]+95824];
func.func @main(%a: tensor<64x512x499xf16>, %b: tensor<64x499x64xf16>) -> tensor<64x512x64xf16> {
  %0 = trace.matmul %a, %b : (tensor<64x512x499xf16>, tensor<64x499x64xf16>) -> tensor<64x512x64xf16>
  return %0 : tensor<64x512x64xf16>
}
