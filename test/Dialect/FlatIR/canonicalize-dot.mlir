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

// What the program allows stays with the contraction.
// CHECK-LABEL: func.func @tf32
// CHECK-NEXT: flatir.dot {{.*}} contract = [0] x [0] allow_tf32
func.func @tf32(%a: tensor<8x4xf32>, %b: tensor<8x5xf32>) -> tensor<4x5xf32> {
  %0 = flatir.transpose %a [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %1 = flatir.dot %0, %b batch = [] x [] contract = [1] x [0] allow_tf32 : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
}

// f8E4M3FN is exact in 16 bits, and summed in f32 either way.
// CHECK-LABEL: func.func @converted
// CHECK-SAME: (%[[A:.*]]: tensor<8x4xf8E4M3FN>, %[[B:.*]]: tensor<5x8xf8E4M3FN>)
// CHECK-NEXT: flatir.dot %[[A]], %[[B]] batch = [] x [] contract = [0] x [1] : (tensor<8x4xf8E4M3FN>, tensor<5x8xf8E4M3FN>) -> tensor<4x5xbf16>
func.func @converted(%a: tensor<8x4xf8E4M3FN>, %b: tensor<5x8xf8E4M3FN>) -> tensor<4x5xbf16> {
  %0 = flatir.convert %a : tensor<8x4xf8E4M3FN> -> tensor<8x4xbf16>
  %1 = flatir.transpose %0 [1, 0] : tensor<8x4xbf16> -> tensor<4x8xbf16>
  %2 = flatir.convert %b : tensor<5x8xf8E4M3FN> -> tensor<5x8xbf16>
  %3 = flatir.dot %1, %2 batch = [] x [] contract = [1] x [1] : (tensor<4x8xbf16>, tensor<5x8xbf16>) -> tensor<4x5xbf16>
  return %3 : tensor<4x5xbf16>
}

// An f32 sum, one operand of 16 bits, and a conversion that rounds: they stay.
// CHECK-LABEL: func.func @not_absorbed
// CHECK: flatir.dot {{.*}} : (tensor<4x8xf16>, tensor<5x8xf16>) -> tensor<4x5xf32>
// CHECK: flatir.dot {{.*}} : (tensor<4x8xf16>, tensor<5x8xf16>) -> tensor<4x5xf16>
// CHECK: flatir.dot {{.*}} : (tensor<4x8xf16>, tensor<5x8xf16>) -> tensor<4x5xf16>
func.func @not_absorbed(%a: tensor<4x8xf8E4M3FN>, %b: tensor<5x8xf8E4M3FN>, %c: tensor<5x8xf16>, %d: tensor<4x8xf32>, %e: tensor<5x8xf32>) -> (tensor<4x5xf32>, tensor<4x5xf16>, tensor<4x5xf16>) {
  %0 = flatir.convert %a : tensor<4x8xf8E4M3FN> -> tensor<4x8xf16>
  %1 = flatir.convert %b : tensor<5x8xf8E4M3FN> -> tensor<5x8xf16>
  %2 = flatir.dot %0, %1 batch = [] x [] contract = [1] x [1] : (tensor<4x8xf16>, tensor<5x8xf16>) -> tensor<4x5xf32>
  %3 = flatir.dot %0, %c batch = [] x [] contract = [1] x [1] : (tensor<4x8xf16>, tensor<5x8xf16>) -> tensor<4x5xf16>
  %4 = flatir.convert %d : tensor<4x8xf32> -> tensor<4x8xf16>
  %5 = flatir.convert %e : tensor<5x8xf32> -> tensor<5x8xf16>
  %6 = flatir.dot %4, %5 batch = [] x [] contract = [1] x [1] : (tensor<4x8xf16>, tensor<5x8xf16>) -> tensor<4x5xf16>
  return %2, %3, %6 : tensor<4x5xf32>, tensor<4x5xf16>, tensor<4x5xf16>
}
