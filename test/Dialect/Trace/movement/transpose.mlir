// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @transpose
func.func @transpose(%a: tensor<2x?x5xf32>) {
  // CHECK: trace.transpose %{{.*}} dims = -2, -1 : (tensor<2x?x5xf32>) -> tensor<2x5x?xf32>
  %0 = trace.transpose %a dims = -2, -1 : (tensor<2x?x5xf32>) -> tensor<2x5x?xf32>
  // CHECK: trace.transpose %{{.*}} dims = 0, 0 : (tensor<2x?x5xf32>) -> tensor<2x?x5xf32>
  %1 = trace.transpose %a dims = 0, 0 : (tensor<2x?x5xf32>) -> tensor<2x?x5xf32>
  return
}
