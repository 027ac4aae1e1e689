// RUN: tripy-opt %s --trace-to-flatir | FileCheck %s

// CHECK-LABEL: func.func @topk(
// CHECK: [[N0:%.+]] = flatir.sort %arg0 descending count = 2 : tensor<3x8xf16> -> tensor<3x2xi32>
// CHECK-NEXT: [[N1:%.+]] = flatir.convert [[N0]] : tensor<3x2xi32> -> tensor<3x2xi64>
// CHECK-NEXT: [[N2:%.+]] = flatir.iota dim = 0 sizes() : tensor<3xi64>
// CHECK-NEXT: [[N3:%.+]] = flatir.constant dense<8> : tensor<3xi64>
// CHECK-NEXT: [[N4:%.+]] = flatir.mul [[N2]], [[N3]] : tensor<3xi64>
// CHECK-NEXT: [[N5:%.+]] = flatir.broadcast [[N4]] dims = [0] sizes() : tensor<3xi64> -> tensor<3x2xi64>
// CHECK-NEXT: [[N6:%.+]] = flatir.add [[N5]], [[N1]] : tensor<3x2xi64>
// CHECK-NEXT: [[N7:%.+]] = flatir.reshape %arg0 sizes() : tensor<3x8xf16> -> tensor<24xf16>
// CHECK-NEXT: [[N8:%.+]] = flatir.gather [[N7]], [[N6]] dim = 0 : (tensor<24xf16>, tensor<3x2xi64>) -> tensor<3x2xf16>
// CHECK-NEXT: return [[N8]], [[N0]] : tensor<3x2xf16>, tensor<3x2xi32>
func.func @topk(%a: tensor<3x8xf16>) -> (tensor<3x2xf16>, tensor<3x2xi32>) {
  %0:2 = trace.topk %a k = 2 dim = 1 : (tensor<3x8xf16>) -> (tensor<3x2xf16>, tensor<3x2xi32>)
  return %0#0, %0#1 : tensor<3x2xf16>, tensor<3x2xi32>
}

// CHECK-LABEL: func.func @row(
// CHECK: [[N0:%.+]] = flatir.sort %arg0 : tensor<5xi64> -> tensor<5xi32>
// CHECK-NEXT: [[N1:%.+]] = flatir.gather %arg0, [[N0]] dim = 0 : (tensor<5xi64>, tensor<5xi32>) -> tensor<5xi64>
// CHECK-NEXT: return [[N1]] : tensor<5xi64>
func.func @row(%a: tensor<5xi64>) -> tensor<5xi64> {
  %0:2 = trace.topk %a k = 5 dim = 0 smallest : (tensor<5xi64>) -> (tensor<5xi64>, tensor<5xi32>)
  return %0#0 : tensor<5xi64>
}

// CHECK-LABEL: func.func @dynamic(
// CHECK: [[N0:%.+]] = flatir.dim %arg0, 0 : tensor<?x4xf32>
// CHECK-NEXT: [[N1:%.+]] = arith.constant 2147483647 : index
// CHECK-NEXT: flatir.require "at_most" [[N0]], [[N1]] "'topk' orders at most 2^31 - 1 elements"
// CHECK-NEXT: [[N2:%.+]] = flatir.transpose %arg0 [1, 0] : tensor<?x4xf32> -> tensor<4x?xf32>
// CHECK-NEXT: [[N3:%.+]] = arith.constant 3 : index
// CHECK-NEXT: flatir.require "at_most" [[N3]], [[N0]] "'topk' has k elements to choose from"
// CHECK-NEXT: [[N4:%.+]] = flatir.sort [[N2]] descending count = 3 : tensor<4x?xf32> -> tensor<4x3xi32>
// CHECK-NEXT: [[N5:%.+]] = flatir.convert [[N4]] : tensor<4x3xi32> -> tensor<4x3xi64>
// CHECK-NEXT: [[N6:%.+]] = flatir.iota dim = 0 sizes() : tensor<4xi64>
// CHECK-NEXT: [[N7:%.+]] = flatir.from_index [[N0]] : tensor<i64>
// CHECK-NEXT: [[N8:%.+]] = flatir.broadcast [[N7]] dims = [] sizes() : tensor<i64> -> tensor<4xi64>
// CHECK-NEXT: [[N9:%.+]] = flatir.mul [[N6]], [[N8]] : tensor<4xi64>
// CHECK-NEXT: [[N10:%.+]] = flatir.broadcast [[N9]] dims = [0] sizes() : tensor<4xi64> -> tensor<4x3xi64>
// CHECK-NEXT: [[N11:%.+]] = flatir.add [[N10]], [[N5]] : tensor<4x3xi64>
// CHECK-NEXT: [[N12:%.+]] = arith.constant 4 : index
// CHECK-NEXT: [[N13:%.+]] = arith.muli [[N12]], [[N0]] : index
// CHECK-NEXT: [[N14:%.+]] = flatir.reshape [[N2]] sizes([[N13]]) : tensor<4x?xf32> -> tensor<?xf32>
// CHECK-NEXT: [[N15:%.+]] = flatir.gather [[N14]], [[N11]] dim = 0 : (tensor<?xf32>, tensor<4x3xi64>) -> tensor<4x3xf32>
// CHECK-NEXT: [[N16:%.+]] = flatir.transpose [[N15]] [1, 0] : tensor<4x3xf32> -> tensor<3x4xf32>
// CHECK-NEXT: [[N17:%.+]] = flatir.transpose [[N4]] [1, 0] : tensor<4x3xi32> -> tensor<3x4xi32>
// CHECK-NEXT: return [[N17]] : tensor<3x4xi32>
func.func @dynamic(%a: tensor<?x4xf32>) -> tensor<3x4xi32> {
  %0:2 = trace.topk %a k = 3 dim = 0 : (tensor<?x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi32>)
  return %0#1 : tensor<3x4xi32>
}
