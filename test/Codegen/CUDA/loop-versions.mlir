// Loops that permute a dynamic number of elements: small tiles where large ones would leave multiprocessors without work, and
// boxes whose dynamic dimension has a sector, however short it is expected to be.
// RUN: split-file %s %t
// RUN: tripy-compile %t/add.mlir --target=cuda:sm_90a --stop-after=plan -o - | FileCheck %t/add.mlir
// RUN: tripy-opt %t/add.mlir --tripy-cuda --remark-format=emitRemark --remarks-filter=loop -o /dev/null 2>&1 | FileCheck %t/add.mlir --check-prefix=REMARK
// RUN: tripy-compile %t/short.mlir --target=cuda:sm_90a --stop-after=plan -o - | FileCheck %t/short.mlir
// RUN: tripy-compile %t/one.mlir --target=cuda:sm_90a --stop-after=plan -o - | FileCheck %t/one.mlir
// RUN: tripy-compile %t/odd.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/odd.mlir
// RUN: tripy-compile %t/calls.mlir --target=cuda:sm_90a --stop-after=plan -o - | FileCheck %t/calls.mlir
// RUN: tripy-compile %t/calls.mlir --target=cuda:sm_90a --stop-after=schedules -o %t/schedules.mlir
// RUN: sed 's/most = 39>/most = 38>/; s/least = 40, most = 40/least = 39, most = 40/' %t/schedules.mlir | not tripy-compile - -o %t/none.tpx 2>&1 | FileCheck %t/calls.mlir --check-prefix=SIZES
// RUN: tripy-compile %t/copy.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/copy.mlir

