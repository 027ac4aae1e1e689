// Few rows that begin within lines of the L2 cache: equal shares of K, and two consumers.
//
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %s

// CHECK: #kernel.wgmma_schedule<tile = [160, 128], {{.*}}clusterM = 2, clusterN = 4, streamK = true, swapAB = true,
func.func @main(%a: tensor<300x6216xf16>, %b: tensor<3000x6216xf16>) -> tensor<300x3000xf16> {
  %0 = trace.linear %a, %b : (tensor<300x6216xf16>, tensor<3000x6216xf16>) -> tensor<300x3000xf16>
  return %0 : tensor<300x3000xf16>
}
