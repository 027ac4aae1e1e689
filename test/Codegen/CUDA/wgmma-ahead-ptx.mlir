// Weights that no kernel of the program writes are copied to shared memory
// before the wait for the kernels in front: 48 KB a block, here three k-blocks
// of 128 columns. What the kernels in front write is copied behind the wait.
//
// RUN: tripy-compile %s --target=cuda:sm_90a --gemm-tile=128x128 --stop-after=ptx -o - | FileCheck %s
// RUN: tripy-compile %s --target=cuda:sm_90a --gemm-tile=128x128 --no-prefetch --stop-after=ptx -o - | FileCheck %s --check-prefix=PLAIN

// The program's first kernel: the caller's work in front may write anything.
// CHECK-LABEL: .entry main_gemm_0_dot
// CHECK-NOT: cp.async.bulk.tensor
// CHECK: griddepcontrol.wait
// CHECK: cp.async.bulk.tensor

// Results of other kernels are the map that is first.
// CHECK-LABEL: .entry main_gemm_1_dot
// CHECK: mbarrier.init
// Consumers wait before they read or store anything.
// CHECK: setmaxnreg.inc
// CHECK: griddepcontrol.wait
// CHECK: wgmma.mma_async
// CHECK: setmaxnreg.dec
// One thread copies. It is elected, so that ptxas knows of no other, and its
// addresses in shared memory are addresses in the cluster already.
// CHECK: elect.sync %r{{[0-9]+}}|%p{{[0-9]+}}, -1;
// CHECK-NOT: cvta
// CHECK: mbarrier.arrive.expect_tx
// CHECK: cp.async.bulk.tensor.2d.shared::cluster{{.*}} [{{.*}}], [[[WEIGHTS:%rd[0-9]+]], {
// CHECK: cp.async.bulk.tensor.2d.shared::cluster{{.*}} [{{.*}}], [[[WEIGHTS]], {
// CHECK: cp.async.bulk.tensor.2d.shared::cluster{{.*}} [{{.*}}], [[[WEIGHTS]], {
// CHECK-NOT: cp.async.bulk.tensor
// CHECK: griddepcontrol.wait
// CHECK-NOT: mbarrier.arrive.expect_tx
// CHECK: cp.async.bulk.tensor

// PLAIN-LABEL: .entry main_gemm_1_dot
// PLAIN-NOT: cp.async.bulk.tensor
// PLAIN: griddepcontrol.wait
func.func @main(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>, %v: tensor<512x512xf16>) -> tensor<512x512xf16> {
  %h = trace.linear %x, %w : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
  %r = trace.relu %h : (tensor<512x512xf16>) -> tensor<512x512xf16>
  %y = trace.linear %r, %v : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
  return %y : tensor<512x512xf16>
}
