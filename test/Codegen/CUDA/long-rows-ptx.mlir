// Clusters that stay: rows come by bulk copies alone, and the blocks' results
// by stores that an mbarrier awaits. A barrier of the cluster in the loop would
// wait until the stored rows are visible to the whole GPU. 64 registers for
// each of 512 threads leave room for two blocks on a multiprocessor.
//
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --implicit-check-not=.local --implicit-check-not="ld.global" --implicit-check-not=fence.acq

// CHECK: .maxntid 512
// CHECK: .minnctapersm 2
// CHECK: barrier.cluster.arrive.relaxed.aligned
// CHECK-COUNT-3: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
// CHECK: barrier.cluster.wait.aligned
// CHECK-NOT: barrier.cluster
// CHECK-DAG: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32
// CHECK-DAG: st.global.v4.b32
func.func @main(%x: tensor<512x131072xf16>) -> tensor<512x131072xf16> {
  %0 = trace.softmax %x dim = -1 : (tensor<512x131072xf16>) -> tensor<512x131072xf16>
  return %0 : tensor<512x131072xf16>
}
