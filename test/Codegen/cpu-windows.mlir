// RUN: tripy-compile %s --target=cpu --cpu=x86-64-v4 --stop-after=llvm -o - | FileCheck %s
// RUN: tripy-compile %s --target=cpu --cpu=x86-64-v2 --stop-after=llvm -o - | FileCheck %s --check-prefix=NARROW
// RUN: tripy-compile %s --target=cpu -o %t.tpx && tripy-run %t.tpx --input x=iota:1x2x3x3 --input w=ones:2x2x3x3 --input v=ones:2x1x2x2 | FileCheck %s --check-prefix=VALUE

// A convolution packs its windows as vectors of columns, with masks where they are outside of the input: loaded where they are
// neighbours, else gathered. Nothing writes the windows. Vectors of 128 bits have no masks.
// CHECK-NOT: @main_loop{{.*}}window
// CHECK: llvm.func internal @main_gemm{{.*}}window_dot
// CHECK-DAG: llvm.intr.masked.load
// CHECK-DAG: llvm.intr.masked.gather
// NARROW-NOT: llvm.intr.masked
// VALUE: {{\[\[\[\[}}52.0000, 84.0000, 60.0000],
// VALUE-NEXT: [96.0000, 153.0000, 108.0000],
// VALUE-NEXT: [76.0000, 120.0000, 84.0000]]
// VALUE: {{\[\[\[\[}}0.0000, 3.0000],
// VALUE-NEXT: [9.0000, 24.0000]]
// VALUE: {{\[\[}}9.0000, 21.0000],
// VALUE-NEXT: [27.0000, 60.0000]]
func.func @main(%x: tensor<1x2x3x3xf32>, %w: tensor<2x2x3x3xf32>, %v: tensor<2x1x2x2xf32>) -> (tensor<1x2x3x3xf32>, tensor<1x2x2x2xf32>) {
  %0 = trace.convolution %x, %w low = [1, 1] high = [1, 1] : (tensor<1x2x3x3xf32>, tensor<2x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %1 = trace.convolution %x, %v stride = [2, 2] low = [1, 1] groups = 2 : (tensor<1x2x3x3xf32>, tensor<2x1x2x2xf32>) -> tensor<1x2x2x2xf32>
  return %0, %1 : tensor<1x2x3x3xf32>, tensor<1x2x2x2xf32>
}
