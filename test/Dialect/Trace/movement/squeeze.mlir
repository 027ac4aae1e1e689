// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @squeeze
func.func @squeeze(%a: tensor<1x3x1xf32>, %d: tensor<?x3xf32>) {
  // CHECK: trace.squeeze %{{.*}} dims = [0, -1] : (tensor<1x3x1xf32>) -> tensor<3xf32>
  %0 = trace.squeeze %a dims = [0, -1] : (tensor<1x3x1xf32>) -> tensor<3xf32>
  // CHECK: trace.squeeze %{{.*}} dims = [] : (tensor<1x3x1xf32>) -> tensor<1x3x1xf32>
  %1 = trace.squeeze %a dims = [] : (tensor<1x3x1xf32>) -> tensor<1x3x1xf32>
  // CHECK: trace.squeeze %{{.*}} dims = [0] : (tensor<?x3xf32>) -> tensor<3xf32>
  %2 = trace.squeeze %d dims = [0] : (tensor<?x3xf32>) -> tensor<3xf32>
  return
}
