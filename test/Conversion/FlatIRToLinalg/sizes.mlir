// RUN: tripy-compile %s --target=cpu -o %t.tpx && tripy-run %t.tpx | FileCheck %s

// Sizes of `?` that are numbers: a reshape that changes nothing leaves its operand as it is, with the sizes that others use.
// CHECK: 3.0000
// CHECK: [0, 0, 0, 0]
// CHECK: shape=(2, 4)
func.func @main() -> (tensor<48x2x?xf32>, tensor<48x2x?xf32>, tensor<2x?xi32>) {
  %n = arith.constant 4 : index
  %0 = trace.full [48, 2, %n] value = 3.0 : f32 -> tensor<48x2x?xf32>
  %1 = trace.round %0 : (tensor<48x2x?xf32>) -> tensor<48x2x?xf32>
  %2 = trace.argmin %1 dim = -3 keepdim : (tensor<48x2x?xf32>) -> tensor<1x2x?xi32>
  %3 = trace.squeeze %2 dims = [0] : (tensor<1x2x?xi32>) -> tensor<2x?xi32>
  return %0, %1, %3 : tensor<48x2x?xf32>, tensor<48x2x?xf32>, tensor<2x?xi32>
}
