// RUN: tripy-opt %s --trace-to-flatir | FileCheck %s

// CHECK-LABEL: func.func @uniform(
// CHECK: [[N0:%.+]] = flatir.constant dense<0> : tensor<i64>
// CHECK-NEXT: [[N1:%.+]] = flatir.random_bits %arg0 counter = [[N0]], [[N0]] bits = 32 stride = 1 start = 0 sizes() : tensor<2x3xi64>
// CHECK-NEXT: [[N2:%.+]] = flatir.constant dense<8> : tensor<2x3xi64>
// CHECK-NEXT: [[N3:%.+]] = flatir.shift_right [[N1]], [[N2]] : tensor<2x3xi64>
// CHECK-NEXT: [[N4:%.+]] = flatir.convert [[N3]] : tensor<2x3xi64> -> tensor<2x3xf32>
// CHECK-NEXT: [[N5:%.+]] = flatir.constant dense<5.96046448E-8> : tensor<2x3xf32>
// CHECK-NEXT: [[N6:%.+]] = flatir.mul [[N4]], [[N5]] : tensor<2x3xf32>
// CHECK-NEXT: return [[N6]] : tensor<2x3xf32>
func.func @uniform(%s: tensor<i64>) -> tensor<2x3xf32> {
  %0 = trace.random_uniform %s [2, 3] dtype = f32 : (tensor<i64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @normal(
// CHECK: [[N0:%.+]] = flatir.constant dense<0> : tensor<i64>
// CHECK-NEXT: [[N1:%.+]] = flatir.slice %arg0 [0] strides = [1] sizes() : tensor<2xi64> -> tensor<1xi64>
// CHECK-NEXT: [[N2:%.+]] = flatir.reshape [[N1]] sizes() : tensor<1xi64> -> tensor<i64>
// CHECK-NEXT: [[N3:%.+]] = flatir.slice %arg0 [1] strides = [1] sizes() : tensor<2xi64> -> tensor<1xi64>
// CHECK-NEXT: [[N4:%.+]] = flatir.reshape [[N3]] sizes() : tensor<1xi64> -> tensor<i64>
// CHECK-NEXT: [[N5:%.+]] = flatir.random_bits [[N2]] counter = [[N0]], [[N4]] bits = 64 stride = 1 start = 0 sizes() : tensor<4xi64>
// CHECK-NEXT: [[N6:%.+]] = flatir.constant dense<4294967295> : tensor<4xi64>
// CHECK-NEXT: [[N7:%.+]] = flatir.bitwise_and [[N5]], [[N6]] : tensor<4xi64>
// CHECK-NEXT: [[N8:%.+]] = flatir.constant dense<1> : tensor<4xi64>
// CHECK-NEXT: [[N9:%.+]] = flatir.add [[N7]], [[N8]] : tensor<4xi64>
// CHECK-NEXT: [[N10:%.+]] = flatir.convert [[N9]] : tensor<4xi64> -> tensor<4xf32>
// CHECK-NEXT: [[N11:%.+]] = flatir.constant dense<2.32830644E-10> : tensor<4xf32>
// CHECK-NEXT: [[N12:%.+]] = flatir.mul [[N10]], [[N11]] : tensor<4xf32>
// CHECK-NEXT: [[N13:%.+]] = flatir.log [[N12]] : tensor<4xf32>
// CHECK-NEXT: [[N14:%.+]] = flatir.constant dense<-2.000000e+00> : tensor<4xf32>
// CHECK-NEXT: [[N15:%.+]] = flatir.mul [[N13]], [[N14]] : tensor<4xf32>
// CHECK-NEXT: [[N16:%.+]] = flatir.sqrt [[N15]] : tensor<4xf32>
// CHECK-NEXT: [[N17:%.+]] = flatir.constant dense<32> : tensor<4xi64>
// CHECK-NEXT: [[N18:%.+]] = flatir.shift_right [[N5]], [[N17]] : tensor<4xi64>
// CHECK-NEXT: [[N19:%.+]] = flatir.constant dense<4294967295> : tensor<4xi64>
// CHECK-NEXT: [[N20:%.+]] = flatir.bitwise_and [[N18]], [[N19]] : tensor<4xi64>
// CHECK-NEXT: [[N21:%.+]] = flatir.convert [[N20]] : tensor<4xi64> -> tensor<4xf32>
// CHECK-NEXT: [[N22:%.+]] = flatir.constant dense<1.46291812E-9> : tensor<4xf32>
// CHECK-NEXT: [[N23:%.+]] = flatir.mul [[N21]], [[N22]] : tensor<4xf32>
// CHECK-NEXT: [[N24:%.+]] = flatir.cos [[N23]] : tensor<4xf32>
// CHECK-NEXT: [[N25:%.+]] = flatir.mul [[N16]], [[N24]] : tensor<4xf32>
// CHECK-NEXT: [[N26:%.+]] = flatir.convert [[N25]] : tensor<4xf32> -> tensor<4xf16>
// CHECK-NEXT: return [[N26]] : tensor<4xf16>
func.func @normal(%s: tensor<2xi64>) -> tensor<4xf16> {
  %0 = trace.random_normal %s [4] dtype = f16 : (tensor<2xi64>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// CHECK-LABEL: func.func @bernoulli(
// CHECK: [[N0:%.+]] = flatir.dim %arg0, 0 : tensor<?xi64>
// CHECK-NEXT: [[N1:%.+]] = arith.constant 0 : index
// CHECK-NEXT: flatir.require "at_most" [[N1]], %arg1 "size 0 of 'random_bernoulli' is not negative"
// CHECK-NEXT: [[N2:%.+]] = flatir.constant dense<0> : tensor<i64>
// CHECK-NEXT: [[N3:%.+]] = arith.constant 2 : index
// CHECK-NEXT: flatir.require "equal" [[N0]], [[N3]] "the seed of 'random_bernoulli' has one or two numbers"
// CHECK-NEXT: [[N4:%.+]] = flatir.slice %arg0 [0] strides = [1] sizes() : tensor<?xi64> -> tensor<1xi64>
// CHECK-NEXT: [[N5:%.+]] = flatir.reshape [[N4]] sizes() : tensor<1xi64> -> tensor<i64>
// CHECK-NEXT: [[N6:%.+]] = flatir.slice %arg0 [1] strides = [1] sizes() : tensor<?xi64> -> tensor<1xi64>
// CHECK-NEXT: [[N7:%.+]] = flatir.reshape [[N6]] sizes() : tensor<1xi64> -> tensor<i64>
// CHECK-NEXT: [[N8:%.+]] = flatir.random_bits [[N5]] counter = [[N2]], [[N7]] bits = 32 stride = 1 start = 0 sizes(%arg1) : tensor<?xi64>
// CHECK-NEXT: [[N9:%.+]] = flatir.constant dense<1073741824> : tensor<i64>
// CHECK-NEXT: [[N10:%.+]] = flatir.broadcast [[N9]] dims = [] sizes(%arg1) : tensor<i64> -> tensor<?xi64>
// CHECK-NEXT: [[N11:%.+]] = flatir.compare  lt [[N8]], [[N10]] : tensor<?xi64> -> tensor<?xi1>
// CHECK-NEXT: return [[N11]] : tensor<?xi1>
func.func @bernoulli(%s: tensor<?xi64>, %n: index) -> tensor<?xi1> {
  %0 = trace.random_bernoulli %s [%n] p = 0.25 : (tensor<?xi64>) -> tensor<?xi1>
  return %0 : tensor<?xi1>
}
