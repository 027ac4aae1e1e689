// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @where
func.func @where(%c: tensor<2x1xi1>, %a: tensor<2x3xf32>, %b: tensor<3xf32>, %d: tensor<?x?xf32>) {
  // CHECK: trace.where %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x1xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %0 = trace.where %c, %a, %b : (tensor<2x1xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: trace.where {{.*}} -> tensor<2x3xf32>
  %1 = trace.where %c, %d, %b : (tensor<2x1xi1>, tensor<?x?xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: trace.where {{.*}} -> tensor<2x?xf32>
  %2 = trace.where %c, %d, %d : (tensor<2x1xi1>, tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<2x?xf32>
  return
}
