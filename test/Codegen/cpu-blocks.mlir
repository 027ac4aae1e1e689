// RUN: tripy-compile %s --target=cpu --cpu=x86-64-v4 --stop-after=kernels -o - | FileCheck %s

// A tensor that is read across its contiguous dimension is gone through in squares: a work item is a block of 64 x 64, of which
// a result of 81 x 70 has 2 x 2. Tiles of a product are smaller where there are few of them: 100 rows and columns are
// 1 x 2 of 102 x 64, since the rows of the left operand are read where they lie and only the right one is packed for each tile;
// one of many has 192 x 256.
// CHECK-DAG: kernel.func @main_loop{{.*}}transpose{{.*}} loop {{.*}}grid = () -> (4, 1, 1)
// CHECK-DAG: kernel.func @main_gemm{{[^(]*}} gemm {{.*}}grid = () -> (2, 1, 1)
// CHECK-DAG: kernel.func @main_gemm{{[^(]*}} gemm {{.*}}grid = () -> (176, 1, 1)
func.func @main(%x: tensor<70x81xf32>, %a: tensor<100x64xf32>, %b: tensor<64x100xf32>, %c: tensor<2048x64xf32>, %d: tensor<64x4096xf32>)
    -> (tensor<81x70xf32>, tensor<100x100xf32>, tensor<2048x4096xf32>) {
  %0 = trace.transpose %x dims = 0, 1 : (tensor<70x81xf32>) -> tensor<81x70xf32>
  %1 = trace.matmul %a, %b : (tensor<100x64xf32>, tensor<64x100xf32>) -> tensor<100x100xf32>
  %2 = trace.matmul %c, %d : (tensor<2048x64xf32>, tensor<64x4096xf32>) -> tensor<2048x4096xf32>
  return %0, %1, %2 : tensor<81x70xf32>, tensor<100x100xf32>, tensor<2048x4096xf32>
}
