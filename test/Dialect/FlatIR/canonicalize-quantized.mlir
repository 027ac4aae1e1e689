// RUN: tripy-opt %s --trace-to-flatir --canonicalize --split-input-file | FileCheck %s

//===-- quantize(dequantize) ----------------------------------------------===//

// CHECK-LABEL: func.func @round_trip
// CHECK-NEXT: return %arg0, %arg1
func.func @round_trip(%a: tensor<4x6xi8>, %b: tensor<4x?xf8E4M3FN>) -> (tensor<4x6xi8>, tensor<4x?xf8E4M3FN>) {
  %s = trace.constant dense<[0.5, 1.0e-3, -2.0, 3.0]> : tensor<4xf32>
  %t = trace.constant dense<0.1> : tensor<bf16>
  %0 = trace.dequantize %a, %s dim = 0 : (tensor<4x6xi8>, tensor<4xf32>) -> tensor<4x6xf32>
  %1 = trace.quantize %0, %s to i8 dim = 0 : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4x6xi8>
  %2 = trace.dequantize %b, %t : (tensor<4x?xf8E4M3FN>, tensor<bf16>) -> tensor<4x?xbf16>
  %3 = trace.quantize %2, %t to f8E4M3FN : (tensor<4x?xbf16>, tensor<bf16>) -> tensor<4x?xf8E4M3FN>
  return %1, %3 : tensor<4x6xi8>, tensor<4x?xf8E4M3FN>
}

// -----

// A scale that only the run knows may be 0 or an infinity.
// CHECK-LABEL: func.func @unknown_scale
// CHECK: composite "dequantize"
// CHECK: composite "quantize"
func.func @unknown_scale(%a: tensor<4xi8>, %s: tensor<f32>) -> tensor<4xi8> {
  %0 = trace.dequantize %a, %s : (tensor<4xi8>, tensor<f32>) -> tensor<4xf32>
  %1 = trace.quantize %0, %s to i8 : (tensor<4xf32>, tensor<f32>) -> tensor<4xi8>
  return %1 : tensor<4xi8>
}

// -----

// 127 * 600 is not in f16, 0 gives NaN, an infinity of f8E5M2 becomes a number, another scale or type is
// another function.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-5: composite "quantize"
func.func @kept(%a: tensor<4xi8>, %b: tensor<4xf8E5M2>) -> (tensor<4xi8>, tensor<4xi8>, tensor<4xf8E5M2>, tensor<4xi8>, tensor<4xf8E4M3FN>) {
  %big = trace.constant dense<600.0> : tensor<f16>
  %zero = trace.constant dense<[1.0, 0.0, 1.0, 1.0]> : tensor<4xf32>
  %one = trace.constant dense<1.0> : tensor<f32>
  %two = trace.constant dense<2.0> : tensor<f32>
  %0 = trace.dequantize %a, %big : (tensor<4xi8>, tensor<f16>) -> tensor<4xf16>
  %1 = trace.quantize %0, %big to i8 : (tensor<4xf16>, tensor<f16>) -> tensor<4xi8>
  %2 = trace.dequantize %a, %zero dim = 0 : (tensor<4xi8>, tensor<4xf32>) -> tensor<4xf32>
  %3 = trace.quantize %2, %zero to i8 dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi8>
  %4 = trace.dequantize %b, %one : (tensor<4xf8E5M2>, tensor<f32>) -> tensor<4xf32>
  %5 = trace.quantize %4, %one to f8E5M2 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf8E5M2>
  %6 = trace.dequantize %a, %one : (tensor<4xi8>, tensor<f32>) -> tensor<4xf32>
  %7 = trace.quantize %6, %two to i8 : (tensor<4xf32>, tensor<f32>) -> tensor<4xi8>
  %8 = trace.quantize %6, %one to f8E4M3FN : (tensor<4xf32>, tensor<f32>) -> tensor<4xf8E4M3FN>
  return %1, %3, %5, %7, %8 : tensor<4xi8>, tensor<4xi8>, tensor<4xf8E5M2>, tensor<4xi8>, tensor<4xf8E4M3FN>
}

