// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// i4 is moved, compared and converted; relu and floor_div have it.

// CHECK-LABEL: @i4
func.func @i4(%x: tensor<?x5xi4>, %c: tensor<i1>, %i: tensor<4xi32>, %s: tensor<f32>, %v: tensor<5xf32>) {
  // CHECK: trace.constant dense<{{\[\[}}-8, 7, 0], [1, -1, 3]]> : tensor<2x3xi4>
  %0 = trace.constant dense<[[-8, 7, 0], [1, -1, 3]]> : tensor<2x3xi4>
  %1 = trace.full [2, 3] value = -8 : i4 -> tensor<2x3xi4>
  %2 = trace.reshape %0 to [6] : (tensor<2x3xi4>) -> tensor<6xi4>
  %3 = trace.permute %x [1, 0] : (tensor<?x5xi4>) -> tensor<5x?xi4>
  %4 = trace.concatenate %0, %1 dim = 0 : (tensor<2x3xi4>, tensor<2x3xi4>) -> tensor<4x3xi4>
  %5 = trace.embedding %x, %i : (tensor<?x5xi4>, tensor<4xi32>) -> tensor<4x5xi4>
  %6 = trace.where %c, %0, %1 : (tensor<i1>, tensor<2x3xi4>, tensor<2x3xi4>) -> tensor<2x3xi4>
  %7 = trace.lt %0, %1 : (tensor<2x3xi4>, tensor<2x3xi4>) -> tensor<2x3xi1>
  %8 = trace.cast %x to i64 : (tensor<?x5xi4>) -> tensor<?x5xi64>
  %9 = trace.cast %v to i4 : (tensor<5xf32>) -> tensor<5xi4>
  %10 = trace.relu %0 : (tensor<2x3xi4>) -> tensor<2x3xi4>
  // CHECK: trace.floor_div %{{.*}}, %{{.*}} : (tensor<?x5xi4>, tensor<5xi4>) -> tensor<?x5xi4>
  %13 = trace.floor_div %x, %9 : (tensor<?x5xi4>, tensor<5xi4>) -> tensor<?x5xi4>
  // CHECK: trace.dequantize %{{.*}}, %{{.*}} dim = 1 : (tensor<?x5xi4>, tensor<5xf32>) -> tensor<?x5xf32>
  %11 = trace.dequantize %x, %v dim = 1 : (tensor<?x5xi4>, tensor<5xf32>) -> tensor<?x5xf32>
  // CHECK: trace.quantize %{{.*}}, %{{.*}} to i4 : (tensor<?x5xf32>, tensor<f32>) -> tensor<?x5xi4>
  %12 = trace.quantize %11, %s to i4 : (tensor<?x5xf32>, tensor<f32>) -> tensor<?x5xi4>
  return
}
