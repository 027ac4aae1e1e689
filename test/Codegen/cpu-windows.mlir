// RUN: tripy-compile %s --target=cpu --cpu=x86-64-v4 --stop-after=asm -o - | FileCheck %s
// RUN: tripy-compile %s --target=cpu --cpu=x86-64-v2 -o %t.tpx

// A product packs windows of the input: neighbours are loaded with a mask of those that are inside.
// CHECK-LABEL: main_gemm_0_window_dot:
// CHECK: vmovups{{.*}}(%r{{.*}}), %{{[yz]}}mm{{[0-9]+}} {%k{{[0-9]}}} {z}
// CHECK: .size{{.*}}main_gemm_0_window_dot
func.func @main(%x: tensor<4x8x56x56xf32>, %w: tensor<64x8x3x3xf32>) -> tensor<4x64x56x56xf32> {
  %0 = trace.convolution %x, %w low = [1, 1] high = [1, 1] : (tensor<4x8x56x56xf32>, tensor<64x8x3x3xf32>) -> tensor<4x64x56x56xf32>
  return %0 : tensor<4x64x56x56xf32>
}
