// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @expand
// CHECK-SAME: %[[n:[^:]*]]: index
func.func @expand(%n: index, %a: tensor<1x3xf32>, %d: tensor<?x3xf32>) {
  // CHECK: trace.expand %{{.*}} to [2, -1] : (tensor<1x3xf32>) -> tensor<2x3xf32>
  %0 = trace.expand %a to [2, -1] : (tensor<1x3xf32>) -> tensor<2x3xf32>
  // CHECK: trace.expand %{{.*}} to [4, 0, 3] : (tensor<1x3xf32>) -> tensor<4x0x3xf32>
  %1 = trace.expand %a to [4, 0, 3] : (tensor<1x3xf32>) -> tensor<4x0x3xf32>
  // CHECK: trace.expand %{{.*}} to [%[[n]], -1, 3] : (tensor<?x3xf32>) -> tensor<?x?x3xf32>
  %2 = trace.expand %d to [%n, -1, 3] : (tensor<?x3xf32>) -> tensor<?x?x3xf32>
  // CHECK: trace.expand %{{.*}} to [7, 3] : (tensor<?x3xf32>) -> tensor<7x3xf32>
  %3 = trace.expand %d to [7, 3] : (tensor<?x3xf32>) -> tensor<7x3xf32>
  return
}
