// RUN: tripy-opt %s --canonicalize --cse --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @identities
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
func.func @identities(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %0 = flatir.broadcast %x dims = [0, 1] sizes() : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = flatir.reshape %x sizes() : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = flatir.transpose %x [0, 1] : tensor<2x3xf32> -> tensor<2x3xf32>
  %3 = flatir.slice %x [0, 0] strides = [1, 1] sizes() : tensor<2x3xf32> -> tensor<2x3xf32>
  %4 = flatir.concatenate %x dim = 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %1, %2, %3, %4 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func.func @dynamic_identities
// CHECK-SAME: (%[[X:.*]]: tensor<?x3xf32>, %[[N:.*]]: index)
// CHECK-NEXT: %[[B:.*]] = flatir.broadcast %[[X]] dims = [0, 1] sizes(%[[N]])
// CHECK-NEXT: return %[[X]], %[[X]], %[[B]]
func.func @dynamic_identities(%x: tensor<?x3xf32>, %other: index) -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) {
  %n = flatir.dim %x, 0 : tensor<?x3xf32>
  %0 = flatir.broadcast %x dims = [0, 1] sizes(%n) : tensor<?x3xf32> -> tensor<?x3xf32>
  %1 = flatir.reshape %x sizes(%n) : tensor<?x3xf32> -> tensor<?x3xf32>
  %2 = flatir.broadcast %x dims = [0, 1] sizes(%other) : tensor<?x3xf32> -> tensor<?x3xf32>
  return %0, %1, %2 : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>
}

// -----

// CHECK-LABEL: func.func @compositions
// CHECK-SAME: (%[[X:.*]]: tensor<2x1x3xf32>)
// CHECK-DAG: %[[R:.*]] = flatir.reshape %[[X]] sizes() : tensor<2x1x3xf32> -> tensor<3x2xf32>
// CHECK-DAG: %[[T:.*]] = flatir.transpose %[[X]] [1, 0, 2] : tensor<2x1x3xf32> -> tensor<1x2x3xf32>
// CHECK-DAG: %[[B:.*]] = flatir.broadcast %[[X]] dims = [1, 2, 4] sizes() : tensor<2x1x3xf32> -> tensor<7x2x5x1x3xf32>
// CHECK: return %[[R]], %[[T]], %[[X]], %[[B]]
func.func @compositions(%x: tensor<2x1x3xf32>) -> (tensor<3x2xf32>, tensor<1x2x3xf32>, tensor<2x1x3xf32>, tensor<7x2x5x1x3xf32>) {
  %0 = flatir.reshape %x sizes() : tensor<2x1x3xf32> -> tensor<6xf32>
  %1 = flatir.reshape %0 sizes() : tensor<6xf32> -> tensor<3x2xf32>
  %2 = flatir.transpose %x [1, 2, 0] : tensor<2x1x3xf32> -> tensor<1x3x2xf32>
  %3 = flatir.transpose %2 [0, 2, 1] : tensor<1x3x2xf32> -> tensor<1x2x3xf32>
  %4 = flatir.transpose %2 [2, 0, 1] : tensor<1x3x2xf32> -> tensor<2x1x3xf32>
  %5 = flatir.broadcast %x dims = [0, 1, 2] sizes() : tensor<2x1x3xf32> -> tensor<2x5x3xf32>
  %6 = flatir.broadcast %5 dims = [1, 2, 4] sizes() : tensor<2x5x3xf32> -> tensor<7x2x5x1x3xf32>
  return %1, %3, %4, %6 : tensor<3x2xf32>, tensor<1x2x3xf32>, tensor<2x1x3xf32>, tensor<7x2x5x1x3xf32>
}

// -----

