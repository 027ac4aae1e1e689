// Reductions and running sums down columns of a dynamic length: how many threads share a column follows from the rows that are expected.
// Of few rows each thread has a column of its own, as in a static program.
// RUN: split-file %s %t
// RUN: tripy-compile %t/sum.mlir --target=cuda --stop-after=kernels -o - | FileCheck %t/sum.mlir
// RUN: tripy-compile %t/long.mlir --target=cuda --stop-after=kernels -o - | FileCheck %t/long.mlir
// RUN: tripy-compile %t/scan.mlir --target=cuda --stop-after=kernels -o - | FileCheck %t/scan.mlir
// RUN: tripy-compile %t/batch.mlir --target=cuda --stop-after=kernels -o - | FileCheck %t/batch.mlir
// RUN: tripy-compile %t/few.mlir --target=cuda --stop-after=kernels -o - | FileCheck %t/few.mlir

//--- sum.mlir
// 32 x 768 x 7 sums of some 7 rows: 172032 threads.
// CHECK: kernel.func @main_reduce_0_sum{{.*}} config = <grid = ()[s0] -> (672, 1, 1), block = [256, 1, 1]
func.func @main(%x: tensor<32x768x?x7xbf16> {tripy.profile = #tripy.profile<min = [32, 768, 1, 7], opt = [32, 768, 7, 7], max = [32, 768, 28, 7]>}) -> tensor<32x768x7xbf16> {
  %y = trace.sum %x dims = [2] : (tensor<32x768x?x7xbf16>) -> tensor<32x768x7xbf16>
  return %y : tensor<32x768x7xbf16>
}

//--- long.mlir
// Where there may be many rows, threads share a column: a running sum of all would lose digits.
// CHECK: kernel.func @main_reduce_0_sum{{.*}} config = <grid = ()[s0] -> (5376, 1, 1), block = [256, 1, 1]
func.func @main(%x: tensor<32x768x?x7xbf16> {tripy.profile = #tripy.profile<min = [32, 768, 1, 7], opt = [32, 768, 7, 7], max = [32, 768, 280, 7]>}) -> tensor<32x768x7xbf16> {
  %y = trace.sum %x dims = [2] : (tensor<32x768x?x7xbf16>) -> tensor<32x768x7xbf16>
  return %y : tensor<32x768x7xbf16>
}

//--- scan.mlir
// 49957 columns, and two threads of each, with 8 rows.
// CHECK: kernel.func @main_scan_0_scan{{.*}} config = <grid = ()[s0] -> (391, 1, 1), block = [256, 1, 1]
func.func @main(%x: tensor<?x49957xf16> {tripy.profile = #tripy.profile<min = [1, 49957], opt = [16, 49957], max = [16, 49957]>}) -> tensor<?x49957xf16> {
  %y = trace.cumsum %x dim = 0 : (tensor<?x49957xf16>) -> tensor<?x49957xf16>
  return %y : tensor<?x49957xf16>
}

//--- batch.mlir
// Of a dynamic number of outputs, strips are as wide as a quarter of those that are expected need: 128 of them, not 256.
// CHECK: kernel.func @main_reduce_0_sum_div{{.*}} config = <grid = ()[s0] -> ({{.*}}(s0 * 196) ceildiv 128
func.func @main(%x: tensor<?x512x14x14xf32> {tripy.profile = #tripy.profile<min = [1, 512, 14, 14], opt = [32, 512, 14, 14], max = [128, 512, 14, 14]>}) -> tensor<?x14x14xf32> {
  %y = trace.mean %x dims = [1] : (tensor<?x512x14x14xf32>) -> tensor<?x14x14xf32>
  return %y : tensor<?x14x14xf32>
}

//--- few.mlir
// Strips are no narrower than 64 bytes where there may be more columns than are expected: with one of 4 bytes for each, the most of
// them needed more blocks than a launch has.
// CHECK: kernel.func @main_reduce_0_sum{{.*}} config = <grid = ()[s0, s1] -> ((s1 ceildiv 16) *
func.func @main(%x: tensor<?x?xf32> {tripy.profile = #tripy.profile<min = [0, 0], opt = [1000000, 1], max = [2000000, 4096]>}) -> tensor<?xf32> {
  %y = trace.sum %x dims = [0] : (tensor<?x?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
