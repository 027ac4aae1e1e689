// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @concatenate
func.func @concatenate(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>, %c: tensor<?x?xf32>) {
  // CHECK: trace.concatenate %{{.*}}, %{{.*}} dim = 0 : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
  %0 = trace.concatenate %a, %b dim = 0 : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
  // CHECK: trace.concatenate %{{.*}} dim = -1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = trace.concatenate %a dim = -1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // A known size of any input is the result's.
  // CHECK: trace.concatenate {{.*}} -> tensor<?x3xf32>
  %2 = trace.concatenate %c, %a dim = 0 : (tensor<?x?xf32>, tensor<2x3xf32>) -> tensor<?x3xf32>
  return
}
