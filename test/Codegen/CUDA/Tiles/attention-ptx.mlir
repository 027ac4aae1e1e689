// The machine code of attention at the tile level: both products of a block of keys are under way before the first one
// is awaited, powers are computed before the second one is, and nothing lies in local memory.
//
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --implicit-check-not=.local

// CHECK: .entry main_
// CHECK: .maxntid 384
// CHECK: setmaxnreg.inc.sync.aligned.u32 224
// CHECK: {{^}}$L__BB0_[[LOOP:[0-9]+]]:
// CHECK: bar.sync %r{{[0-9]+}}, 256
// CHECK: wgmma.fence.sync.aligned
// CHECK-COUNT-8: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
// CHECK: wgmma.commit_group.sync.aligned
// CHECK-NOT: wgmma.wait_group
// CHECK-COUNT-8: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
// CHECK: wgmma.commit_group.sync.aligned
// CHECK: bar.arrive %r{{[0-9]+}}, 256
// CHECK: wgmma.wait_group.sync.aligned 1
// CHECK-COUNT-4: shfl.sync.bfly.b32
// CHECK-COUNT-66: ex2.approx.ftz.f32
// CHECK-NOT: ex2
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK: setmaxnreg.dec.sync.aligned.u32 56
// CHECK: cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
func.func @main(%q: tensor<4x32x2048x128xf16>, %k: tensor<4x32x2048x128xf16>, %v: tensor<4x32x2048x128xf16>) -> tensor<4x32x2048x128xf16> {
  %0 = trace.attention %q, %k, %v : (tensor<4x32x2048x128xf16>, tensor<4x32x2048x128xf16>, tensor<4x32x2048x128xf16>) -> tensor<4x32x2048x128xf16>
  return %0 : tensor<4x32x2048x128xf16>
}
