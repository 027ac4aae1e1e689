// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @resize
func.func @resize(%x: tensor<?x3x8x6xf32>, %n: index) {
  // CHECK: trace.resize %{{.*}} to [-1, 3, %{{.*}}, 9] mode = "linear" coordinates = "align_corners" : (tensor<?x3x8x6xf32>) -> tensor<?x3x?x9xf32>
  %0 = trace.resize %x to [-1, 3, %n, 9] mode = "linear" coordinates = "align_corners" : (tensor<?x3x8x6xf32>) -> tensor<?x3x?x9xf32>
  // CHECK: trace.resize %{{.*}} scales = [1.000000e+00, 1.000000e+00, 1.500000e+00, 0.33333333333333331] mode = "nearest" : (tensor<?x3x8x6xf32>) -> tensor<?x3x12x2xf32>
  %1 = trace.resize %x scales = [1.0, 1.0, 1.5, 0.33333333333333331] mode = "nearest" : (tensor<?x3x8x6xf32>) -> tensor<?x3x12x2xf32>
  return
}

// CHECK-LABEL: @bytes
func.func @bytes(%x: tensor<2x3xi8>) {
  // CHECK: trace.resize %{{.*}} to [-1, 9] mode = "cubic" : (tensor<2x3xi8>) -> tensor<2x9xi8>
  %0 = trace.resize %x to [-1, 9] mode = "cubic" : (tensor<2x3xi8>) -> tensor<2x9xi8>
  return
}
