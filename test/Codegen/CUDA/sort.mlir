// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %s
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=PTX

// A selection is a block for each row, which reads 16 bytes at a time, and
// counts by atomic operations in shared memory.
// CHECK: kernel.func @main_sort_0_sort sort {{.*}} config = <grid = () -> (64, 1, 1), block = [512, 1, 1]
// Several short rows share a block: 128 of up to 8.
// CHECK: kernel.func @main_sort_1_sort sort {{.*}} config = <grid = () -> (8, 1, 1), block = [512, 1, 1]
// Long ones have a block each. Positions are exchanged in the result's memory.
// CHECK: kernel.func @main_sort_2_sort sort {{.*}} config = <grid = () -> (3, 1, 1), block = [512, 1, 1]
// What is more than 2048 positions is the start of a sort.
// CHECK: kernel.func @main_sort_3_sort sort {{.*}} : (tensor<2x9000xf64>) -> tensor<2x9000xi32>
// CHECK: kernel.func @main_loop_4_slice
// PTX-NOT: .local
// PTX-DAG: .entry main_sort_0_sort
// PTX-DAG: ld.global{{.*}}v4.b32
// PTX-DAG: {{atom|red}}{{.*}}shared{{.*}}add.{{[us]}}32
func.func @main(%a: tensor<64x50304xf32>, %b: tensor<1000x5xi16>, %c: tensor<3x50000xf16>, %d: tensor<2x9000xf64>)
    -> (tensor<64x50xi32>, tensor<1000x5xi32>, tensor<3x50000xi32>, tensor<2x3000xi32>) {
  %0:2 = trace.topk %a k = 50 dim = 1 : (tensor<64x50304xf32>) -> (tensor<64x50xf32>, tensor<64x50xi32>)
  %1:2 = trace.sort %b dim = 1 : (tensor<1000x5xi16>) -> (tensor<1000x5xi16>, tensor<1000x5xi32>)
  %2:2 = trace.sort %c dim = 1 descending : (tensor<3x50000xf16>) -> (tensor<3x50000xf16>, tensor<3x50000xi32>)
  %3:2 = trace.topk %d k = 3000 dim = 1 : (tensor<2x9000xf64>) -> (tensor<2x3000xf64>, tensor<2x3000xi32>)
  return %0#1, %1#1, %2#1, %3#1 : tensor<64x50xi32>, tensor<1000x5xi32>, tensor<3x50000xi32>, tensor<2x3000xi32>
}
