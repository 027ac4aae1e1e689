// A left operand that is computed on its way from shared memory to the
// registers that matrix instructions read.
//
// RUN: tripy-compile %s --target=cuda:sm_90a --gemm-tile=128x256 --stop-after=ptx -o - | FileCheck %s --implicit-check-not=.local

// The first k-block is read before the loop: what varies along K ahead of the
// wait for the k-block, two numbers at a time.
// CHECK: .visible .entry main_gemm
// CHECK: ld.global{{.*}}.v2.b16
// CHECK: WAIT: mbarrier.try_wait.parity
// CHECK-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: wgmma.fence.sync.aligned
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {{.*}}, p, 1, 1, 1;
// CHECK: wgmma.commit_group.sync.aligned

// The next k-block is computed while this one is multiplied, which is waited for
// only then: A's registers are free, and the stage. What is beyond K becomes zero.
// CHECK-NOT: wgmma.wait_group
// CHECK: WAIT: mbarrier.try_wait.parity
// CHECK-NOT: wgmma.wait_group
// CHECK-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-NOT: wgmma.wait_group
// CHECK: selp.b32 {{.*}} 0, %
// CHECK: wgmma.wait_group.sync.aligned 0
// CHECK-NOT: cvt.rn.f16
// CHECK: mbarrier.arrive

// The last k-block stands behind the loop.
// CHECK: wgmma.fence.sync.aligned
// CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {{.*}}, p, 1, 1, 1;
// CHECK: wgmma.commit_group.sync.aligned
// CHECK: wgmma.wait_group.sync.aligned 0

func.func @main(%x: tensor<1000x1032xf16>, %s: tensor<1000x1xf32>, %g: tensor<1032xf16>, %w: tensor<1032x768xf16>) -> tensor<1000x768xf16> {
  %h = trace.cast %s to f16 : (tensor<1000x1xf32>) -> tensor<1000x1xf16>
  %0 = trace.mul %x, %h : (tensor<1000x1032xf16>, tensor<1000x1xf16>) -> tensor<1000x1032xf16>
  %1 = trace.mul %0, %g : (tensor<1000x1032xf16>, tensor<1032xf16>) -> tensor<1000x1032xf16>
  %2 = trace.relu %1 : (tensor<1000x1032xf16>) -> tensor<1000x1032xf16>
  %y = trace.matmul %2, %w : (tensor<1000x1032xf16>, tensor<1032x768xf16>) -> tensor<1000x768xf16>
  return %y : tensor<1000x768xf16>
}
