// Kernels that differ only in their names and in shapes that their code does
// not know are compiled once; each launch keeps its own sizes and lines. (A
// program's first kernel waits for its arguments, which later ones need not.)
// RUN: tripy-compile %s -o %t.tpx --target=cuda
// RUN: tripy-run %t.tpx --info | FileCheck %s
// RUN: tripy-compile %s -o %t.tpx --target=cpu --report-why 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: tripy-run %t.tpx --info | FileCheck %s
// CHECK: kernels: 3, launches: 5
// WHY: main_loop_0_neg
// WHY-NEXT: {{.*}}equal-kernels.mlir:[[#@LINE+15]]
// WHY-NEXT: main_loop_1_exp
// WHY-NEXT: {{.*}}equal-kernels.mlir:[[#@LINE+14]]
// WHY-NEXT: main_loop_1_exp
// WHY-NEXT: {{.*}}equal-kernels.mlir:[[#@LINE+13]]
// WHY-NEXT: main_loop_1_exp
// WHY-NEXT: {{.*}}equal-kernels.mlir:[[#@LINE+12]]
// WHY-NEXT: main_loop_4_exp
// RUN: tripy-run %t.tpx --input x=zeros --input y=2x4xf32=0,1,2,3,4,5,6,7 --input z=zeros --input w=zeros | FileCheck %s --check-prefix=RESULT
// RESULT: result0
// RESULT: result1
// RESULT: 54.5982, 148.4132, 403.4288, 1096.6332
// RESULT: result3 = {{.*}}1.0000, 1.0000
func.func @main(%x: tensor<4x2xf32> {tripy.name = "x"}, %y: tensor<2x4xf32> {tripy.name = "y"}, %z: tensor<8xf32> {tripy.name = "z"}, %w: tensor<9xf32> {tripy.name = "w"})
    -> (tensor<4x2xf32>, tensor<2x4xf32>, tensor<8xf32>, tensor<9xf32>, tensor<9xf32>) {
  %4 = trace.neg %w : (tensor<9xf32>) -> tensor<9xf32>
  %0 = trace.exp %x : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %1 = trace.exp %y : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = trace.exp %z : (tensor<8xf32>) -> tensor<8xf32>
  %3 = trace.exp %w : (tensor<9xf32>) -> tensor<9xf32>
  return %0, %1, %2, %3, %4 : tensor<4x2xf32>, tensor<2x4xf32>, tensor<8xf32>, tensor<9xf32>, tensor<9xf32>
}
