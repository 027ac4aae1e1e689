// RUN: tripy-opt %s --flatir-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @gather(
// CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<5xi32>)
// CHECK: ^bb0(%[[I:.*]]: i32, %{{.*}}: f32):
// CHECK-DAG: %[[AT:.*]] = arith.index_cast %[[I]] : i32 to index
// CHECK-DAG: %[[BACK:.*]] = arith.addi %[[AT]],
// CHECK: arith.select %{{.*}}, %[[BACK]], %[[AT]]
// CHECK: arith.minsi
// CHECK: %[[K:.*]] = arith.maxsi
// CHECK: tensor.extract %arg0[%{{.*}}, %[[K]]]
func.func @gather(%a: tensor<2x8xf32>, %i: tensor<5xi32>) -> tensor<2x5xf32> {
  %0 = flatir.gather %a, %i dim = 1 : (tensor<2x8xf32>, tensor<5xi32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// CHECK-LABEL: func.func @scan(
// CHECK: arith.extf
// CHECK: kernel.scan %{{.*}} dim = 1 : tensor<2x8xf32>
// CHECK: arith.truncf
func.func @scan(%a: tensor<2x8xf16>) -> tensor<2x8xf16> {
  %0 = flatir.scan %a dim = 1 : tensor<2x8xf16>
  return %0 : tensor<2x8xf16>
}

// To and from f8 by way of f32.
// CHECK-LABEL: func.func @f8(
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK-NEXT: arith.truncf %{{.*}} : f32 to f8E4M3FN
// CHECK: arith.extf %{{.*}} : f8E4M3FN to f32
func.func @f8(%a: tensor<2xf16>) -> tensor<2xf32> {
  %0 = flatir.convert %a : tensor<2xf16> -> tensor<2xf8E4M3FN>
  %1 = flatir.convert %0 : tensor<2xf8E4M3FN> -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
