// A very long K: two parts of it must promise more than a few percent of the time.
//
// RUN: split-file %s %t
// RUN: tripy-compile %t/stream.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/stream.mlir --implicit-check-not=splitK
// RUN: tripy-compile %t/whole.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/whole.mlir --implicit-check-not=splitK

//--- stream.mlir
// CHECK: #kernel.wgmma_schedule<tile = [136, 128], stages = 6, clusterM = 2, streamK = true, swapAB = true, from = model>
func.func @main(%a: tensor<272x24576xf16>, %b: tensor<3072x24576xf16>, %c: tensor<3072xf16>) -> tensor<272x3072xf16> {
  %0 = trace.linear %a, %b, %c : (tensor<272x24576xf16>, tensor<3072x24576xf16>, tensor<3072xf16>) -> tensor<272x3072xf16>
  return %0 : tensor<272x3072xf16>
}

//--- whole.mlir
// Tiles of 128x192 in two parts promise less than that.
// CHECK: #kernel.wgmma_schedule<tile = [128, 96], stages = 6, clusterN = 2, from = model>
func.func @main(%a: tensor<384x24576xf16>, %b: tensor<4096x24576xf16>) -> tensor<384x4096xf16> {
  %0 = trace.linear %a, %b : (tensor<384x24576xf16>, tensor<4096x24576xf16>) -> tensor<384x4096xf16>
  return %0 : tensor<384x4096xf16>
}