// -----

//===-- views -------------------------------------------------------------===//

// CHECK-LABEL: func.func @views
// CHECK: [[T:%.+]] = flatir.transpose %arg0 [1, 0] : tensor<4x6xi8> -> tensor<6x4xi8>
// CHECK: [[S:%.+]] = flatir.broadcast %arg1 dims = [1] sizes() : tensor<4xf32> -> tensor<6x4xf32>
// CHECK: composite "dequantize"([[T]], [[S]])
// CHECK: [[R:%.+]] = flatir.reshape %arg0 sizes() : tensor<4x6xi8> -> tensor<4x2x3xi8>
// CHECK: [[S:%.+]] = flatir.broadcast %arg1 dims = [0] sizes() : tensor<4xf32> -> tensor<4x2x3xf32>
// CHECK: composite "dequantize"([[R]], [[S]])
// CHECK: [[V:%.+]] = flatir.slice %arg1 [1] strides = [2] sizes() : tensor<4xf32> -> tensor<2xf32>
// CHECK: [[L:%.+]] = flatir.slice %arg0 [1, 0] strides = [2, 1] sizes() : tensor<4x6xi8> -> tensor<2x6xi8>
// CHECK: [[S:%.+]] = flatir.broadcast [[V]] dims = [0] sizes() : tensor<2xf32> -> tensor<2x6xf32>
// CHECK: composite "dequantize"([[L]], [[S]])
func.func @views(%a: tensor<4x6xi8>, %s: tensor<4xf32>) -> (tensor<6x4xf32>, tensor<4x2x3xf32>, tensor<2x6xf32>) {
  %0 = trace.dequantize %a, %s dim = 0 : (tensor<4x6xi8>, tensor<4xf32>) -> tensor<4x6xf32>
  %1 = trace.transpose %0 dims = 0, 1 : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %2 = trace.dequantize %a, %s dim = 0 : (tensor<4x6xi8>, tensor<4xf32>) -> tensor<4x6xf32>
  %3 = trace.reshape %2 to [4, 2, 3] : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
  %4 = trace.dequantize %a, %s dim = 0 : (tensor<4x6xi8>, tensor<4xf32>) -> tensor<4x6xf32>
  %5 = trace.slice %4 [1, 0] to [4, 6] by [2, 1] : (tensor<4x6xf32>) -> tensor<2x6xf32>
  return %1, %3, %5 : tensor<6x4xf32>, tensor<4x2x3xf32>, tensor<2x6xf32>
}

// -----

// Sizes of the run are those of the view.
// CHECK-LABEL: func.func @dynamic_views
// CHECK: [[T:%.+]] = flatir.transpose %arg0 [1, 0] : tensor<?x6xi8> -> tensor<6x?xi8>
// CHECK: [[S:%.+]] = flatir.broadcast %arg1 dims = [] sizes({{%.+}}) : tensor<f16> -> tensor<6x?xf16>
// CHECK: composite "dequantize"([[T]], [[S]])
func.func @dynamic_views(%a: tensor<?x6xi8>, %s: tensor<f16>) -> tensor<6x?xf16> {
  %0 = trace.dequantize %a, %s : (tensor<?x6xi8>, tensor<f16>) -> tensor<?x6xf16>
  %1 = trace.transpose %0 dims = 0, 1 : (tensor<?x6xf16>) -> tensor<6x?xf16>
  return %1 : tensor<6x?xf16>
}

// -----

