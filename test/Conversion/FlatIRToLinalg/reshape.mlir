// RUN: tripy-opt %s --flatir-to-linalg --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @same(
// CHECK-SAME: %[[A:.*]]: tensor<2x3xf32>
// CHECK-NEXT: return %[[A]]
func.func @same(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = flatir.reshape %a sizes() : tensor<2x3xf32> -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func.func @expand(
func.func @expand(%a: tensor<6x5xf32>) -> tensor<2x3x5xf32> {
  // CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [2, 3, 5]
  // CHECK-NOT: collapse
  %r = flatir.reshape %a sizes() : tensor<6x5xf32> -> tensor<2x3x5xf32>
  return %r : tensor<2x3x5xf32>
}

// -----

// CHECK-LABEL: func.func @collapse(
func.func @collapse(%a: tensor<2x3x5xf32>) -> tensor<6x5xf32> {
  // CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]] : tensor<2x3x5xf32> into tensor<6x5xf32>
  // CHECK-NOT: expand
  %r = flatir.reshape %a sizes() : tensor<2x3x5xf32> -> tensor<6x5xf32>
  return %r : tensor<6x5xf32>
}

// -----

// Only what changes goes through a common shape.
// CHECK-LABEL: func.func @regroup(
func.func @regroup(%a: tensor<7x4x3x2xf32>) -> tensor<7x6x4x1xf32> {
  // CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2, 3]] : tensor<7x4x3x2xf32> into tensor<7x24xf32>
  // CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2, 3]] output_shape [7, 6, 4, 1]
  %r = flatir.reshape %a sizes() : tensor<7x4x3x2xf32> -> tensor<7x6x4x1xf32>
  return %r : tensor<7x6x4x1xf32>
}

// -----

// Equal dynamic sizes match.
// CHECK-LABEL: func.func @dynamic(
func.func @dynamic(%a: tensor<?x4x3xf32>) -> tensor<?x12xf32> {
  // CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2]] : tensor<?x4x3xf32> into tensor<?x12xf32>
  %n = flatir.dim %a, 0 : tensor<?x4x3xf32>
  %r = flatir.reshape %a sizes(%n) : tensor<?x4x3xf32> -> tensor<?x12xf32>
  return %r : tensor<?x12xf32>
}

// -----

// CHECK-LABEL: func.func @split_batch(
func.func @split_batch(%a: tensor<?x4xf32>, %n: index, %m: index) -> tensor<?x?x4xf32> {
  // CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2]] output_shape [%arg1, %arg2, 4] : tensor<?x4xf32> into tensor<?x?x4xf32>
  %r = flatir.reshape %a sizes(%n, %m) : tensor<?x4xf32> -> tensor<?x?x4xf32>
  return %r : tensor<?x?x4xf32>
}

// -----

// CHECK-LABEL: func.func @from_scalar(
func.func @from_scalar(%a: tensor<f32>) -> tensor<1x1xf32> {
  // CHECK: tensor.expand_shape %{{.*}} [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  %r = flatir.reshape %a sizes() : tensor<f32> -> tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}

// -----

// CHECK-LABEL: func.func @to_scalar(
func.func @to_scalar(%a: tensor<1x1xf32>) -> tensor<f32> {
  // CHECK: tensor.collapse_shape %{{.*}} [] : tensor<1x1xf32> into tensor<f32>
  %r = flatir.reshape %a sizes() : tensor<1x1xf32> -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// What types cannot say is found by the element's number.
// CHECK-LABEL: func.func @by_number(
// CHECK-SAME: %[[A:.*]]: tensor<?xf32>
func.func @by_number(%a: tensor<?xf32>) -> tensor<2x3xf32> {
  // CHECK: linalg.generic
  // CHECK: %[[I:.*]] = linalg.index 0
  // CHECK: %[[L:.*]] = arith.addi %{{.*}}, %[[I]]
  // CHECK: %[[S:.*]] = arith.muli %[[L]], %{{.*}}
  // CHECK: %[[J:.*]] = linalg.index 1
  // CHECK: %[[K:.*]] = arith.addi %[[S]], %[[J]]
  // CHECK: tensor.extract %[[A]][%[[K]]]
  %r = flatir.reshape %a sizes() : tensor<?xf32> -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// There is nothing to read.
// CHECK-LABEL: func.func @empty(
func.func @empty(%a: tensor<0x3xf32>) -> tensor<2x0xf32> {
  // CHECK-NOT: collapse
  // CHECK: linalg.generic
  // CHECK-NEXT: ^bb0(%{{.*}}: f32):
  // CHECK-NEXT: arith.constant 0.0
  %r = flatir.reshape %a sizes() : tensor<0x3xf32> -> tensor<2x0xf32>
  return %r : tensor<2x0xf32>
}
