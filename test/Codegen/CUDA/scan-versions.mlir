// Running sums along a dimension of dynamic size: kernels for the sizes that have one form.
// RUN: split-file %s %t
// RUN: tripy-compile %t/odd.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/odd.mlir
// RUN: tripy-compile %t/odd.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/odd.mlir --check-prefix=PTX --implicit-check-not=.local
// RUN: tripy-opt %t/odd.mlir --tripy-cuda --remark-format=emitRemark --remarks-filter=scan -o /dev/null 2>&1 | FileCheck %t/odd.mlir --check-prefix=REMARK
// RUN: tripy-compile %t/whole.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/whole.mlir
// RUN: tripy-compile %t/first.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/first.mlir
// RUN: tripy-compile %t/short.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/short.mlir --implicit-check-not=.local
// RUN: tripy-compile %t/threads.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/threads.mlir --implicit-check-not=.local
// RUN: tripy-compile %t/many.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/many.mlir

//--- odd.mlir
// Rows are expected to begin within vectors: those of a version have as many vectors wherever they begin.
// CHECK: kernel.func @main_scan_0_scan
// CHECK-SAME: guard = #kernel.guard<()[s0] -> (s0), least = 250, most = 377>
// CHECK-SAME: versions = [@main_scan_0_scan_1_to_64, @main_scan_0_scan_65_to_121, @main_scan_0_scan_122_to_249, @main_scan_0_scan_378_to_505, @main_scan_0_scan_506_to_761, @main_scan_0_scan_762_to_1017, @main_scan_0_scan_1018_to_4096]
// Code for rows of whole vectors, and for others. No barriers.
// PTX: .entry main_scan_0_scan(
// PTX: .maxntid 128
// PTX-NOT: bar.sync
// PTX-COUNT-3: ld.global.v4.b32
// PTX: shfl.sync.up
// PTX-NOT: bar.sync
// PTX-COUNT-3: ld.global.v4.b32
// PTX-NOT: bar.sync
// PTX: ret;
// REMARK-DAG: for 1 to 64 elements: a block goes over the elements
// REMARK-DAG: for 250 to 377 elements: the lanes of a warp have a row in registers
func.func @main(%x: tensor<25088x?xbf16> {tripy.profile = #tripy.profile<min = [25088, 1], opt = [25088, 362], max = [25088, 4096]>}) -> tensor<25088x?xbf16> {
  %0 = trace.cumsum %x dim = 1 : (tensor<25088x?xbf16>) -> tensor<25088x?xbf16>
  return %0 : tensor<25088x?xbf16>
}

//--- whole.mlir
// CHECK: kernel.func @main_scan_0_scan
// CHECK-SAME: guard = #kernel.guard<()[s0] -> (s0), least = 385, most = 512>
// CHECK-SAME: versions = [@main_scan_0_scan_200_to_256, @main_scan_0_scan_257_to_384, @main_scan_0_scan_513_to_600]
func.func @main(%x: tensor<25088x?xf16> {tripy.profile = #tripy.profile<min = [25088, 200], opt = [25088, 512], max = [25088, 600]>}) -> tensor<25088x?xf16> {
  %0 = trace.cumsum %x dim = 1 : (tensor<25088x?xf16>) -> tensor<25088x?xf16>
  return %0 : tensor<25088x?xf16>
}

//--- first.mlir
// Few elements in front of others have one block, which waits for no other.
// CHECK: kernel.func @main_scan_0_scan
// CHECK-SAME: guard = #kernel.guard<()[s0] -> (s0), least = 256, most = 1568>
// CHECK-SAME: versions = [@main_scan_0_scan_1_to_255]
func.func @main(%x: tensor<?x256xf32> {tripy.profile = #tripy.profile<min = [1, 256], opt = [784, 256], max = [1568, 256]>}) -> tensor<?x256xf32> {
  %0 = trace.cumsum %x dim = 0 : (tensor<?x256xf32>) -> tensor<?x256xf32>
  return %0 : tensor<?x256xf32>
}

//--- short.mlir
// Rows of up to eight vectors: a block has one tile of them, and no sums of several warps.
// CHECK: .entry main_scan_0_scan_1_to_64(
// CHECK-COUNT-1: bar.sync
// CHECK-COUNT-1: ld.shared
// CHECK-NOT: ld.shared
// CHECK: bar.sync
// CHECK-COUNT-1: ld.shared
// CHECK-NOT: ld.shared
// CHECK: ret;
// CHECK: .entry main_scan_0_scan(
func.func @main(%x: tensor<2000x?xf16> {tripy.profile = #tripy.profile<min = [2000, 1], opt = [2000, 128], max = [2000, 128]>}) -> tensor<2000x?xf16> {
  %0 = trace.cumsum %x dim = 1 : (tensor<2000x?xf16>) -> tensor<2000x?xf16>
  return %0 : tensor<2000x?xf16>
}

//--- threads.mlir
// A thread has a row of up to four elements, all of which it loads before it adds any.
// CHECK: .entry main_scan_0_scan_5_to_8(
// CHECK: .entry main_scan_0_scan(
// CHECK-NOT: shfl.sync
// CHECK-COUNT-4: ld.global.b32
// CHECK-NOT: ld.global
// CHECK-NOT: shfl.sync
// CHECK: ret;
func.func @main(%x: tensor<142357x?xf32> {tripy.profile = #tripy.profile<min = [142357, 1], opt = [142357, 2], max = [142357, 8]>}) -> tensor<142357x?xf32> {
  %0 = trace.cumsum %x dim = 1 : (tensor<142357x?xf32>) -> tensor<142357x?xf32>
  return %0 : tensor<142357x?xf32>
}

//--- many.mlir
// More rows than a launch has blocks: a version may have one for each at lengths that it is not for.
// CHECK: kernel.func @main_scan_0_scan
// CHECK-NOT: guard =
func.func @main(%x: tensor<3000000000x?xi8> {tripy.profile = #tripy.profile<min = [3000000000, 1], opt = [3000000000, 300], max = [3000000000, 300]>}) -> tensor<3000000000x?xi8> {
  %0 = trace.cumsum %x dim = 1 : (tensor<3000000000x?xi8>) -> tensor<3000000000x?xi8>
  return %0 : tensor<3000000000x?xi8>
}