// A dimension that is split has no scales of its own, and what is read as it is stays as it is.
// CHECK-LABEL: func.func @unmoved
// CHECK: composite "dequantize"
// CHECK: flatir.reshape {{.*}}xf32>
// CHECK: composite "dequantize"
// CHECK: flatir.transpose {{.*}}xf32>
func.func @unmoved(%a: tensor<4x6xi8>, %s: tensor<4xf32>) -> (tensor<2x2x6xf32>, tensor<6x4xf32>, tensor<4x6xf32>) {
  %0 = trace.dequantize %a, %s dim = 0 : (tensor<4x6xi8>, tensor<4xf32>) -> tensor<4x6xf32>
  %1 = trace.reshape %0 to [2, 2, 6] : (tensor<4x6xf32>) -> tensor<2x2x6xf32>
  %2 = trace.dequantize %a, %s dim = 0 : (tensor<4x6xi8>, tensor<4xf32>) -> tensor<4x6xf32>
  %3 = trace.transpose %2 dims = 0, 1 : (tensor<4x6xf32>) -> tensor<6x4xf32>
  return %1, %3, %2 : tensor<2x2x6xf32>, tensor<6x4xf32>, tensor<4x6xf32>
}

// -----

//===-- products ----------------------------------------------------------===//

// Scales of ordinary size in the program: their order does not matter.
// CHECK-LABEL: func.func @linear
// CHECK-DAG: [[S:%.+]] = flatir.constant dense<5.000000e-01> : tensor<f32>
// CHECK-DAG: [[T:%.+]] = flatir.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00]> : tensor<5xf32>
// CHECK: [[D:%.+]] = flatir.dot %arg0, %arg1 batch = [] x [] contract = [1] x [1] : (tensor<?x8xi8>, tensor<5x8xi8>) -> tensor<?x5xi32>
// CHECK: [[F:%.+]] = flatir.convert [[D]] : tensor<?x5xi32> -> tensor<?x5xf32>
// CHECK: [[B:%.+]] = flatir.broadcast [[S]] dims = []
// CHECK: [[C:%.+]] = flatir.broadcast [[T]] dims = [1]
// CHECK: [[M:%.+]] = flatir.mul [[F]], [[B]]
// CHECK: [[N:%.+]] = flatir.mul [[M]], [[C]]
// CHECK: return [[N]]
func.func @linear(%a: tensor<?x8xi8>, %b: tensor<5x8xi8>) -> tensor<?x5xf32> {
  %s = trace.constant dense<0.5> : tensor<f32>
  %t = trace.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
  %0 = trace.dequantize %a, %s : (tensor<?x8xi8>, tensor<f32>) -> tensor<?x8xf32>
  %1 = trace.dequantize %b, %t dim = 0 : (tensor<5x8xi8>, tensor<5xf32>) -> tensor<5x8xf32>
  %2 = trace.linear %0, %1 : (tensor<?x8xf32>, tensor<5x8xf32>) -> tensor<?x5xf32>
  return %2 : tensor<?x5xf32>
}

// -----

// Scales that the run knows: the smaller one first. A row's and a column's, and a batch.
// CHECK-LABEL: func.func @matmul
// CHECK: [[D:%.+]] = flatir.dot %arg0, %arg1 batch = [0] x [0] contract = [2] x [1] : (tensor<3x4x8xi8>, tensor<3x8x5xi8>) -> tensor<3x4x5xi32>
// CHECK: [[F:%.+]] = flatir.convert [[D]] : tensor<3x4x5xi32> -> tensor<3x4x5xf32>
// CHECK: [[S:%.+]] = flatir.broadcast %arg2 dims = [1]
// CHECK: [[SW:%.+]] = flatir.convert [[S]]
// CHECK: [[T:%.+]] = flatir.broadcast %arg3 dims = [2]
// CHECK: [[TW:%.+]] = flatir.convert [[T]]
// CHECK: [[SA:%.+]] = flatir.abs [[SW]]
// CHECK: [[TA:%.+]] = flatir.abs [[TW]]
// CHECK: [[C:%.+]] = flatir.compare le [[SA]], [[TA]]
// CHECK: [[LO:%.+]] = flatir.select [[C]], [[SW]], [[TW]]
// CHECK: [[HI:%.+]] = flatir.select [[C]], [[TW]], [[SW]]
// CHECK: [[M:%.+]] = flatir.mul [[F]], [[LO]]
// CHECK: [[N:%.+]] = flatir.mul [[M]], [[HI]]
// CHECK: flatir.convert [[N]] : tensor<3x4x5xf32> -> tensor<3x4x5xbf16>
func.func @matmul(%a: tensor<3x4x8xi8>, %b: tensor<3x8x5xi8>, %s: tensor<4xbf16>, %t: tensor<5xbf16>) -> tensor<3x4x5xbf16> {
  %0 = trace.dequantize %a, %s dim = 1 : (tensor<3x4x8xi8>, tensor<4xbf16>) -> tensor<3x4x8xbf16>
  %1 = trace.dequantize %b, %t dim = 2 : (tensor<3x8x5xi8>, tensor<5xbf16>) -> tensor<3x8x5xbf16>
  %2 = trace.matmul %0, %1 : (tensor<3x4x8xbf16>, tensor<3x8x5xbf16>) -> tensor<3x4x5xbf16>
  return %2 : tensor<3x4x5xbf16>
}

