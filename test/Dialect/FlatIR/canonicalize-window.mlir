// RUN: tripy-opt %s --canonicalize --cse --split-input-file | FileCheck %s

// A window of one element, of which each is taken, is a reshape.
// CHECK-LABEL: func.func @whole
// CHECK-SAME: (%[[X:.*]]: tensor<2x8xf32>)
// CHECK-NEXT: %[[R:.*]] = flatir.reshape %[[X]] sizes() : tensor<2x8xf32> -> tensor<1x2x8xf32>
// CHECK-NEXT: return %[[R]]
func.func @whole(%x: tensor<2x8xf32>) -> tensor<1x2x8xf32> {
  %r = flatir.window %x dims = [1] window = [1] strides = [1] dilations = [3] interior = [1] low = [0] value = 0.0 : f32 sizes() : tensor<2x8xf32> -> tensor<1x2x8xf32>
  return %r : tensor<1x2x8xf32>
}

// -----

// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: (%[[X:.*]]: tensor<2x?xf32>, %[[N:.*]]: index)
// CHECK-NEXT: %[[D:.*]] = flatir.dim %[[X]], 1
// CHECK-NEXT: %[[W:.*]] = flatir.window %[[X]] {{.*}} sizes(%[[N]])
// CHECK-NEXT: %[[R:.*]] = flatir.reshape %[[X]] sizes(%[[D]]) : tensor<2x?xf32> -> tensor<1x2x?xf32>
// CHECK-NEXT: return %[[R]], %[[W]]
func.func @dynamic(%x: tensor<2x?xf32>, %n: index) -> (tensor<1x2x?xf32>, tensor<1x2x?xf32>) {
  %d = flatir.dim %x, 1 : tensor<2x?xf32>
  %w = flatir.window %x dims = [1] window = [1] strides = [1] dilations = [1] interior = [1] low = [0] value = 0.0 : f32 sizes(%n) : tensor<2x?xf32> -> tensor<1x2x?xf32>
  %r = flatir.window %x dims = [1] window = [1] strides = [1] dilations = [1] interior = [1] low = [0] value = 0.0 : f32 sizes(%d) : tensor<2x?xf32> -> tensor<1x2x?xf32>
  return %r, %w : tensor<1x2x?xf32>, tensor<1x2x?xf32>
}

// -----

// With steps it is a slice as well.
// CHECK-LABEL: func.func @strided
// CHECK-SAME: (%[[X:.*]]: tensor<2x8xf32>)
// CHECK-NEXT: %[[S:.*]] = flatir.slice %[[X]] [0, 1] strides = [1, 3] sizes() : tensor<2x8xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %[[R:.*]] = flatir.reshape %[[S]] sizes() : tensor<2x3xf32> -> tensor<1x2x3xf32>
// CHECK-NEXT: return %[[R]]
func.func @strided(%x: tensor<2x8xf32>) -> tensor<1x2x3xf32> {
  %r = flatir.window %x dims = [1] window = [1] strides = [3] dilations = [1] interior = [1] low = [-1] value = 0.0 : f32 sizes() : tensor<2x8xf32> -> tensor<1x2x3xf32>
  return %r : tensor<1x2x3xf32>
}

// -----

// What may be outside stays, and so does what lies between elements.
// CHECK-LABEL: func.func @outside
// CHECK-NEXT: flatir.window
// CHECK-NEXT: flatir.window
// CHECK-NEXT: flatir.window
// CHECK-NEXT: return
func.func @outside(%x: tensor<8xf32>) -> (tensor<1x9xf32>, tensor<1x8xf32>, tensor<1x15xf32>) {
  %0 = flatir.window %x dims = [0] window = [1] strides = [1] dilations = [1] interior = [1] low = [0] value = 0.0 : f32 sizes() : tensor<8xf32> -> tensor<1x9xf32>
  %1 = flatir.window %x dims = [0] window = [1] strides = [1] dilations = [1] interior = [1] low = [1] value = 0.0 : f32 sizes() : tensor<8xf32> -> tensor<1x8xf32>
  %2 = flatir.window %x dims = [0] window = [1] strides = [1] dilations = [1] interior = [2] low = [0] value = 0.0 : f32 sizes() : tensor<8xf32> -> tensor<1x15xf32>
  return %0, %1, %2 : tensor<1x9xf32>, tensor<1x8xf32>, tensor<1x15xf32>
}

// -----

// Windows of equal elements, where outside is the same or nothing is outside.
// CHECK-LABEL: func.func @splats
// CHECK-DAG: %[[ZERO:.*]] = flatir.constant dense<0.000000e+00> : tensor<3x8xf32>
// CHECK-DAG: %[[ONE:.*]] = flatir.constant dense<1.000000e+00> : tensor<3x6xf32>
// CHECK: %[[W:.*]] = flatir.window
// CHECK: return %[[ZERO]], %[[ONE]], %[[W]]
func.func @splats() -> (tensor<3x8xf32>, tensor<3x6xf32>, tensor<3x8xf32>) {
  %z = flatir.constant dense<0.0> : tensor<8xf32>
  %o = flatir.constant dense<1.0> : tensor<8xf32>
  %0 = flatir.window %z dims = [0] window = [3] strides = [1] dilations = [1] interior = [1] low = [1] value = 0.0 : f32 sizes() : tensor<8xf32> -> tensor<3x8xf32>
  %1 = flatir.window %o dims = [0] window = [3] strides = [1] dilations = [1] interior = [1] low = [0] value = 0.0 : f32 sizes() : tensor<8xf32> -> tensor<3x6xf32>
  %2 = flatir.window %o dims = [0] window = [3] strides = [1] dilations = [1] interior = [1] low = [1] value = 0.0 : f32 sizes() : tensor<8xf32> -> tensor<3x8xf32>
  return %0, %1, %2 : tensor<3x8xf32>, tensor<3x6xf32>, tensor<3x8xf32>
}

// -----

// The size of a result is the operand that gives it.
// CHECK-LABEL: func.func @size
// CHECK-SAME: (%{{.*}}: tensor<?xf32>, %[[N:.*]]: index)
// CHECK-NEXT: return %[[N]]
func.func @size(%x: tensor<?xf32>, %n: index) -> index {
  %r = flatir.window %x dims = [0] window = [3] strides = [1] dilations = [1] interior = [1] low = [1] value = 0.0 : f32 sizes(%n) : tensor<?xf32> -> tensor<3x?xf32>
  %d = flatir.dim %r, 1 : tensor<3x?xf32>
  return %d : index
}
