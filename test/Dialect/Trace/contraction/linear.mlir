// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @linear
func.func @linear(%x: tensor<?x2xf32>, %v: tensor<2xf32>, %w: tensor<3x2xf32>, %b: tensor<3xf32>) {
  // CHECK: trace.linear %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x2xf32>, tensor<3x2xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  %0 = trace.linear %x, %w, %b : (tensor<?x2xf32>, tensor<3x2xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  // CHECK: trace.linear %{{.*}}, %{{.*}} : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3xf32>
  %1 = trace.linear %v, %w : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3xf32>
  return
}
