// The rows of a padded tensor lie behind a condition, and the place of a row
// follows from a division. With masked loads (AVX-512 and AVX2), LLVM 22's
// vectorizer computed it in the first lane alone, and read from anywhere.
// RUN: tripy-compile %s -o %t.tpx --no-cache && tripy-run %t.tpx --input a=iota:15x2x1 | FileCheck %s

// CHECK:      tensor(
// CHECK-NEXT: {{\[\[\[}}3.0000, 3.0000, 3.0000, 3.0000],
// CHECK-NEXT: [3.0000, 3.0000, 3.0000, 3.0000]],
// CHECK-EMPTY:
// CHECK-NEXT: {{\[\[}}3.0000, 3.0000, 0.0000, 3.0000],
// CHECK-NEXT: [3.0000, 3.0000, 1.0000, 3.0000]],
#size = #tripy.profile<min = [15, 2, 1], opt = [15, 2, 1], max = [15, 2, 1]>
func.func @main(%a: tensor<15x?x1xf32> {tripy.name = "a", tripy.profile = #size}) -> tensor<16x?x4xf32> {
  %0 = trace.pad %a low [1, 0, 2] high [0, 0, 1] value = 3.0 : f32 : (tensor<15x?x1xf32>) -> tensor<16x?x4xf32>
  return %0 : tensor<16x?x4xf32>
}
