// One schedule does not suit 1 to 4096 rows: a call launches several kernels, of which one has blocks.
// RUN: split-file %s %t
// RUN: tripy-compile %t/linear.mlir --target=cuda --stop-after=schedules -o - | FileCheck %t/linear.mlir
// RUN: tripy-compile %t/linear.mlir --target=cuda --stop-after=plan -o - | FileCheck %t/linear.mlir --check-prefix=PLAN
// RUN: tripy-compile %t/batch.mlir --target=cuda --stop-after=schedules -o - | FileCheck %t/batch.mlir
// RUN: tripy-compile %t/few.mlir --target=cuda --stop-after=schedules -o - | FileCheck %t/few.mlir --check-prefix=FEW
// RUN: tripy-compile %t/none.mlir --target=cuda --stop-after=schedules -o - | FileCheck %t/none.mlir
// RUN: sed 's/max = \[0, 64\]/max = [1, 64]/' %t/none.mlir | tripy-compile - --target=cuda --stop-after=schedules -o - | FileCheck %t/none.mlir
// RUN: tripy-compile %t/stages.mlir --target=cuda --stop-after=kernels -o %t/stages.out
// RUN: tripy-compile %t/room.mlir --target=cuda --no-f32-tensor-cores --stop-after=schedules -o - | FileCheck %t/room.mlir --check-prefix=ROOM
// RUN: tripy-compile %t/room.mlir --target=cuda --stop-after=schedules -o - | FileCheck %t/room.mlir --check-prefix=TENSOR
// RUN: tripy-compile %t/linear.mlir --target=cuda --gemm-tile=64x64 --stop-after=schedules -o - | FileCheck %t/linear.mlir --check-prefix=ASKED

// Guards that users write leave out no size, and have none in common.
// RUN: tripy-compile %t/linear.mlir --target=cuda --stop-after=schedules -o %t/s.mlir
// RUN: sed 's/least = 65, most = 192/least = 66, most = 192/' %t/s.mlir | not tripy-compile - -o %t/none.tpx 2>&1 | FileCheck %s --check-prefix=GAP
// GAP: error: 'kernel.func' op guards must leave out no size and have none in common; found one from 66 where 65 is next
// RUN: sed 's/least = 65, most = 192/least = 20, most = 192/' %t/s.mlir | not tripy-compile - -o %t/none.tpx 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: 'kernel.func' op guards must leave out no size and have none in common; found one from 20 where 65 is next
// RUN: sed 's/least = 1025, most = 4096/least = 1025, most = 4095/' %t/s.mlir | not tripy-compile - -o %t/none.tpx 2>&1 | FileCheck %s --check-prefix=END
// END: error: 'kernel.func' op guards must leave out no size up to 4096; found the last at 4095
// RUN: sed 's/, versions = .[^]]*./, versions = [@none]/' %t/s.mlir | not tripy-compile - -o %t/none.tpx 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: 'kernel.func' op versions must be other kernels of its type; found [@none]
// RUN: sed 's/least = 65, most = 192/least = 65, most = 3/' %t/s.mlir | not tripy-compile - -o %t/none.tpx 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: error: a guard has 0 <= least <= most; found 65 and 3

