// Long rows come to shared memory by one bulk copy alone, and the blocks'
// results by stores that an mbarrier awaits. 48 registers for each of 256
// threads leave room for five blocks on a multiprocessor.
//
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --implicit-check-not=.local --implicit-check-not="ld.global" --implicit-check-not=fence.acq

// CHECK: .maxntid 256
// CHECK: .minnctapersm 5
// CHECK: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
// CHECK-NOT: cp.async.bulk
// CHECK: barrier.cluster.arrive.relaxed.aligned
// CHECK: barrier.cluster.wait.aligned
// CHECK-NOT: barrier.cluster
// CHECK-DAG: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32
// CHECK-DAG: st.global.v4.b32
func.func @main(%x: tensor<512x131072xf16>) -> tensor<512x131072xf16> {
  %0 = trace.softmax %x dim = -1 : (tensor<512x131072xf16>) -> tensor<512x131072xf16>
  return %0 : tensor<512x131072xf16>
}
