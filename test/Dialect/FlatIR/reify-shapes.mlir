// RUN: tripy-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize --cse --split-input-file | FileCheck %s

// Sizes of results in terms of operands, through upstream's interface and pass.

// CHECK-LABEL: func.func @permuted
// CHECK-SAME: (%[[X:.*]]: tensor<?x3x?xf32>)
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[A:.*]] = tensor.dim %[[X]], %[[C2]]
// CHECK-DAG: %[[B:.*]] = tensor.dim %[[X]], %[[C0]]
// CHECK: return %[[A]], %[[B]]
func.func @permuted(%x: tensor<?x3x?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = flatir.transpose %x [2, 0, 1] : tensor<?x3x?xf32> -> tensor<?x?x3xf32>
  %1 = flatir.exp %0 : tensor<?x?x3xf32>
  %2 = tensor.dim %1, %c0 : tensor<?x?x3xf32>
  %3 = tensor.dim %1, %c1 : tensor<?x?x3xf32>
  return %2, %3 : index, index
}

// -----

// CHECK-LABEL: func.func @summed
// CHECK-SAME: (%[[X:.*]]: tensor<?x2xf32>, %[[Y:.*]]: tensor<5x2xf32>)
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %c0
// CHECK-NEXT: %[[S:.*]] = arith.addi %[[N]], %c5
// CHECK-NEXT: %[[T:.*]] = arith.addi %[[S]], %[[N]]
// CHECK: return %[[T]]
func.func @summed(%x: tensor<?x2xf32>, %y: tensor<5x2xf32>) -> index {
  %c0 = arith.constant 0 : index
  %0 = flatir.concatenate %x, %y, %x dim = 0 : (tensor<?x2xf32>, tensor<5x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %1 = tensor.dim %0, %c0 : tensor<?x2xf32>
  return %1 : index
}

// -----

// Batch, left and right dimensions; the batch's size is known of one operand.
// CHECK-LABEL: func.func @contracted
// CHECK-SAME: (%[[X:.*]]: tensor<?x?x8xf32>, %[[Y:.*]]: tensor<4x?x8xf32>)
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[M:.*]] = tensor.dim %[[X]], %[[C1]]
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[Y]], %[[C1]]
// CHECK: return %[[C4]], %[[M]], %[[N]]
func.func @contracted(%x: tensor<?x?x8xf32>, %y: tensor<4x?x8xf32>) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = flatir.dot %x, %y batch = [0] x [0] contract = [2] x [2] : (tensor<?x?x8xf32>, tensor<4x?x8xf32>) -> tensor<4x?x?xf32>
  %1 = tensor.dim %0, %c0 : tensor<4x?x?xf32>
  %2 = tensor.dim %0, %c1 : tensor<4x?x?xf32>
  %3 = tensor.dim %0, %c2 : tensor<4x?x?xf32>
  return %1, %2, %3 : index, index, index
}

// -----

// CHECK-LABEL: func.func @others
// CHECK-SAME: (%[[X:.*]]: tensor<?x?x?xf32>, %[[I:.*]]: tensor<?x6xi32>, %[[N:.*]]: index)
// CHECK-DAG: %[[GATHERED:.*]] = tensor.dim %[[I]], %c0
// CHECK-DAG: %[[BEHIND:.*]] = tensor.dim %[[X]], %c2
// CHECK-DAG: %[[FIRST:.*]] = tensor.dim %[[X]], %c0
// CHECK: return %[[GATHERED]], %[[BEHIND]], %[[FIRST]], %[[BEHIND]], %[[N]], %c3
func.func @others(%x: tensor<?x?x?xf32>, %i: tensor<?x6xi32>, %n: index) -> (index, index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %g = flatir.gather %x, %i dim = 1 : (tensor<?x?x?xf32>, tensor<?x6xi32>) -> tensor<?x?x6x?xf32>
  %0 = tensor.dim %g, %c1 : tensor<?x?x6x?xf32>
  %1 = tensor.dim %g, %c3 : tensor<?x?x6x?xf32>
  %r = flatir.reduce sum %x dims = [1] : tensor<?x?x?xf32> -> tensor<?x?xf32>
  %2 = tensor.dim %r, %c0 : tensor<?x?xf32>
  %3 = tensor.dim %r, %c1 : tensor<?x?xf32>
  %b = flatir.broadcast %r dims = [1, 2] sizes(%n, %2, %3) : tensor<?x?xf32> -> tensor<?x?x?xf32>
  %4 = tensor.dim %b, %c0 : tensor<?x?x?xf32>
  %s = flatir.sort %x count = 3 : tensor<?x?x?xf32> -> tensor<?x?x3xi32>
  %5 = tensor.dim %s, %c2 : tensor<?x?x3xi32>
  return %0, %1, %2, %3, %4, %5 : index, index, index, index, index, index
}

// -----

// A composite's sizes follow from its region, of which nothing stays behind.
// CHECK-LABEL: func.func @composite
// CHECK-SAME: (%[[X:.*]]: tensor<?x?xf32>)
// CHECK: %[[N:.*]] = tensor.dim %[[X]], %c1
// CHECK-NEXT: %[[S:.*]] = arith.addi %[[N]], %[[N]]
// CHECK-NEXT: return %[[S]]
func.func @composite(%x: tensor<?x?xf32>) -> index {
  %c0 = arith.constant 0 : index
  %0 = flatir.composite "twice" (%x) {} : (tensor<?x?xf32>) -> tensor<?x?xf32> {
  ^bb0(%a: tensor<?x?xf32>):
    %1 = flatir.transpose %a [1, 0] : tensor<?x?xf32> -> tensor<?x?xf32>
    %2 = math.sin %1 : tensor<?x?xf32>
    %3 = flatir.concatenate %2, %1 dim = 0 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    flatir.yield %3 : tensor<?x?xf32>
  }
  %4 = tensor.dim %0, %c0 : tensor<?x?xf32>
  return %4 : index
}
