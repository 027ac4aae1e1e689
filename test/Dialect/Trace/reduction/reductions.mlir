// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @numbers
func.func @numbers(%a: tensor<2x?x4xf32>, %i: tensor<2x3xi32>, %s: tensor<f32>) {
  // CHECK: trace.sum %{{.*}} dims = [1] : (tensor<2x?x4xf32>) -> tensor<2x4xf32>
  %0 = trace.sum %a dims = [1] : (tensor<2x?x4xf32>) -> tensor<2x4xf32>
  // CHECK: trace.max %{{.*}} dims = [-1, 0] keepdim : (tensor<2x?x4xf32>) -> tensor<1x?x1xf32>
  %1 = trace.max %a dims = [-1, 0] keepdim : (tensor<2x?x4xf32>) -> tensor<1x?x1xf32>
  // No dims are all dims.
  // CHECK: trace.min %{{.*}} dims = [] : (tensor<2x3xi32>) -> tensor<i32>
  %2 = trace.min %i dims = [] : (tensor<2x3xi32>) -> tensor<i32>
  // CHECK: trace.prod %{{.*}} dims = [] keepdim : (tensor<2x3xi32>) -> tensor<1x1xi32>
  %3 = trace.prod %i dims = [] keepdim : (tensor<2x3xi32>) -> tensor<1x1xi32>
  // CHECK: trace.mean %{{.*}} dims = [] : (tensor<f32>) -> tensor<f32>
  %4 = trace.mean %s dims = [] : (tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: @truths
func.func @truths(%a: tensor<2x3xi1>) {
  // CHECK: trace.all %{{.*}} dims = [0] : (tensor<2x3xi1>) -> tensor<3xi1>
  %0 = trace.all %a dims = [0] : (tensor<2x3xi1>) -> tensor<3xi1>
  // CHECK: trace.any %{{.*}} dims = [1] keepdim : (tensor<2x3xi1>) -> tensor<2x1xi1>
  %1 = trace.any %a dims = [1] keepdim : (tensor<2x3xi1>) -> tensor<2x1xi1>
  return
}

// CHECK-LABEL: @var
func.func @var(%a: tensor<2x3xf32>) {
  // The default correction, 1, is not printed.
  // CHECK: trace.var %{{.*}} dims = [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  %0 = trace.var %a dims = [1] correction = 1 : (tensor<2x3xf32>) -> tensor<2xf32>
  // CHECK: trace.var %{{.*}} dims = [1] correction = 0 keepdim : (tensor<2x3xf32>) -> tensor<2x1xf32>
  %1 = trace.var %a dims = [1] correction = 0 keepdim : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return
}