// A splat that moves is a splat.
// CHECK-LABEL: func.func @splats
// CHECK-DAG: dense<2.000000e+00> : tensor<1024x1024x3xf32>
// CHECK-DAG: dense<2.000000e+00> : tensor<3x1xf32>
// CHECK-DAG: dense<2.000000e+00> : tensor<2xf32>
// CHECK-DAG: dense<2.000000e+00> : tensor<6xf32>
// CHECK-DAG: dense<2.000000e+00> : tensor<f32>
// CHECK-NOT: flatir.broadcast
func.func @splats() -> (tensor<1024x1024x3xf32>, tensor<3x1xf32>, tensor<2xf32>, tensor<6xf32>, tensor<f32>) {
  %c = flatir.constant dense<2.0> : tensor<3xf32>
  %0 = flatir.broadcast %c dims = [2] sizes() : tensor<3xf32> -> tensor<1024x1024x3xf32>
  %1 = flatir.reshape %c sizes() : tensor<3xf32> -> tensor<3x1xf32>
  %2 = flatir.slice %c [2] strides = [-2] sizes() : tensor<3xf32> -> tensor<2xf32>
  %3 = flatir.concatenate %c, %c dim = 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
  %4 = flatir.reduce max %c dims = [0] : tensor<3xf32> -> tensor<f32>
  return %0, %1, %2, %3, %4 : tensor<1024x1024x3xf32>, tensor<3x1xf32>, tensor<2xf32>, tensor<6xf32>, tensor<f32>
}

// -----

