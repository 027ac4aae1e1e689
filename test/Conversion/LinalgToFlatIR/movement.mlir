// Operations of tensor.
// RUN: tripy-opt %s --linalg-to-flatir --split-input-file | FileCheck %s

// CHECK-LABEL: @shapes
// CHECK: flatir.reshape %arg0 sizes() : tensor<4x6xf32> -> tensor<24xf32>
// CHECK: flatir.reshape %arg0 sizes() : tensor<4x6xf32> -> tensor<4x2x3xf32>
// CHECK: %[[PART:.*]] = flatir.slice %arg0 [1, 2] strides = [2, 1] sizes() : tensor<4x6xf32> -> tensor<2x1xf32>
// CHECK: flatir.reshape %[[PART]] sizes() : tensor<2x1xf32> -> tensor<2xf32>
// CHECK: flatir.concatenate %arg0, %arg0 dim = 1
// CHECK-NOT: tensor.
func.func @shapes(%a: tensor<4x6xf32>) -> (tensor<24xf32>, tensor<4x2x3xf32>, tensor<2xf32>, tensor<4x12xf32>) {
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
  %1 = tensor.expand_shape %a [[0], [1, 2]] output_shape [4, 2, 3] : tensor<4x6xf32> into tensor<4x2x3xf32>
  %2 = tensor.extract_slice %a[1, 2] [2, 1] [2, 1] : tensor<4x6xf32> to tensor<2xf32>
  %3 = tensor.concat dim(1) %a, %a : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x12xf32>
  return %0, %1, %2, %3 : tensor<24xf32>, tensor<4x2x3xf32>, tensor<2xf32>, tensor<4x12xf32>
}

// -----

// CHECK-LABEL: @pad
// CHECK: %[[BORDER:.*]] = flatir.constant dense<1.000000e+00> : tensor<2x2xf32>
// CHECK: %[[WIDE:.*]] = flatir.concatenate %arg0, %[[BORDER]] dim = 1
// CHECK: %[[TOP:.*]] = flatir.constant dense<1.000000e+00> : tensor<1x5xf32>
// CHECK: flatir.concatenate %[[TOP]], %[[WIDE]] dim = 0
func.func @pad(%a: tensor<2x3xf32>) -> tensor<3x5xf32> {
  %one = arith.constant 1.0 : f32
  %0 = tensor.pad %a low[1, 0] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f32
  } : tensor<2x3xf32> to tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// What is written over is cut away.
// CHECK-LABEL: @insert
// CHECK: flatir.concatenate %arg0, %arg1 dim = 1
func.func @insert(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) -> tensor<2x7xf32> {
  %e = tensor.empty() : tensor<2x7xf32>
  %0 = tensor.insert_slice %a into %e[0, 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<2x7xf32>
  %1 = tensor.insert_slice %b into %0[0, 3] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<2x7xf32>
  return %1 : tensor<2x7xf32>
}

// -----

// A box of run-time sizes is required to be inside.
// CHECK-LABEL: @dynamic
// CHECK: flatir.require "at_most" {{.*}} "the part of 'extract_slice' is inside in dimension 0"
// CHECK: flatir.slice %arg0 [%{{.*}}] strides = [1] sizes(%{{.*}}) : tensor<?xf32> -> tensor<?xf32>
// CHECK: flatir.require "equal" {{.*}} "'expand_shape' keeps the elements of dimension 0"
// CHECK: flatir.reshape
func.func @dynamic(%a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?x2xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %b, %c0 : tensor<?xf32>
  %m = arith.divui %n, %c2 : index
  %0 = tensor.extract_slice %a[%m] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %1 = tensor.expand_shape %b [[0, 1]] output_shape [%m, 2] : tensor<?xf32> into tensor<?x2xf32>
  return %0, %1 : tensor<?xf32>, tensor<?x2xf32>
}