//--- linear.mlir
// CHECK: kernel.func @main_gemm_0_dot
// CHECK-SAME: guard = #kernel.guard<()[s0] -> (s0), least = 769, most = 1024>, schedule = #kernel.wgmma_schedule<
// CHECK-SAME: versions = [@main_gemm_0_dot_1_to_2, @main_gemm_0_dot_3_to_64, @main_gemm_0_dot_65_to_192, {{.*}}, @main_gemm_0_dot_641_to_768, @main_gemm_0_dot_1025_to_4096]
// CHECK-DAG: kernel.func @main_gemm_0_dot_65_to_192 {{.*}}guard = #kernel.guard<()[s0] -> (s0), least = 65, most = 192>
// CHECK-DAG: kernel.func @main_gemm_0_dot_3_to_64 {{.*}}guard = #kernel.guard<()[s0] -> (s0), least = 3, most = 64>{{.*}}swapAB = true
// CHECK-DAG: kernel.func @main_gemm_0_dot_1_to_2 {{.*}}guard = #kernel.guard<()[s0] -> (s0), least = 1, most = 2>{{.*}}#kernel.gemv_schedule
// The grid is a product with whether the rows are between the ends.
// PLAN: %[[ROWS:.*]] = kernel.input_size 0, 0
// PLAN: kernel.launch @main_gemm_0_dot grid(
// PLAN: %[[LESS:.*]] = arith.minsi %[[ROWS]], %c2
// PLAN: %[[IS:.*]] = arith.cmpi eq, %[[ROWS]], %[[LESS]]
// PLAN: %[[ONE:.*]] = arith.index_castui %[[IS]]
// PLAN: %[[GRID:.*]] = arith.muli %{{.*}}, %[[ONE]]
// Each of them may overlap what runs before the program.
// PLAN: kernel.launch @main_gemm_0_dot_1_to_2 grid(%[[GRID]], %{{.*}} overlaps first
// PLAN: kernel.launch @main_gemm_0_dot_3_to_64 grid(
// PLAN: kernel.launch @main_gemm_0_dot_65_to_192 grid(
// ASKED: kernel.func @main_gemm_0_dot {{.*}}schedule = #kernel.wgmma_schedule<tile = [64, 64]
// ASKED-NOT: kernel.func
func.func @main(%x: tensor<?x4096xf16> {tripy.profile = #tripy.profile<min = [1, 4096], opt = [1024, 4096], max = [4096, 4096]>},
                %w: tensor<4096x4096xf16>) -> tensor<?x4096xf16> {
  %y = trace.linear %x, %w : (tensor<?x4096xf16>, tensor<4096x4096xf16>) -> tensor<?x4096xf16>
  return %y : tensor<?x4096xf16>
}

//--- none.mlir
// No rows, or one at most.
// CHECK: kernel.func @main_gemm_0_dot
// CHECK-NOT: guard =
func.func @main(%x: tensor<?x64xf16> {tripy.profile = #tripy.profile<min = [0, 64], opt = [0, 64], max = [0, 64]>}, %w: tensor<64x64xf16>) -> tensor<?x64xf16> {
  %y = trace.linear %x, %w : (tensor<?x64xf16>, tensor<64x64xf16>) -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

//--- few.mlir
// What streams the matrix multiplies as many rows as there may be, so that few rows have kernels of their own; not below the least.
// FEW: kernel.func @main_gemm_0_dot {{.*}}least = 3, most = 4>{{.*}}gemv_schedule{{.*}}versions = [@main_gemm_0_dot_2_to_2, @main_gemm_0_dot_5_to_8]
func.func @main(%x: tensor<?x768xf16> {tripy.profile = #tripy.profile<min = [2, 768], opt = [3, 768], max = [8, 768]>},
                %w: tensor<768x5001xf16>) -> tensor<?x5001xf16> {
  %y = trace.matmul %x, %w : (tensor<?x768xf16>, tensor<768x5001xf16>) -> tensor<?x5001xf16>
  return %y : tensor<?x5001xf16>
}

//--- batch.mlir
// Rows are the product of two sizes.
// CHECK: guard = #kernel.guard<()[s0, s1] -> (s0 * s1), least = {{[0-9]+}}, most = {{[0-9]+}}>
func.func @main(%x: tensor<?x?x1024xf16> {tripy.profile = #tripy.profile<min = [1, 1, 1024], opt = [4, 512, 1024], max = [8, 1024, 1024]>},
                %w: tensor<1024x1024xf16>) -> tensor<?x?x1024xf16> {
  %y = trace.linear %x, %w : (tensor<?x?x1024xf16>, tensor<1024x1024xf16>) -> tensor<?x?x1024xf16>
  return %y : tensor<?x?x1024xf16>
}

//--- stages.mlir
// Blocks that split K keep the sums of as many rows as a version has: a schedule of 65 rows has room for stages that one of 128 has
// not, and is no schedule for both.
func.func @main(%x: tensor<?x16384xf16> {tripy.profile = #tripy.profile<min = [1, 16384], opt = [65, 16384], max = [200, 16384]>},
                %w: tensor<2176x16384xf16>) -> tensor<?x2176xf16> {
  %y = trace.linear %x, %w : (tensor<?x16384xf16>, tensor<2176x16384xf16>) -> tensor<?x2176xf16>
  return %y : tensor<?x2176xf16>
}

//--- room.mlir
// A kernel on CUDA cores whose blocks leave multiprocessors room starts alone: one version has such numbers of rows, another those that
// fill the GPU.
// ROOM: kernel.func @main_gemm_0_dot
// ROOM-SAME: guard = #kernel.guard<()[s0] -> (s0), least = 897, most = 4096>
// ROOM-SAME: @main_gemm_0_dot_385_to_896]
// On tensor cores, one version has all of these, and split tails; fewer rows have smaller tiles.
// TENSOR: kernel.func @main_gemm_0_dot
// TENSOR-SAME: least = 385, most = 4096>, schedule = #kernel.mma_schedule<tile = [64, 128], {{.*}}tailSplitK = 2, resident = 2,
// TENSOR: kernel.func @main_gemm_0_dot_65_to_128
// TENSOR-SAME: #kernel.mma_schedule<tile = [32, 64],
// TENSOR: kernel.func @main_gemm_0_dot_9_to_16
// TENSOR-SAME: #kernel.mma_schedule<tile = [16, 128],
// TENSOR: kernel.func @main_gemm_0_dot_5_to_8
// TENSOR-SAME: #kernel.gemv_schedule<
func.func @main(%x: tensor<?x640xf32> {tripy.profile = #tripy.profile<min = [1, 640], opt = [4096, 640], max = [4096, 640]>}, %w: tensor<5120x640xf32>) -> tensor<?x5120xf32> {
  %0 = trace.linear %x, %w : (tensor<?x640xf32>, tensor<5120x640xf32>) -> tensor<?x5120xf32>
  return %0 : tensor<?x5120xf32>
}
