// The machine code of contractions on CUDA cores: wide accesses, nothing in
// local memory, and a zero fill instead of branches at the edges.
//
// RUN: tripy-compile %s --target=cuda:sm_90a --no-f32-tensor-cores --stop-after=ptx -o - | FileCheck %s --implicit-check-not=.local

// CHECK: .entry main_
// CHECK: .maxntid 128
// CHECK: .minnctapersm 2
// CHECK: cp.async.ca.shared.global [{{.*}}], [{{.*}}], 4
// CHECK: {{^}}$L__BB0_1:
// CHECK: ld.shared.v4
// CHECK-NOT: ld.shared.b32
// CHECK: cp.async.ca.shared.global [{{.*}}], [{{.*}}], 4, %r
// CHECK-NOT: ld.shared.b32
// CHECK: fma.rn.f32
// CHECK: bra {{.*}}$L__BB0_1
// CHECK: st.global.v4.b32
func.func @main(%a: tensor<4096x4096xf32>, %b: tensor<4096x4096xf32>, %bias: tensor<4096xf32>) -> tensor<4096x4096xf32> {
  %0 = trace.linear %a, %b, %bias : (tensor<4096x4096xf32>, tensor<4096x4096xf32>, tensor<4096xf32>) -> tensor<4096x4096xf32>
  %1 = trace.relu %0 : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %1 : tensor<4096x4096xf32>
}