// CHECK-LABEL: func.func @concatenate_nothing
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>, %{{.*}}: tensor<2x0xf32>, %[[Z:.*]]: tensor<2x1xf32>)
// CHECK-NEXT: %[[R:.*]] = flatir.concatenate %[[X]], %[[Z]] dim = 1
// CHECK-NEXT: return %[[X]], %[[R]]
func.func @concatenate_nothing(%x: tensor<2x3xf32>, %y: tensor<2x0xf32>, %z: tensor<2x1xf32>) -> (tensor<2x3xf32>, tensor<2x4xf32>) {
  %0 = flatir.concatenate %y, %x dim = 1 : (tensor<2x0xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = flatir.concatenate %x, %y, %z dim = 1 : (tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x4xf32>
}

// -----

// Sizes are traced back to the inputs.
// CHECK-LABEL: func.func @sizes
// CHECK-SAME: (%[[X:.*]]: tensor<?x?x4xf32>, %[[Y:.*]]: tensor<4x?xf32>, %[[N:.*]]: index)
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[X0:.*]] = flatir.dim %[[X]], 0
// CHECK-DAG: %[[X1:.*]] = flatir.dim %[[X]], 1
// CHECK-DAG: %[[Y1:.*]] = flatir.dim %[[Y]], 1
// CHECK-NOT: flatir.transpose
// CHECK: return %[[X1]], %[[X0]], %[[Y1]], %[[X1]], %[[N]], %[[C4]], %[[X1]]
func.func @sizes(%x: tensor<?x?x4xf32>, %y: tensor<4x?xf32>, %n: index) -> (index, index, index, index, index, index, index) {
  %t = flatir.transpose %x [1, 0, 2] : tensor<?x?x4xf32> -> tensor<?x?x4xf32>
  %e = flatir.exp %t : tensor<?x?x4xf32>
  %0 = flatir.dim %e, 0 : tensor<?x?x4xf32>
  %d = flatir.dot %x, %y batch = [] x [] contract = [2] x [0] : (tensor<?x?x4xf32>, tensor<4x?xf32>) -> tensor<?x?x?xf32>
  %1 = flatir.dim %d, 0 : tensor<?x?x?xf32>
  %2 = flatir.dim %d, 2 : tensor<?x?x?xf32>
  %r = flatir.reduce sum %x dims = [0] : tensor<?x?x4xf32> -> tensor<?x4xf32>
  %3 = flatir.dim %r, 0 : tensor<?x4xf32>
  %b = flatir.broadcast %r dims = [1, 2] sizes(%n, %3) : tensor<?x4xf32> -> tensor<?x?x4xf32>
  %4 = flatir.dim %b, 0 : tensor<?x?x4xf32>
  %5 = flatir.dim %b, 2 : tensor<?x?x4xf32>
  %c = flatir.concatenate %x, %x dim = 0 : (tensor<?x?x4xf32>, tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  %6 = flatir.dim %c, 1 : tensor<?x?x4xf32>
  return %0, %1, %2, %3, %4, %5, %6 : index, index, index, index, index, index, index
}

// -----

// CHECK-LABEL: func.func @from_index
// CHECK-DAG: flatir.constant dense<4.000000e+00> : tensor<f32>
// CHECK-DAG: flatir.constant dense<4> : tensor<i32>
func.func @from_index(%x: tensor<4xf32>) -> (tensor<f32>, tensor<i32>) {
  %n = flatir.dim %x, 0 : tensor<4xf32>
  %0 = flatir.from_index %n : tensor<f32>
  %1 = flatir.from_index %n : tensor<i32>
  return %0, %1 : tensor<f32>, tensor<i32>
}

// -----

// CHECK-LABEL: func.func @require
// CHECK-SAME: (%[[N:.*]]: index, %[[M:.*]]: index)
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK: flatir.require "equal" %[[C2]], %[[C3]] "never"
// CHECK-NEXT: flatir.require "equal" %[[N]], %[[M]] "sometimes"
// CHECK-NEXT: flatir.require "at_most" %[[C3]], %[[C2]] "never"
// CHECK-NEXT: return
func.func @require(%n: index, %m: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  flatir.require "equal" %n, %n "always"
  flatir.require "equal" %c2, %c2 "always"
  flatir.require "equal" %c2, %c3 "never"
  flatir.require "broadcastable" %n, %c1 "always"
  flatir.require "equal" %n, %m "sometimes"
  flatir.require "at_most" %c2, %c3 "always"
  flatir.require "at_most" %c3, %c2 "never"
  return
}

// -----

// The data of a resource is shared, not copied.
// CHECK-LABEL: func.func @resource
// CHECK-NEXT: flatir.constant dense_resource<weights> : tensor<2x1xf32>
func.func @resource() -> tensor<2x1xf32> {
  %w = flatir.constant dense_resource<weights> : tensor<2xf32>
  %r = flatir.reshape %w sizes() : tensor<2xf32> -> tensor<2x1xf32>
  return %r : tensor<2x1xf32>
}
{-# dialect_resources: { builtin: { weights: "0x040000000000803F000000C0" } } #-}

// -----

// A slice of a slice is one slice, also where both go backwards, and of sizes
// that only run time tells. Offsets that are not known stay apart.
// CHECK-LABEL: func.func @slices
// CHECK: flatir.slice %arg0 [0, 7] strides = [1, -6] sizes() : tensor<4x8xf32> -> tensor<4x2xf32>
// CHECK: flatir.slice %arg1 [3] strides = [2] sizes(%arg2) : tensor<?xf32> -> tensor<?xf32>
// CHECK: %[[PART:.*]] = flatir.slice %arg1 [%arg2]
// CHECK: flatir.slice %[[PART]] [1]
func.func @slices(%x: tensor<4x8xf32>, %y: tensor<?xf32>, %n: index) -> (tensor<4x2xf32>, tensor<?xf32>, tensor<2xf32>) {
  %0 = flatir.slice %x [0, 1] strides = [1, 2] sizes() : tensor<4x8xf32> -> tensor<4x4xf32>
  %1 = flatir.slice %0 [0, 3] strides = [1, -3] sizes() : tensor<4x4xf32> -> tensor<4x2xf32>
  %2 = flatir.slice %y [1] strides = [2] sizes(%n) : tensor<?xf32> -> tensor<?xf32>
  %3 = flatir.slice %2 [1] strides = [1] sizes(%n) : tensor<?xf32> -> tensor<?xf32>
  %4 = flatir.slice %y [%n] strides = [1] sizes(%n) : tensor<?xf32> -> tensor<?xf32>
  %5 = flatir.slice %4 [1] strides = [1] sizes() : tensor<?xf32> -> tensor<2xf32>
  return %1, %3, %5 : tensor<4x2xf32>, tensor<?xf32>, tensor<2xf32>
}
