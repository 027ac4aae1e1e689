// The machine code of attention on the tensor cores of warps: nothing in local memory, copies of 16 bytes, and
// stores as wide as the layout allows.
//
// RUN: tripy-compile %s --target=cuda:sm_80 --stop-after=ptx -o - | FileCheck %s --implicit-check-not=.local --implicit-check-not=ld.shared.b16 --implicit-check-not=st.shared.b16 --implicit-check-not=global.nc.b16
// RUN: tripy-compile %s --target=cuda:sm_90a --kernel-tiles=off --stop-after=ptx -o - | FileCheck %s --implicit-check-not=.local

// CHECK: .entry main_
// CHECK: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16, 16
// CHECK: {{^}}$L__BB0_[[LOOP:[0-9]+]]:
// CHECK: cp.async.wait_group 0
// CHECK: bar.sync 0
// CHECK: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16, %r
// CHECK: cp.async.commit_group
// CHECK-NOT: bar.sync
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK: ex2.approx
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// CHECK: bra {{.*}}$L__BB0_[[LOOP]]
// CHECK: bar.warp.sync
// CHECK: ld.shared.v4.b32
// CHECK: st.global.v4.b32
func.func @main(%q: tensor<2x8x512x128xf16>, %k: tensor<2x2x512x128xf16>, %v: tensor<2x2x512x128xf16>) -> tensor<2x8x512x128xf16> {
  %0 = trace.attention %q, %k, %v causal = "top_left" : (tensor<2x8x512x128xf16>, tensor<2x2x512x128xf16>, tensor<2x2x512x128xf16>) -> tensor<2x8x512x128xf16>
  return %0 : tensor<2x8x512x128xf16>
}