//--- add.mlir
// The version for the usual size keeps the kernel's name, and has the code of a static program; each other one is planned for its sizes.
// CHECK: kernel.func @main_loop_0_add loop
// CHECK-SAME: ()[s0] -> (576, 1, 1), block = [256, 1, 1]
// CHECK-SAME: guard = #kernel.guard<()[s0] -> (s0), least = 1500, most = 1500>, sizes = #kernel.sizes<[1500, 1500, 1500]>
// CHECK-SAME: versions = [@main_loop_0_add_1_to_21, @main_loop_0_add_22_to_351, @main_loop_0_add_352_to_528, @main_loop_0_add_529_to_1499, @main_loop_0_add_1501_to_6000]
// CHECK: kernel.func @main_loop_0_add_1501_to_6000 loop
// CHECK-SAME: ()[s0] -> ((s0 ceildiv 64) * 24, 1, 1), block = [256, 1, 1]
// CHECK: kernel.func @main_loop_0_add_352_to_528 loop
// CHECK-SAME: ()[s0] -> ((s0 ceildiv 32) * 48, 1, 1), block = [128, 1, 1]
// CHECK-SAME: sizes = #kernel.sizes<[352, 431, 528]>
// CHECK: kernel.func @main_loop_0_add_22_to_351 loop
// CHECK-SAME: ()[s0] -> ((s0 ceildiv 32) * 48, 1, 1), block = [128, 1, 1]
// REMARK: for 22 to 351 indices of a dimension: tiles are planned for that many
func.func @main(%x: tensor<?x1536xbf16> {tripy.dims = ["n", ""], tripy.profile = #tripy.profile<min = [1, 1536], opt = [1500, 1536], max = [6000, 1536]>},
    %y: tensor<1536x?xbf16> {tripy.dims = ["", "n"], tripy.profile = #tripy.profile<min = [1536, 1], opt = [1536, 1500], max = [1536, 6000]>}) -> tensor<?x1536xbf16> {
  %0 = trace.permute %y [1, 0] : (tensor<1536x?xbf16>) -> tensor<?x1536xbf16>
  %1 = trace.add %x, %0 : (tensor<?x1536xbf16>, tensor<?x1536xbf16>) -> tensor<?x1536xbf16>
  return %1 : tensor<?x1536xbf16>
}

//--- short.mlir
// Where short sizes are usual, each has code of its own. Between, boxes that a sector of the dimension fits into, not tiles of 32 x 32
// of which most columns are empty.
// CHECK: kernel.func @main_loop_0_transpose_9_to_10 loop
// CHECK-SAME: ()[s0] -> ((s0 ceildiv 16) * {{[0-9]+}}, 1, 1)
// CHECK: kernel.func @main_loop_0_transpose_4_to_4 loop
// CHECK-SAME: ()[s0] -> (448, 1, 1), block = [128, 1, 1]
func.func @main(%x: tensor<8x2048x7x?xf32> {tripy.profile = #tripy.profile<min = [8, 2048, 7, 1], opt = [8, 2048, 7, 7], max = [8, 2048, 7, 10]>}) -> tensor<8x?x2048x7xf32> {
  %0 = trace.permute %x [0, 3, 1, 2] : (tensor<8x2048x7x?xf32>) -> tensor<8x?x2048x7xf32>
  return %0 : tensor<8x?x2048x7xf32>
}

//--- one.mlir
// Few elements whatever n is: kernels for the usual size, and for smaller and larger ones.
// CHECK: versions = [@main_loop_0_transpose_1_to_511, @main_loop_0_transpose_512_to_699, @main_loop_0_transpose_701_to_7000]
func.func @main(%x: tensor<64x?xf32> {tripy.profile = #tripy.profile<min = [64, 1], opt = [64, 700], max = [64, 7000]>}) -> tensor<?x64xf32> {
  %0 = trace.permute %x [1, 0] : (tensor<64x?xf32>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}

//--- copy.mlir
// What reads along the last dimension has one kernel as well.
// CHECK: kernel.func @main_loop_0_add loop
// CHECK-NOT: guard
func.func @main(%x: tensor<?x1536xf32> {tripy.profile = #tripy.profile<min = [1, 1536], opt = [1500, 1536], max = [6000, 1536]>}, %b: tensor<1536xf32>) -> tensor<?x1536xf32> {
  %0 = trace.add %x, %b : (tensor<?x1536xf32>, tensor<1536xf32>) -> tensor<?x1536xf32>
  return %0 : tensor<?x1536xf32>
}

//--- calls.mlir
// One kernel of two calls, of which one needs the first versions alone.
// CHECK: kernel.func @main_loop_0_transpose loop
// CHECK-SAME: guard = #kernel.guard<()[s0] -> (s0), least = 40, most = 40>
// SIZES: sizes must be all that the guard lets through
func.func @main(%x: tensor<?x3700xf32> {tripy.profile = #tripy.profile<min = [1, 3700], opt = [5, 3700], max = [9, 3700]>},
    %y: tensor<?x3700xf32> {tripy.profile = #tripy.profile<min = [1, 3700], opt = [40, 3700], max = [70, 3700]>}) -> (tensor<3700x?xf32>, tensor<3700x?xf32>) {
  %0 = trace.permute %x [1, 0] : (tensor<?x3700xf32>) -> tensor<3700x?xf32>
  %1 = trace.permute %y [1, 0] : (tensor<?x3700xf32>) -> tensor<3700x?xf32>
  return %0, %1 : tensor<3700x?xf32>, tensor<3700x?xf32>
}

//--- odd.mlir
// Rows of 355 elements are read one by one, which takes few registers: five blocks of 256 threads fit on a multiprocessor.
// CHECK: .entry main_loop_0_add_2285_to_12247(
// CHECK: .minnctapersm 5
// CHECK: ret;
func.func @main(%x: tensor<355x?xbf16> {tripy.dims = ["", "n"], tripy.profile = #tripy.profile<min = [355, 1], opt = [355, 12248], max = [355, 12248]>},
    %y: tensor<?x355xbf16> {tripy.dims = ["n", ""], tripy.profile = #tripy.profile<min = [1, 355], opt = [12248, 355], max = [12248, 355]>}) -> tensor<355x?xbf16> {
  %0 = trace.permute %y [1, 0] : (tensor<?x355xbf16>) -> tensor<355x?xbf16>
  %1 = trace.add %x, %0 : (tensor<355x?xbf16>, tensor<355x?xbf16>) -> tensor<355x?xbf16>
  return %1 : tensor<355x?xbf16>
}
