// The machine code of contractions on the tensor cores of warps: wide accesses,
// nothing in local memory, and a zero fill instead of branches at the edges.
//
// RUN: tripy-compile %s --target=cuda:sm_80 --stop-after=ptx -o - | FileCheck %s --implicit-check-not=.local --implicit-check-not=global.b16 --implicit-check-not=ld.shared.b16 --implicit-check-not=st.shared.b16 --implicit-check-not=global.nc.b16
// RUN: tripy-compile %s --target=cuda:sm_89 --stop-after=ptx -o - | FileCheck %s --implicit-check-not=.local

// CHECK: .entry main_
// CHECK: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16, %r
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK: {{^}}$L__BB0_1:
// CHECK: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16, %r
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: bra {{.*}}$L__BB0_1
// CHECK: bar.warp.sync
// CHECK: ld.shared.v4.b32
// CHECK: st.global.v4.b32
func.func @main(%a: tensor<4092x4096xf16>, %b: tensor<4096x4096xf16>) -> tensor<4092x4096xf16> {
  %0 = trace.matmul %a, %b : (tensor<4092x4096xf16>, tensor<4096x4096xf16>) -> tensor<4092x4096xf16>
  %1 = trace.relu %0 : (tensor<4092x4096xf16>) -> tensor<4092x4096xf16>
  return %1 : tensor<4092x4096xf16>
}
