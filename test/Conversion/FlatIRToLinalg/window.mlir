// RUN: tripy-opt %s --flatir-to-linalg | FileCheck %s

// Where no place is outside, nothing is compared.
// CHECK-LABEL: func.func @inside(
// CHECK: linalg.generic
// CHECK-NOT: arith.cmpi
// CHECK-DAG: %[[P:.*]] = linalg.index 2
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2
// CHECK-DAG: %[[S:.*]] = arith.muli %[[P]], %[[TWO]]
// CHECK-DAG: %[[K:.*]] = linalg.index 0
// CHECK: %[[AT:.*]] = arith.addi %[[S]], %[[K]]
// CHECK: %[[C:.*]] = tensor.extract %arg0[%{{.*}}, %[[AT]]]
// CHECK: linalg.yield %[[C]]
func.func @inside(%a: tensor<2x8xf32>) -> tensor<3x2x3xf32> {
  %0 = flatir.window %a dims = [1] window = [3] strides = [2] dilations = [1] interior = [1] low = [0] value = 0.0 : f32 sizes() : tensor<2x8xf32> -> tensor<3x2x3xf32>
  return %0 : tensor<3x2x3xf32>
}

// What is outside is read at the first element, and replaced.
// CHECK-LABEL: func.func @padded(
// CHECK: linalg.generic
// CHECK: %[[AT:.*]] = arith.subi
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[AT]], %{{.*}} : index
// CHECK: %[[SAFE:.*]] = arith.select %[[IN]], %[[AT]], %{{.*}} : index
// CHECK: %[[READ:.*]] = tensor.extract %arg0[%[[SAFE]]]
// CHECK: %[[OUT:.*]] = arith.constant 1.500000e+00 : f16
// CHECK: arith.select %[[IN]], %[[READ]], %[[OUT]] : f16
func.func @padded(%a: tensor<?xf16>, %n: index) -> tensor<3x?xf16> {
  %0 = flatir.window %a dims = [0] window = [3] strides = [1] dilations = [1] interior = [1] low = [1] value = 1.5 : f16 sizes(%n) : tensor<?xf16> -> tensor<3x?xf16>
  return %0 : tensor<3x?xf16>
}

// Between elements lie places without one.
// CHECK-LABEL: func.func @apart(
// CHECK: %[[IN:.*]] = arith.cmpi ult
// CHECK: %[[REST:.*]] = arith.remui
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[REST]]
// CHECK: %[[BOTH:.*]] = arith.andi %[[IN]], %[[WHOLE]]
// CHECK: %[[AT:.*]] = arith.divui
// CHECK: arith.select %[[BOTH]], %[[AT]]
func.func @apart(%a: tensor<4xf32>) -> tensor<2x7xf32> {
  %0 = flatir.window %a dims = [0] window = [2] strides = [1] dilations = [-1] interior = [2] low = [0] value = 0.0 : f32 sizes() : tensor<4xf32> -> tensor<2x7xf32>
  return %0 : tensor<2x7xf32>
}
