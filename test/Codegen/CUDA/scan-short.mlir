// Running sums of short rows, which share a block.
//
// RUN: split-file %s %t
// RUN: tripy-compile %t/vectors.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/vectors.mlir --implicit-check-not=.local --implicit-check-not=bar.sync
// RUN: tripy-compile %t/odd.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/odd.mlir --implicit-check-not=.local --implicit-check-not=bar.sync
// RUN: tripy-compile %t/dynamic.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/dynamic.mlir
// RUN: tripy-compile %t/long.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/long.mlir

//--- vectors.mlir
// Four lanes of a row have a vector each, and exchange sums in two steps; a third gives each what is before it.
// CHECK: .maxntid 128
// CHECK: ld.global.v4.b32
// CHECK-COUNT-3: shfl.sync.up
// CHECK-NOT: shfl
// CHECK: st.global.v4.b32
func.func @main(%x: tensor<6072x32xf16>) -> tensor<6072x32xf16> {
  %0 = trace.cumsum %x dim = -1 : (tensor<6072x32xf16>) -> tensor<6072x32xf16>
  return %0 : tensor<6072x32xf16>
}

//--- odd.mlir
// 77 elements are five neighbours of each of 16 lanes, the last of which read some of them twice.
// CHECK: .maxntid 256
// CHECK-COUNT-5: ld.global.b16
// CHECK-NOT: ld.global
// CHECK-COUNT-5: shfl.sync.up
// CHECK-NOT: shfl
// CHECK-COUNT-5: st.global.b16
// CHECK-NOT: st.global
func.func @main(%x: tensor<4279x77xbf16>) -> tensor<4279x77xbf16> {
  %0 = trace.cumsum %x dim = -1 : (tensor<4279x77xbf16>) -> tensor<4279x77xbf16>
  return %0 : tensor<4279x77xbf16>
}

//--- dynamic.mlir
// Rows that are expected to have 80 elements have a warp each, 32 in a block.
// CHECK: grid = ()[s0] -> (256, 1, 1), block = [1024, 1, 1]
func.func @main(%x: tensor<8192x?xf16> {tripy.name = "x", tripy.profile = #tripy.profile<min = [8192, 1], opt = [8192, 80], max = [8192, 320]>}) -> tensor<8192x?xf16> {
  %0 = trace.cumsum %x dim = -1 : (tensor<8192x?xf16>) -> tensor<8192x?xf16>
  return %0 : tensor<8192x?xf16>
}

//--- long.mlir
// CHECK: grid = () -> (8192, 1, 1), block = [256, 1, 1]
func.func @main(%x: tensor<8192x1500xf16>) -> tensor<8192x1500xf16> {
  %0 = trace.cumsum %x dim = -1 : (tensor<8192x1500xf16>) -> tensor<8192x1500xf16>
  return %0 : tensor<8192x1500xf16>
}
