// RUN: tripy-opt %s --canonicalize | FileCheck %s

// A contraction reads transposed operands where they lie.
// CHECK-LABEL: func.func @both
// CHECK-SAME: (%[[A:.*]]: tensor<8x4xf16>, %[[B:.*]]: tensor<5x8xf16>)
// CHECK-NEXT: flatir.dot %[[A]], %[[B]] batch = [] x [] contract = [0] x [1]
func.func @both(%a: tensor<8x4xf16>, %b: tensor<5x8xf16>) -> tensor<4x5xf16> {
  %0 = flatir.transpose %a [1, 0] : tensor<8x4xf16> -> tensor<4x8xf16>
  %1 = flatir.transpose %b [1, 0] : tensor<5x8xf16> -> tensor<8x5xf16>
  %2 = flatir.dot %0, %1 batch = [] x [] contract = [1] x [0] : (tensor<4x8xf16>, tensor<8x5xf16>) -> tensor<4x5xf16>
  return %2 : tensor<4x5xf16>
}

// Heads move: (batch, row, head, depth) to (batch, head, row, depth).
// CHECK-LABEL: func.func @heads
// CHECK-NOT: transpose
// CHECK: batch = [0, 2] x [0, 1] contract = [3] x [3]
func.func @heads(%a: tensor<2x7x3x4xf32>, %b: tensor<2x3x7x4xf32>) -> tensor<2x3x7x7xf32> {
  %0 = flatir.transpose %a [0, 2, 1, 3] : tensor<2x7x3x4xf32> -> tensor<2x3x7x4xf32>
  %1 = flatir.dot %0, %b batch = [0, 1] x [0, 1] contract = [3] x [3] : (tensor<2x3x7x4xf32>, tensor<2x3x7x4xf32>) -> tensor<2x3x7x7xf32>
  return %1 : tensor<2x3x7x7xf32>
}

// Two free dimensions that swap would swap in the result: it stays.
// CHECK-LABEL: func.func @swapped
// CHECK: flatir.transpose
func.func @swapped(%a: tensor<2x3x4xf32>, %b: tensor<5x4xf32>) -> tensor<3x2x5xf32> {
  %0 = flatir.transpose %a [1, 0, 2] : tensor<2x3x4xf32> -> tensor<3x2x4xf32>
  %1 = flatir.dot %0, %b batch = [] x [] contract = [2] x [1] : (tensor<3x2x4xf32>, tensor<5x4xf32>) -> tensor<3x2x5xf32>
  return %1 : tensor<3x2x5xf32>
}
