// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @permute
func.func @permute(%a: tensor<2x?x5xf32>, %s: tensor<f32>) {
  // CHECK: trace.permute %{{.*}} [2, 0, 1] : (tensor<2x?x5xf32>) -> tensor<5x2x?xf32>
  %0 = trace.permute %a [2, 0, 1] : (tensor<2x?x5xf32>) -> tensor<5x2x?xf32>
  // CHECK: trace.permute %{{.*}} [-1, 1, 0] : (tensor<2x?x5xf32>) -> tensor<5x?x2xf32>
  %1 = trace.permute %a [-1, 1, 0] : (tensor<2x?x5xf32>) -> tensor<5x?x2xf32>
  // CHECK: trace.permute %{{.*}} [] : (tensor<f32>) -> tensor<f32>
  %2 = trace.permute %s [] : (tensor<f32>) -> tensor<f32>
  return
}
