// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// Result sizes are those of Python's slices, computed by hand.

// CHECK-LABEL: @static
func.func @static(%a: tensor<4x8xf32>, %v: tensor<5xf32>) {
  // CHECK: trace.slice %{{.*}} [0, 5] to [2, 1] by [1, -2] : (tensor<4x8xf32>) -> tensor<2x2xf32>
  %0 = trace.slice %a [0, 5] to [2, 1] by [1, -2] : (tensor<4x8xf32>) -> tensor<2x2xf32>
  // v[-3:-1], v[1:100:3], v[3:1], v[10:20]
  // CHECK: trace.slice %{{.*}} [-3] to [-1] by [1] : (tensor<5xf32>) -> tensor<2xf32>
  %1 = trace.slice %v [-3] to [-1] by [1] : (tensor<5xf32>) -> tensor<2xf32>
  // CHECK: -> tensor<2xf32>
  %2 = trace.slice %v [1] to [100] by [3] : (tensor<5xf32>) -> tensor<2xf32>
  // CHECK: -> tensor<0xf32>
  %3 = trace.slice %v [3] to [1] by [1] : (tensor<5xf32>) -> tensor<0xf32>
  // CHECK: -> tensor<0xf32>
  %4 = trace.slice %v [10] to [20] by [1] : (tensor<5xf32>) -> tensor<0xf32>
  // v[::-1], v[::-2], v[:1:-1], v[-100:-200:-1]
  // CHECK: -> tensor<5xf32>
  %5 = trace.slice %v [4611686018427387904] to [-4611686018427387904] by [-1] : (tensor<5xf32>) -> tensor<5xf32>
  // CHECK: -> tensor<3xf32>
  %6 = trace.slice %v [4611686018427387904] to [-4611686018427387904] by [-2] : (tensor<5xf32>) -> tensor<3xf32>
  // CHECK: -> tensor<3xf32>
  %7 = trace.slice %v [4611686018427387904] to [1] by [-1] : (tensor<5xf32>) -> tensor<3xf32>
  // CHECK: -> tensor<0xf32>
  %8 = trace.slice %v [-100] to [-200] by [-1] : (tensor<5xf32>) -> tensor<0xf32>
  // The largest bounds and steps.
  // CHECK: -> tensor<1xf32>
  %9 = trace.slice %v [-9223372036854775807] to [9223372036854775807] by [1099511627776] : (tensor<5xf32>) -> tensor<1xf32>
  return
}

// CHECK-LABEL: @dynamic
// CHECK-SAME: %[[i:[^:]*]]: index, %[[j:[^:]*]]: index
func.func @dynamic(%i: index, %j: index, %a: tensor<4x?xf32>) {
  // CHECK: trace.slice %{{.*}} [%[[i]], 0] to [%[[j]], 2] by [1, 1] : (tensor<4x?xf32>) -> tensor<?x?xf32>
  %0 = trace.slice %a [%i, 0] to [%j, 2] by [1, 1] : (tensor<4x?xf32>) -> tensor<?x?xf32>
  // CHECK: trace.slice %{{.*}} [1, %[[i]]] to [3, 2] by [1, 1] : (tensor<4x?xf32>) -> tensor<2x?xf32>
  %1 = trace.slice %a [1, %i] to [3, 2] by [1, 1] : (tensor<4x?xf32>) -> tensor<2x?xf32>
  return
}
