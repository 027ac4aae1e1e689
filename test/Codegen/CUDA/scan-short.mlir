// Running sums of short rows, which share a block.
//
// RUN: split-file %s %t
// RUN: tripy-compile %t/vectors.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/vectors.mlir --implicit-check-not=.local --implicit-check-not=bar.sync
// RUN: tripy-compile %t/odd.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/odd.mlir --implicit-check-not=.local
// RUN: tripy-compile %t/dynamic.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/dynamic.mlir
// RUN: tripy-compile %t/long.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/long.mlir
// RUN: tripy-compile %t/down.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/down.mlir

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
// 77 elements are no vectors: blocks have tiles of whole rows (ScanTiles.cpp).
// CHECK: ld.global.v4.b32
// CHECK: bar.sync
// CHECK: st.global.v4.b32
func.func @main(%x: tensor<4279x77xbf16>) -> tensor<4279x77xbf16> {
  %0 = trace.cumsum %x dim = -1 : (tensor<4279x77xbf16>) -> tensor<4279x77xbf16>
  return %0 : tensor<4279x77xbf16>
}

//--- dynamic.mlir
// Rows of any length have as many of a block as its tile has room for.
// CHECK: grid = ()[s0] -> (8192 ceildiv {{.*}}s0{{.*}}, 1, 1), block = [
func.func @main(%x: tensor<8192x?xf16> {tripy.name = "x", tripy.profile = #tripy.profile<min = [8192, 1], opt = [8192, 80], max = [8192, 320]>}) -> tensor<8192x?xf16> {
  %0 = trace.cumsum %x dim = -1 : (tensor<8192x?xf16>) -> tensor<8192x?xf16>
  return %0 : tensor<8192x?xf16>
}

//--- long.mlir
// CHECK: grid = () -> (8192, 1, 1), block = [96, 1, 1]
func.func @main(%x: tensor<8192x1500xf16>) -> tensor<8192x1500xf16> {
  %0 = trace.cumsum %x dim = -1 : (tensor<8192x1500xf16>) -> tensor<8192x1500xf16>
  return %0 : tensor<8192x1500xf16>
}

//--- down.mlir
// Down columns of a dynamic length of 8 or more: the loads of a thread are at constant distances, whatever the last of them has.
// CHECK: ld.global.b16 {{.*}}, [[[FROM:%rd[0-9]+]]+99914]
// CHECK: ld.global.b16 {{.*}}, [[[FROM]]+199828]
// CHECK: ld.global.b16 {{.*}}, [[[FROM]]+699398]
func.func @main(%x: tensor<?x49957xf16> {tripy.dims = ["n", ""], tripy.profile = #tripy.profile<min = [1, 49957], opt = [16, 49957], max = [16, 49957]>}) -> tensor<?x49957xf16> {
  %0 = trace.cumsum %x dim = 0 : (tensor<?x49957xf16>) -> tensor<?x49957xf16>
  return %0 : tensor<?x49957xf16>
}
