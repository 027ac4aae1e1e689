// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @unsqueeze
func.func @unsqueeze(%a: tensor<?x3xf32>, %s: tensor<f32>) {
  // CHECK: trace.unsqueeze %{{.*}} dim = 0 : (tensor<?x3xf32>) -> tensor<1x?x3xf32>
  %0 = trace.unsqueeze %a dim = 0 : (tensor<?x3xf32>) -> tensor<1x?x3xf32>
  // CHECK: trace.unsqueeze %{{.*}} dim = -1 : (tensor<?x3xf32>) -> tensor<?x3x1xf32>
  %1 = trace.unsqueeze %a dim = -1 : (tensor<?x3xf32>) -> tensor<?x3x1xf32>
  // CHECK: trace.unsqueeze %{{.*}} dim = 2 : (tensor<?x3xf32>) -> tensor<?x3x1xf32>
  %2 = trace.unsqueeze %a dim = 2 : (tensor<?x3xf32>) -> tensor<?x3x1xf32>
  // CHECK: trace.unsqueeze %{{.*}} dim = 0 : (tensor<f32>) -> tensor<1xf32>
  %3 = trace.unsqueeze %s dim = 0 : (tensor<f32>) -> tensor<1xf32>
  return
}
