// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @sort
func.func @sort(%a: tensor<2x?xf32>, %b: tensor<0xi1>) {
  // CHECK: trace.sort %{{.*}} dim = -1 : (tensor<2x?xf32>) -> (tensor<2x?xf32>, tensor<2x?xi32>)
  %r:2 = trace.sort %a dim = -1 : (tensor<2x?xf32>) -> (tensor<2x?xf32>, tensor<2x?xi32>)
  // CHECK: trace.sort %{{.*}} dim = 0 descending : (tensor<0xi1>) -> (tensor<0xi1>, tensor<0xi32>)
  %s:2 = trace.sort %b dim = 0 descending : (tensor<0xi1>) -> (tensor<0xi1>, tensor<0xi32>)
  return
}

// CHECK-LABEL: @topk
func.func @topk(%a: tensor<2x?xf32>, %b: tensor<3xui8>) {
  // CHECK: trace.topk %{{.*}} k = 4 dim = 1 : (tensor<2x?xf32>) -> (tensor<2x4xf32>, tensor<2x4xi32>)
  %r:2 = trace.topk %a k = 4 dim = 1 : (tensor<2x?xf32>) -> (tensor<2x4xf32>, tensor<2x4xi32>)
  // CHECK: trace.topk %{{.*}} k = 0 dim = -1 smallest : (tensor<3xui8>) -> (tensor<0xui8>, tensor<0xi32>)
  %s:2 = trace.topk %b k = 0 dim = -1 smallest : (tensor<3xui8>) -> (tensor<0xui8>, tensor<0xi32>)
  return
}
