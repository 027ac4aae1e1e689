// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @static
func.func @static(%a: tensor<3x4xf32>, %s: tensor<f32>, %z: tensor<0x5xf32>) {
  // CHECK: trace.reshape %{{.*}} to [-1, 2] : (tensor<3x4xf32>) -> tensor<6x2xf32>
  %0 = trace.reshape %a to [-1, 2] : (tensor<3x4xf32>) -> tensor<6x2xf32>
  // CHECK: trace.reshape %{{.*}} to [12] : (tensor<3x4xf32>) -> tensor<12xf32>
  %1 = trace.reshape %a to [12] : (tensor<3x4xf32>) -> tensor<12xf32>
  // CHECK: trace.reshape %{{.*}} to [1, -1] : (tensor<f32>) -> tensor<1x1xf32>
  %2 = trace.reshape %s to [1, -1] : (tensor<f32>) -> tensor<1x1xf32>
  // CHECK: trace.reshape %{{.*}} to [-1, 5] : (tensor<0x5xf32>) -> tensor<0x5xf32>
  %3 = trace.reshape %z to [-1, 5] : (tensor<0x5xf32>) -> tensor<0x5xf32>
  // CHECK: trace.reshape %{{.*}} to [7, 0] : (tensor<0x5xf32>) -> tensor<7x0xf32>
  %4 = trace.reshape %z to [7, 0] : (tensor<0x5xf32>) -> tensor<7x0xf32>
  return
}

// CHECK-LABEL: @dynamic
// CHECK-SAME: %[[n:[^:]*]]: index
func.func @dynamic(%n: index, %a: tensor<?x4xf32>, %b: tensor<12xf32>) {
  // CHECK: trace.reshape %{{.*}} to [-1, 2] : (tensor<?x4xf32>) -> tensor<?x2xf32>
  %0 = trace.reshape %a to [-1, 2] : (tensor<?x4xf32>) -> tensor<?x2xf32>
  // CHECK: trace.reshape %{{.*}} to [%[[n]], 2] : (tensor<?x4xf32>) -> tensor<?x2xf32>
  %1 = trace.reshape %a to [%n, 2] : (tensor<?x4xf32>) -> tensor<?x2xf32>
  // CHECK: trace.reshape %{{.*}} to [%[[n]], -1] : (tensor<12xf32>) -> tensor<?x?xf32>
  %2 = trace.reshape %b to [%n, -1] : (tensor<12xf32>) -> tensor<?x?xf32>
  // CHECK: trace.reshape %{{.*}} to [8] : (tensor<?x4xf32>) -> tensor<8xf32>
  %3 = trace.reshape %a to [8] : (tensor<?x4xf32>) -> tensor<8xf32>
  return
}
