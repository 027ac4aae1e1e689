// Attention of one token over a cache with a new row: a tile for each of two heads of keys, whose keys four blocks
// divide. These are a cluster, whose first block receives the sums of 2 x 64, the maxima and the totals of the others:
// 3 x 2 x 68 x 4 bytes of shared memory. Without clusters, or with more than eight blocks, they meet in a workspace.
// Copies are of 16 bytes, from the cache or from the new row. In the loop, warps wait for themselves alone.
//
// RUN: tripy-compile %s --target=cuda:sm_90a --attention-split=4 --stop-after=kernels -o - | FileCheck %s --check-prefix=CLUSTER
// CLUSTER: kernel.func @main_attention_0_update_slice_attention
// CLUSTER-SAME: grid = () -> (8, 1, 1), block = [128, 1, 1], cluster = [4, 1, 1], scratch = {{[0-9]+}}>
// RUN: tripy-compile %s --target=cuda:sm_80 --attention-split=4 --stop-after=kernels -o - | FileCheck %s --check-prefix=CONFIG
// CONFIG: kernel.func @main_attention_0_update_slice_attention
// CONFIG-SAME: grid = () -> (8, 1, 1), block = [128, 1, 1], cluster = [1, 1, 1], scratch = {{[0-9]+}} workspace = [4224, 8]
// RUN: tripy-compile %s --target=cuda:sm_90a --attention-split=9 --stop-after=kernels -o - | FileCheck %s --check-prefix=MANY
// MANY: cluster = [1, 1, 1], scratch = {{[0-9]+}} workspace = [9504, 8]
//
// RUN: tripy-compile %s --target=cuda:sm_90a --attention-split=2 --stop-after=ptx -o - | FileCheck %s --check-prefixes=CHECK,SENT --implicit-check-not=.local --implicit-check-not=st.shared.b16 --implicit-check-not=atom
// RUN: tripy-compile %s --target=cuda:sm_80 --attention-split=2 --stop-after=ptx -o - | FileCheck %s --check-prefixes=CHECK,MEMORY --implicit-check-not=.local --implicit-check-not=st.shared.b16
// CHECK: .entry main_attention_0_update_slice_attention
// CHECK: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16, %r
// CHECK: selp.b64
// CHECK: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16, %r
// CHECK: bar.sync 0
// CHECK: cp.async.wait_group 1
// CHECK: bar.warp.sync
// CHECK-NOT: bar.sync
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-NOT: bar.sync
// CHECK: cp.async.wait_group 0
// CHECK: bar.sync 0
// SENT: barrier.cluster.wait
// SENT: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32
// SENT: mbarrier.try_wait
// MEMORY: atom.acq_rel.gpu.global.inc.u32
func.func @main(%x: tensor<1x1x512xf16>, %keys: tensor<1x2x512x64xf16>, %values: tensor<1x2x512x64xf16>, %at: tensor<i32>) -> tensor<1x4x1x64xf16> {
  %p:3 = trace.split %x dim = 2 sizes = [256, 128, 128] : (tensor<1x1x512xf16>) -> (tensor<1x1x256xf16>, tensor<1x1x128xf16>, tensor<1x1x128xf16>)
  %q = trace.reshape %p#0 to [1, 4, 1, 64] : (tensor<1x1x256xf16>) -> tensor<1x4x1x64xf16>
  %k = trace.reshape %p#1 to [1, 2, 1, 64] : (tensor<1x1x128xf16>) -> tensor<1x2x1x64xf16>
  %v = trace.reshape %p#2 to [1, 2, 1, 64] : (tensor<1x1x128xf16>) -> tensor<1x2x1x64xf16>
  %c = trace.update_slice %keys, %k, %at dim = 2 : (tensor<1x2x512x64xf16>, tensor<1x2x1x64xf16>, tensor<i32>) -> tensor<1x2x512x64xf16>
  %d = trace.update_slice %values, %v, %at dim = 2 : (tensor<1x2x512x64xf16>, tensor<1x2x1x64xf16>, tensor<i32>) -> tensor<1x2x512x64xf16>
  %y = trace.attention %q, %c, %d : (tensor<1x4x1x64xf16>, tensor<1x2x512x64xf16>, tensor<1x2x512x64xf16>) -> tensor<1x4x1x64xf16>
  return %y : tensor<1x4x1x64xf16>
}
