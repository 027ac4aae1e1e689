// RUN: tripy-compile %s --target=cuda --stop-after=kernels | FileCheck %s

// Eight elements of a row that begins at a byte are one load of four bytes, two
// of each of which are made. A byte is loaded for each element where a row may
// begin in the middle of one.

// CHECK-LABEL: gpu.func @main_loop_{{.*}}dequantize
// CHECK: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<4xi8>
// CHECK: arith.shli
// CHECK: arith.shrsi
// CHECK-NOT: !llvm.ptr<1> -> i8
// CHECK: gpu.return
func.func @main(%x: tensor<33x64xi4>, %s: tensor<f32>) -> tensor<33x64xf32> {
  %r = trace.dequantize %x, %s : (tensor<33x64xi4>, tensor<f32>) -> tensor<33x64xf32>
  return %r : tensor<33x64xf32>
}
