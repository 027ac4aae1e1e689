// Rows of a number that is known at run time only: a cluster's blocks share long ones where they are few. Of a dynamic number of
// columns: kernels for up to twice as many as the fewest.
// RUN: split-file %s %t
// RUN: tripy-compile %t/long.mlir --target=cuda --stop-after=schedules -o - | FileCheck %t/long.mlir
// RUN: tripy-compile %t/long.mlir --target=cuda --stop-after=ptx -o - | FileCheck %t/long.mlir --check-prefix=PTX
// RUN: tripy-compile %t/columns.mlir --target=cuda --stop-after=schedules -o - | FileCheck %t/columns.mlir
// RUN: tripy-compile %t/columns.mlir --target=cuda --stop-after=ptx -o - | FileCheck %t/columns.mlir --check-prefix=PTX
// RUN: tripy-compile %t/empty.mlir --target=cuda --stop-after=schedules -o - | FileCheck %t/empty.mlir
// RUN: tripy-opt %t/long.mlir --tripy-cuda --remark-format=emitRemark --remarks-filter=row -o /dev/null 2>&1 | FileCheck %t/long.mlir --check-prefix=REMARK

//--- long.mlir
// CHECK: kernel.func @main_row_0_softmax
// CHECK-SAME: guard = #kernel.guard<()[s0] -> (s0), least = 17, most = 4096>
// CHECK-SAME: versions = [@main_row_0_softmax_1_to_16]
// CHECK: kernel.func @main_row_0_softmax_1_to_16
// CHECK-SAME: guard = #kernel.guard<()[s0] -> (s0), least = 1, most = 16>
// PTX: .entry main_row_0_softmax_1_to_16(
// PTX: .maxntid 352
// PTX: barrier.cluster
// PTX: .entry main_row_0_softmax(
// PTX: .maxntid 928
// One copy of the code: of the vectors of a thread, the last alone may pass the end of the tensor.
// That vector is loaded first; its elements that there are, without a branch.
// PTX: ld.global.L1::no_allocate.v4
// PTX-NOT: bra
// PTX-COUNT-2: ld.global.v4
// PTX-NOT: bra
// PTX-COUNT-7: @%p{{[0-9]+}} ld.global.b16
// PTX-NOT: ld.global
// REMARK: for 1 to 16 rows: a cluster of 8 blocks has a row
// REMARK: for 17 to 4096 rows: a block of 928 threads has 1 row
func.func @main(%x: tensor<?x22229xf16> {tripy.profile = #tripy.profile<min = [1, 22229], opt = [200, 22229], max = [4096, 22229]>}) -> tensor<?x22229xf16> {
  %y = trace.softmax %x dim = -1 : (tensor<?x22229xf16>) -> tensor<?x22229xf16>
  return %y : tensor<?x22229xf16>
}

//--- columns.mlir
// CHECK: kernel.func @main_row_0_softmax
// CHECK-SAME: guard = #kernel.guard<()[s0] -> (s0), least = 65, most = 128>
// CHECK-SAME: versions = [@main_row_0_softmax_1_to_32, @main_row_0_softmax_33_to_64, @main_row_0_softmax_129_to_256, @main_row_0_softmax_257_to_512, @main_row_0_softmax_513_to_1000]
// Each reads its row once, by vectors.
// PTX: .entry main_row_0_softmax(
// PTX: .maxntid 256
// PTX-COUNT-2: ld.global.v4
// PTX-NOT: ld.global.v4
// PTX: ret;
func.func @main(%x: tensor<4096x?xf16> {tripy.profile = #tripy.profile<min = [4096, 1], opt = [4096, 100], max = [4096, 1000]>}) -> tensor<4096x?xf16> {
  %y = trace.softmax %x dim = -1 : (tensor<4096x?xf16>) -> tensor<4096x?xf16>
  return %y : tensor<4096x?xf16>
}

//--- empty.mlir
// A row without columns has a sum: no version may leave it out.
// CHECK: kernel.func @main_row_0_sum
// CHECK-NOT: guard =
func.func @main(%x: tensor<64x?xf16> {tripy.profile = #tripy.profile<min = [64, 0], opt = [64, 100], max = [64, 1000]>}) -> tensor<64xf16> {
  %y = trace.sum %x dims = [1] : (tensor<64x?xf16>) -> tensor<64xf16>
  return %y : tensor<64xf16>
}
