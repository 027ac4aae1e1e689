// RUN: tripy-compile %s --target=cpu --stop-after=kernels -o - | FileCheck %s
// RUN: tripy-compile %s --target=cpu -o %t.tpx
// RUN: tripy-run %t.tpx --input x=random --input y=random:3x600 --output result0=@%t.0.npy --output result2=@%t.2.npy --output result3=@%t.3.npy
// RUN: tripy-compile %s --evaluate --input x=random --input y=random:3x600 --result result0=@%t.e0.npy --result result2=@%t.e2.npy --result result3=@%t.e3.npy
// RUN: cmp %t.0.npy %t.e0.npy && cmp %t.2.npy %t.e2.npy && cmp %t.3.npy %t.e3.npy

// Whole rows are sorted digit by digit: scratch has counts and positions, 4 x 256 and 1000 of 4 bytes; of rows that may have up
// to 65536 elements, 3 x 2048 and 65536. The first positions of a row, and short rows, need none.
// CHECK-DAG: kernel.func @main_sort{{[^ ]*}} {{.*}}scratch = 8096> {{.*}}tensor<2x1000xf32>
// CHECK-DAG: kernel.func @main_sort{{[^ ]*}} {{.*}}scratch = 0> {{.*}}-> tensor<2x63xi32>
// CHECK-DAG: kernel.func @main_sort{{[^ ]*}} {{.*}}scratch = 0> {{.*}}-> tensor<2x10xi32>
// CHECK-DAG: kernel.func @main_sort{{[^ ]*}} {{.*}}scratch = 286720> {{.*}}tensor<?x?xf32>
func.func @main(%x: tensor<2x1000xf32> {tripy.name = "x"}, %y: tensor<?x?xf32> {tripy.name = "y", tripy.profile = #tripy.profile<min = [1, 1], opt = [2, 1000], max = [8, 100000]>})
    -> (tensor<2x1000xf32>, tensor<2x63xi32>, tensor<2x10xf32>, tensor<?x?xf32>) {
  %0, %a = trace.sort %x dim = 1 : (tensor<2x1000xf32>) -> (tensor<2x1000xf32>, tensor<2x1000xi32>)
  %1 = trace.slice %x [0, 0] to [2, 63] by [1, 1] : (tensor<2x1000xf32>) -> tensor<2x63xf32>
  %b, %2 = trace.sort %1 dim = 1 descending : (tensor<2x63xf32>) -> (tensor<2x63xf32>, tensor<2x63xi32>)
  %3, %c = trace.topk %x k = 10 dim = 1 : (tensor<2x1000xf32>) -> (tensor<2x10xf32>, tensor<2x10xi32>)
  %4, %d = trace.sort %y dim = 1 : (tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xi32>)
  return %0, %2, %3, %4 : tensor<2x1000xf32>, tensor<2x63xi32>, tensor<2x10xf32>, tensor<?x?xf32>
}
