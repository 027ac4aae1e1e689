// A very long K: two parts of it must promise more than a few percent of the time.
//
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %s --implicit-check-not=splitK

// CHECK: #kernel.wgmma_schedule<tile = [136, 128], stages = 6, clusterM = 2, streamK = true, swapAB = true, from = model>
func.func @main(%a: tensor<272x24576xf16>, %b: tensor<3072x24576xf16>, %c: tensor<3072xf16>) -> tensor<272x3072xf16> {
  %0 = trace.linear %a, %b, %c : (tensor<272x24576xf16>, tensor<3072x24576xf16>, tensor<3072xf16>) -> tensor<272x3072xf16>
  return %0 : tensor<272x3072xf16>
}