// -----

// f8 in the same way, when the product ends in 16 bits.
// CHECK-LABEL: func.func @f8
// CHECK: flatir.dot %arg0, %arg1 {{.*}} : (tensor<4x8xf8E4M3FN>, tensor<5x8xf8E4M3FN>) -> tensor<4x5xf32>
// CHECK: flatir.convert {{.*}} : tensor<4x5xf32> -> tensor<4x5xf16>
func.func @f8(%a: tensor<4x8xf8E4M3FN>, %b: tensor<5x8xf8E4M3FN>, %s: tensor<f16>) -> tensor<4x5xf16> {
  %0 = trace.dequantize %a, %s : (tensor<4x8xf8E4M3FN>, tensor<f16>) -> tensor<4x8xf16>
  %1 = trace.dequantize %b, %s : (tensor<5x8xf8E4M3FN>, tensor<f16>) -> tensor<5x8xf16>
  %2 = trace.linear %0, %1 : (tensor<4x8xf16>, tensor<5x8xf16>) -> tensor<4x5xf16>
  return %2 : tensor<4x5xf16>
}

// -----

// Not: f8 whose sums are f32; scales of what is contracted; sums that leave i32; a 16-bit value that somebody
// else reads; operands of two types; a size of K that nobody knows.
// CHECK-LABEL: func.func @apart
// CHECK-NOT: -> tensor<{{.*}}xi32>
// CHECK-NOT: flatir.dot {{.*}}xf8E4M3FN>
// CHECK: return
func.func @apart(%a: tensor<4x8xi8>, %f: tensor<4x8xf8E4M3FN>, %k: tensor<4x131072xi8>, %d: tensor<4x?xi8>, %s: tensor<f32>, %v: tensor<8xf32>, %h: tensor<f16>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf16>, tensor<4x8xf16>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %f0 = trace.dequantize %f, %s : (tensor<4x8xf8E4M3FN>, tensor<f32>) -> tensor<4x8xf32>
  %0 = trace.linear %f0, %f0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  %v0 = trace.dequantize %a, %v dim = 1 : (tensor<4x8xi8>, tensor<8xf32>) -> tensor<4x8xf32>
  %a0 = trace.dequantize %a, %s : (tensor<4x8xi8>, tensor<f32>) -> tensor<4x8xf32>
  %1 = trace.linear %a0, %v0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  %k0 = trace.dequantize %k, %s : (tensor<4x131072xi8>, tensor<f32>) -> tensor<4x131072xf32>
  %2 = trace.linear %k0, %k0 : (tensor<4x131072xf32>, tensor<4x131072xf32>) -> tensor<4x4xf32>
  %h0 = trace.dequantize %a, %h : (tensor<4x8xi8>, tensor<f16>) -> tensor<4x8xf16>
  %3 = trace.linear %h0, %h0 : (tensor<4x8xf16>, tensor<4x8xf16>) -> tensor<4x4xf16>
  %4 = trace.linear %f0, %a0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  %d0 = trace.dequantize %d, %s : (tensor<4x?xi8>, tensor<f32>) -> tensor<4x?xf32>
  %5 = trace.linear %d0, %d0 : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x4xf32>
  return %0, %1, %2, %3, %h0, %4, %5 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf16>, tensor<4x8xf16>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// 131071 terms of 2^14 are less than 2^31.
// CHECK-LABEL: func.func @longest
// CHECK: flatir.dot {{.*}} -> tensor<4x4xi32>
func.func @longest(%k: tensor<4x131071xi8>, %s: tensor<f32>) -> tensor<4x4xf32> {
  %0 = trace.dequantize %k, %s : (tensor<4x131071xi8>, tensor<f32>) -> tensor<4x131071xf32>
  %1 = trace.linear %0, %0 : (tensor<4x131071xf32>, tensor<4x131071xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// Another function of the same name is left alone.
// CHECK-LABEL: func.func @other
// CHECK-COUNT-2: flatir.composite "dequantize"
// CHECK: flatir.dot {{.*}} : (tensor<4x8xf32>, tensor<4x8xf32>)
func.func @other(%a: tensor<4x8xi8>, %s: tensor<4x8xf32>) -> tensor<4x4xf32> {
  %0 = flatir.composite "dequantize" (%a, %s) {} : (tensor<4x8xi8>, tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%q: tensor<4x8xi8>, %t: tensor<4x8xf32>):
    %x = flatir.convert %q : tensor<4x8xi8> -> tensor<4x8xf32>
    %y = flatir.add %x, %t : tensor<4x8xf32>
    flatir.yield %y : tensor<4x8xf32>
  }
  %1 = flatir.composite "dequantize" (%a, %s) {} : (tensor<4x8xi8>, tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%q: tensor<4x8xi8>, %t: tensor<4x8xf32>):
    %x = flatir.convert %q : tensor<4x8xi8> -> tensor<4x8xf32>
    flatir.yield %t : tensor<4x8xf32>
  }
  %2 = flatir.dot %0, %1 batch = [] x [] contract = [1] x [1] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// Products of i4 are products of i8: tensor cores have these.
// CHECK-LABEL: func.func @product_of_i4
// CHECK: %[[L:.*]] = flatir.convert %arg0 : tensor<4x7xi4> -> tensor<4x7xi8>
// CHECK: %[[R:.*]] = flatir.convert %arg1 : tensor<5x7xi4> -> tensor<5x7xi8>
// CHECK: flatir.dot %[[L]], %[[R]] {{.*}} : (tensor<4x7xi8>, tensor<5x7xi8>) -> tensor<4x5xi32>
func.func @product_of_i4(%a: tensor<4x7xi4>, %b: tensor<5x7xi4>) -> tensor<4x5xf32> {
  %s = trace.constant dense<0.5> : tensor<f32>
  %0 = trace.dequantize %a, %s : (tensor<4x7xi4>, tensor<f32>) -> tensor<4x7xf32>
  %1 = trace.dequantize %b, %s : (tensor<5x7xi4>, tensor<f32>) -> tensor<5x7xf32>
  %2 = trace.linear %0, %1 : (tensor<4x7xf32>, tensor<5x7xf32>) -> tensor<4x5xf32>
  return %2 : tensor<4x5xf32>
}

// -----

// CHECK-LABEL: func.func @round_trip_of_i4
// CHECK-NEXT: return %arg0
func.func @round_trip_of_i4(%a: tensor<3x5xi4>) -> tensor<3x5xi4> {
  %s = trace.constant dense<0.3> : tensor<f32>
  %0 = trace.dequantize %a, %s : (tensor<3x5xi4>, tensor<f32>) -> tensor<3x5xf32>
  %1 = trace.quantize %0, %s to i4 : (tensor<3x5xf32>, tensor<f32>) -> tensor<3x5xi4>
  return %1 : tensor<3x5xi4>
}
