// RUN: tripy-opt %s --trace-to-flatir | FileCheck %s

// CHECK-LABEL: func.func @quantize(
// CHECK-NEXT: [[S:%.+]] = flatir.broadcast %arg1 dims = [1] sizes() : tensor<6xf16> -> tensor<4x6xf16>
// CHECK-NEXT: [[R:%.+]] = flatir.composite "quantize"(%arg0, [[S]]) {} : (tensor<4x6xf16>, tensor<4x6xf16>) -> tensor<4x6xi8> {
// CHECK-NEXT: ^bb0(%[[X:.+]]: tensor<4x6xf16>, %[[T:.+]]: tensor<4x6xf16>):
// CHECK-NEXT: [[W:%.+]] = flatir.convert %[[X]] : tensor<4x6xf16> -> tensor<4x6xf32>
// CHECK-NEXT: [[V:%.+]] = flatir.convert %[[T]] : tensor<4x6xf16> -> tensor<4x6xf32>
// CHECK-NEXT: [[D:%.+]] = flatir.div [[W]], [[V]] : tensor<4x6xf32>
// CHECK-NEXT: [[N:%.+]] = flatir.round [[D]] : tensor<4x6xf32>
// CHECK-NEXT: [[Q:%.+]] = flatir.convert [[N]] : tensor<4x6xf32> -> tensor<4x6xi8>
// CHECK-NEXT: flatir.yield [[Q]]
// CHECK: return [[R]]
func.func @quantize(%x: tensor<4x6xf16>, %s: tensor<6xf16>) -> tensor<4x6xi8> {
  %0 = trace.quantize %x, %s to i8 dim = -1 : (tensor<4x6xf16>, tensor<6xf16>) -> tensor<4x6xi8>
  return %0 : tensor<4x6xi8>
}

// Limits before the conversion, which would round beyond them.
// CHECK-LABEL: func.func @floats(
// CHECK: [[D:%.+]] = flatir.div
// CHECK: flatir.constant dense<-5.734400e+04>
// CHECK: [[L:%.+]] = flatir.maximum [[D]]
// CHECK: flatir.constant dense<5.734400e+04>
// CHECK: [[H:%.+]] = flatir.minimum [[L]]
// CHECK: flatir.convert [[H]] : tensor<4xf32> -> tensor<4xf8E5M2>
func.func @floats(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf8E5M2> {
  %0 = trace.quantize %x, %s to f8E5M2 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf8E5M2>
  return %0 : tensor<4xf8E5M2>
}

// CHECK-LABEL: func.func @dequantize(
// CHECK-NEXT: [[S:%.+]] = flatir.broadcast %arg1 dims = [] sizes() : tensor<bf16> -> tensor<4xbf16>
// CHECK-NEXT: flatir.composite "dequantize"(%arg0, [[S]]) {} : (tensor<4xf8E4M3FN>, tensor<4xbf16>) -> tensor<4xbf16> {
// CHECK: [[M:%.+]] = flatir.mul {{.*}} : tensor<4xf32>
// CHECK-NEXT: flatir.convert [[M]] : tensor<4xf32> -> tensor<4xbf16>
func.func @dequantize(%x: tensor<4xf8E4M3FN>, %s: tensor<bf16>) -> tensor<4xbf16> {
  %0 = trace.dequantize %x, %s : (tensor<4xf8E4M3FN>, tensor<bf16>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// Blocks, and sizes that only the run knows.
// CHECK-LABEL: func.func @blocks(
// CHECK-DAG: [[B:%.+]] = flatir.dim %arg0, 0
// CHECK-DAG: [[N:%.+]] = flatir.dim %arg0, 1
// CHECK: flatir.require "equal" {{.*}} "the scale of 'dequantize' has the size of the input's dimension 0"
// CHECK: flatir.require "equal" {{.*}} "the scale of 'dequantize' divides the input's dimension 1 into blocks of equal size"
// CHECK: [[S:%.+]] = flatir.broadcast %arg1 dims = [0, 1, 3] sizes({{.*}}) : tensor<?x2x8xf32> -> tensor<?x2x?x8xf32>
// CHECK: [[R:%.+]] = flatir.reshape [[S]] sizes({{.*}}) : tensor<?x2x?x8xf32> -> tensor<?x?x8xf32>
// CHECK: flatir.composite "dequantize"(%arg0, [[R]]
func.func @blocks(%x: tensor<?x?x8xi8>, %s: tensor<?x2x8xf32>) -> tensor<?x?x8xf32> {
  %0 = trace.dequantize %x, %s : (tensor<?x?x8xi8>, tensor<?x2x8xf32>) -> tensor<?x?x8xf32>
  return %0 : tensor<?x?x8xf32>
}
