// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @sizes
func.func @sizes(%a: tensor<4x3xf32>, %z: tensor<0xf32>) {
  // CHECK: trace.split %{{.*}} dim = 1 sizes = [2, 1] : (tensor<4x3xf32>) -> (tensor<4x2xf32>, tensor<4x1xf32>)
  %0:2 = trace.split %a dim = 1 sizes = [2, 1] : (tensor<4x3xf32>) -> (tensor<4x2xf32>, tensor<4x1xf32>)
  // CHECK: trace.split %{{.*}} dim = -2 sizes = [4, 0] : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<0x3xf32>)
  %1:2 = trace.split %a dim = -2 sizes = [4, 0] : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<0x3xf32>)
  return
}

// Ceil-sized shares; the last parts are smaller, or empty.
// CHECK-LABEL: @parts
func.func @parts(%a: tensor<7xf32>, %b: tensor<2xf32>, %d: tensor<?x3xf32>) {
  // CHECK: trace.split %{{.*}} dim = 0 parts = 3 : (tensor<7xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<1xf32>)
  %0:3 = trace.split %a dim = 0 parts = 3 : (tensor<7xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<1xf32>)
  // CHECK: trace.split %{{.*}} dim = 0 parts = 4 : (tensor<2xf32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<0xf32>, tensor<0xf32>)
  %1:4 = trace.split %b dim = 0 parts = 4 : (tensor<2xf32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<0xf32>, tensor<0xf32>)
  // CHECK: trace.split %{{.*}} dim = 0 parts = 2 : (tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>)
  %2:2 = trace.split %d dim = 0 parts = 2 : (tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>)
  return
}
