// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s

// Rows are copied 16 bytes at a time; the index is read once for all of them.
// CHECK: .entry
// CHECK: ld.global.s32
// CHECK: ld.global{{.*}}v4.b32
// CHECK-NOT: ld.global
// CHECK: st.global{{.*}}v4.b32
// CHECK-NOT: st.global
func.func @main(%w: tensor<1000x1024xf16> {tripy.name = "w"}, %i: tensor<64xi32> {tripy.name = "i"}) -> (tensor<64x1024xf16> {tripy.name = "y"}) {
  %0 = trace.embedding %w, %i : (tensor<1000x1024xf16>, tensor<64xi32>) -> tensor<64x1024xf16>
  return %0 : tensor<64x1024xf16>
}
