// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %s
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=PTX
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=VOTES

// A selection is a block for each row, which reads 16 bytes at a time, and
// counts by atomic operations in shared memory.
// CHECK: kernel.func @main_sort_0_sort sort {{.*}} config = <grid = () -> (64, 1, 1), block = [512, 1, 1]
// Several short rows share a block: 128 of up to 8.
// CHECK: kernel.func @main_sort_1_sort sort {{.*}} config = <grid = () -> (8, 1, 1), block = [512, 1, 1]
// Longer ones have a block each, which sorts them digit by digit: 16 bytes of
// shared memory for each thread's pairs.
// CHECK: kernel.func @main_sort_2_sort sort {{.*}} config = <grid = () -> (7, 1, 1), block = [256, 1, 1], cluster = [1, 1, 1], scratch = 6144>
// CHECK: kernel.func @main_sort_3_sort sort {{.*}} config = <grid = () -> (5, 1, 1), block = [512, 1, 1], cluster = [1, 1, 1], scratch = 32768>
// Rows that a block does not sort: 13 blocks each, two passes for two digits.
// CHECK: kernel.func @main_sort_4_digit_counts sort {{.*}} config = <grid = () -> (39, 1, 1), block = [512, 1, 1], cluster = [1, 1, 1], scratch = 0>
// CHECK: kernel.func @main_sort_5_digit_scatter sort {{.*}} config = <grid = () -> (39, 1, 1), block = [512, 1, 1], cluster = [1, 1, 1], scratch = 32768>
// CHECK-SAME: -> tensor<3x50000xi64>
// CHECK: kernel.func @main_sort_6_digit_counts sort
// CHECK: kernel.func @main_sort_7_digit_scatter sort
// CHECK-SAME: -> tensor<3x50000xi32>
// What is more than 2048 positions is the start of a sort.
// CHECK: kernel.func @main_sort_8_digit_counts sort {{.*}} : (tensor<2x9000xi8>) -> tensor<2x3x256xi32>
// CHECK: kernel.func @main_sort_9_digit_scatter sort {{.*}} -> tensor<2x9000xi32>
// CHECK: kernel.func @main_loop_10_slice
// The grid follows from sizes at run time.
// CHECK: kernel.func @main_sort_11_digit_counts sort {{.*}} config = <grid = ()[s0, s1] -> (s0 * 62, 1, 1)
// CHECK-SAME: (tensor<?x?xf32>, index, index) -> tensor<?x62x256xi32>
// PTX-NOT: .local
// PTX-DAG: .entry main_sort_0_sort
// PTX-DAG: ld.global{{.*}}v4.b32
// PTX-DAG: {{atom|red}}{{.*}}shared{{.*}}add.{{[us]}}32
// Keys with one digit find each other by votes, without atomic operations.
// VOTES: .entry main_sort_5_digit_scatter
// VOTES-NOT: {{[[:space:]](atom|red)\.}}
// VOTES: vote.sync.ballot.b32
// VOTES-NOT: {{[[:space:]](atom|red)\.}}
// VOTES: st.global.b64
// VOTES-NOT: {{[[:space:]](atom|red)\.}}
// VOTES: ret;
func.func @main(%a: tensor<64x50304xf32>, %b: tensor<1000x5xi16>, %c: tensor<7x700xf16>, %d: tensor<5x4096xf64>,
    %e: tensor<3x50000xf16>, %f: tensor<2x9000xi8>,
    %g: tensor<?x?xf32> {tripy.profile = #tripy.profile<min = [1, 1], opt = [2, 500000], max = [2, 1000000]>})
    -> (tensor<64x50xi32>, tensor<1000x5xi32>, tensor<7x700xi32>, tensor<5x4096xi32>, tensor<3x50000xi32>,
        tensor<2x3000xi32>, tensor<?x?xi32>) {
  %0:2 = trace.topk %a k = 50 dim = 1 : (tensor<64x50304xf32>) -> (tensor<64x50xf32>, tensor<64x50xi32>)
  %1:2 = trace.sort %b dim = 1 : (tensor<1000x5xi16>) -> (tensor<1000x5xi16>, tensor<1000x5xi32>)
  %2:2 = trace.sort %c dim = 1 : (tensor<7x700xf16>) -> (tensor<7x700xf16>, tensor<7x700xi32>)
  %3:2 = trace.sort %d dim = 1 : (tensor<5x4096xf64>) -> (tensor<5x4096xf64>, tensor<5x4096xi32>)
  %4:2 = trace.sort %e dim = 1 descending : (tensor<3x50000xf16>) -> (tensor<3x50000xf16>, tensor<3x50000xi32>)
  %5:2 = trace.topk %f k = 3000 dim = 1 : (tensor<2x9000xi8>) -> (tensor<2x3000xi8>, tensor<2x3000xi32>)
  %6:2 = trace.sort %g dim = 1 : (tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xi32>)
  return %0#1, %1#1, %2#1, %3#1, %4#1, %5#1, %6#1 : tensor<64x50xi32>, tensor<1000x5xi32>, tensor<7x700xi32>,
      tensor<5x4096xi32>, tensor<3x50000xi32>, tensor<2x3000xi32>, tensor<?x?xi32>
}
