// RUN: tripy-opt %s --trace-to-flatir | FileCheck %s

// A slice that goes backwards from the last element, if there is one.
// CHECK-LABEL: func.func @flip(
// CHECK: [[N0:%.+]] = flatir.dim %arg0, 1 : tensor<2x?xf32>
// CHECK-NEXT: [[N1:%.+]] = arith.constant -1 : index
// CHECK-NEXT: [[N2:%.+]] = arith.addi [[N0]], [[N1]] : index
// CHECK-NEXT: [[N3:%.+]] = arith.constant 0 : index
// CHECK-NEXT: [[N4:%.+]] = arith.maxsi [[N2]], [[N3]] : index
// CHECK-NEXT: [[N5:%.+]] = flatir.slice %arg0 [0, [[N4]]] strides = [1, -1] sizes([[N0]]) : tensor<2x?xf32> -> tensor<2x?xf32>
// CHECK-NEXT: return [[N5]] : tensor<2x?xf32>
func.func @flip(%a: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %0 = trace.flip %a dims = [-1] : (tensor<2x?xf32>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

// The parts of each dimension in the other order. Whole turns do nothing.
// CHECK-LABEL: func.func @roll(
// CHECK: [[N0:%.+]] = flatir.slice %arg0 [0, 2] strides = [1, 1] sizes() : tensor<2x5xf32> -> tensor<2x3xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.slice %arg0 [0, 0] strides = [1, 1] sizes() : tensor<2x5xf32> -> tensor<2x2xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.concatenate [[N0]], [[N1]] dim = 1 : (tensor<2x3xf32>, tensor<2x2xf32>) -> tensor<2x5xf32>
// CHECK-NEXT: return [[N2]] : tensor<2x5xf32>
func.func @roll(%a: tensor<2x5xf32>) -> tensor<2x5xf32> {
  %0 = trace.roll %a by [4, -7] dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// Copies of the whole are a new dimension in front of it.
// CHECK-LABEL: func.func @tile(
// CHECK: [[N0:%.+]] = flatir.reshape %arg0 sizes() : tensor<2x3xf32> -> tensor<1x6xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.broadcast [[N0]] dims = [0, 2] sizes() : tensor<1x6xf32> -> tensor<1x2x6xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.reshape [[N1]] sizes() : tensor<1x2x6xf32> -> tensor<4x3xf32>
// CHECK-NEXT: return [[N2]] : tensor<4x3xf32>
func.func @tile(%a: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %0 = trace.tile %a by [2, 1] : (tensor<2x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// Copies of each element are a new dimension behind it.
// CHECK-LABEL: func.func @repeat(
// CHECK: [[N0:%.+]] = flatir.broadcast %arg0 dims = [0, 2] sizes() : tensor<2x3xf32> -> tensor<2x2x3xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.reshape [[N0]] sizes() : tensor<2x2x3xf32> -> tensor<4x3xf32>
// CHECK-NEXT: return [[N1]] : tensor<4x3xf32>
func.func @repeat(%a: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %0 = trace.repeat %a by [2, 1] : (tensor<2x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// The triangle of a matrix, for all of them.
// CHECK-LABEL: func.func @tril(
// CHECK: [[N0:%.+]] = flatir.iota dim = 0 sizes() : tensor<2x3xi64>
// CHECK-NEXT: [[N1:%.+]] = flatir.iota dim = 1 sizes() : tensor<2x3xi64>
// CHECK-NEXT: [[N2:%.+]] = flatir.constant dense<1> : tensor<2x3xi64>
// CHECK-NEXT: [[N3:%.+]] = flatir.add [[N0]], [[N2]] : tensor<2x3xi64>
// CHECK-NEXT: [[N4:%.+]] = flatir.compare  le [[N1]], [[N3]] : tensor<2x3xi64> -> tensor<2x3xi1>
// CHECK-NEXT: [[N5:%.+]] = flatir.broadcast [[N4]] dims = [1, 2] sizes() : tensor<2x3xi1> -> tensor<4x2x3xi1>
// CHECK-NEXT: [[N6:%.+]] = flatir.constant dense<0.000000e+00> : tensor<4x2x3xf32>
// CHECK-NEXT: [[N7:%.+]] = flatir.select [[N5]], %arg0, [[N6]] : tensor<4x2x3xi1>, tensor<4x2x3xf32>
// CHECK-NEXT: return [[N7]] : tensor<4x2x3xf32>
func.func @tril(%a: tensor<4x2x3xf32>) -> tensor<4x2x3xf32> {
  %0 = trace.tril %a diagonal = 1 : (tensor<4x2x3xf32>) -> tensor<4x2x3xf32>
  return %0 : tensor<4x2x3xf32>
}

// Positions that are computed; the gather limits those behind the last element.
// CHECK-LABEL: func.func @pad_edge(
// CHECK: [[N0:%.+]] = flatir.iota dim = 0 sizes() : tensor<6xi64>
// CHECK-NEXT: [[N1:%.+]] = flatir.constant dense<1> : tensor<6xi64>
// CHECK-NEXT: [[N2:%.+]] = flatir.sub [[N0]], [[N1]] : tensor<6xi64>
// CHECK-NEXT: [[N3:%.+]] = flatir.constant dense<0> : tensor<6xi64>
// CHECK-NEXT: [[N4:%.+]] = flatir.maximum [[N2]], [[N3]] : tensor<6xi64>
// CHECK-NEXT: [[N5:%.+]] = flatir.gather %arg0, [[N4]] dim = 1 : (tensor<2x3xf32>, tensor<6xi64>) -> tensor<2x6xf32>
// CHECK-NEXT: return [[N5]] : tensor<2x6xf32>
func.func @pad_edge(%a: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %0 = trace.pad %a low [0, 1] high [0, 2] mode = "edge" : (tensor<2x3xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// There and back again.
// CHECK-LABEL: func.func @pad_reflect(
// CHECK: [[N0:%.+]] = flatir.iota dim = 0 sizes() : tensor<6xi64>
// CHECK-NEXT: [[N1:%.+]] = flatir.constant dense<1> : tensor<6xi64>
// CHECK-NEXT: [[N2:%.+]] = flatir.sub [[N0]], [[N1]] : tensor<6xi64>
// CHECK-NEXT: [[N3:%.+]] = flatir.constant dense<4> : tensor<6xi64>
// CHECK-NEXT: [[N4:%.+]] = flatir.mod [[N2]], [[N3]] : tensor<6xi64>
// CHECK-NEXT: [[N5:%.+]] = flatir.sub [[N3]], [[N4]] : tensor<6xi64>
// CHECK-NEXT: [[N6:%.+]] = flatir.minimum [[N4]], [[N5]] : tensor<6xi64>
// CHECK-NEXT: [[N7:%.+]] = flatir.gather %arg0, [[N6]] dim = 1 : (tensor<2x3xf32>, tensor<6xi64>) -> tensor<2x6xf32>
// CHECK-NEXT: return [[N7]] : tensor<2x6xf32>
func.func @pad_reflect(%a: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %0 = trace.pad %a low [0, 1] high [0, 2] mode = "reflect" : (tensor<2x3xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// Only the run tells whether there are elements to repeat.
// CHECK-LABEL: func.func @pad_wrap(
// CHECK: [[N0:%.+]] = flatir.dim %arg0, 0 : tensor<?xf32>
// CHECK-NEXT: [[N1:%.+]] = arith.constant 1 : index
// CHECK-NEXT: [[N2:%.+]] = arith.addi [[N0]], [[N1]] : index
// CHECK-NEXT: [[N3:%.+]] = arith.constant 3 : index
// CHECK-NEXT: [[N4:%.+]] = arith.addi [[N0]], [[N3]] : index
// CHECK-NEXT: flatir.require "at_most" [[N1]], [[N0]] "dimension 0 of the input of 'pad' has elements to repeat"
// CHECK-NEXT: [[N5:%.+]] = flatir.iota dim = 0 sizes([[N4]]) : tensor<?xi64>
// CHECK-NEXT: [[N6:%.+]] = flatir.constant dense<1> : tensor<i64>
// CHECK-NEXT: [[N7:%.+]] = flatir.broadcast [[N6]] dims = [] sizes([[N4]]) : tensor<i64> -> tensor<?xi64>
// CHECK-NEXT: [[N8:%.+]] = flatir.sub [[N5]], [[N7]] : tensor<?xi64>
// CHECK-NEXT: [[N9:%.+]] = arith.maxsi [[N0]], [[N1]] : index
// CHECK-NEXT: [[N10:%.+]] = flatir.from_index [[N9]] : tensor<i64>
// CHECK-NEXT: [[N11:%.+]] = flatir.broadcast [[N10]] dims = [] sizes([[N4]]) : tensor<i64> -> tensor<?xi64>
// CHECK-NEXT: [[N12:%.+]] = flatir.mod [[N8]], [[N11]] : tensor<?xi64>
// CHECK-NEXT: [[N13:%.+]] = flatir.gather %arg0, [[N12]] dim = 0 : (tensor<?xf32>, tensor<?xi64>) -> tensor<?xf32>
// CHECK-NEXT: return [[N13]] : tensor<?xf32>
func.func @pad_wrap(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = trace.pad %a low [1] high [2] mode = "wrap" : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// What changes nothing is nothing.
// CHECK-LABEL: func.func @nothing(
// CHECK: return %arg0 : tensor<2x3xf32>
func.func @nothing(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = trace.roll %a by [2, -3] dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = trace.flip %0 dims = [] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = trace.tile %1 by [1, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = trace.pad %2 low [0, 0] high [0, 0] mode = "wrap" : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %3 : tensor<2x3xf32>
}

// Sizes along a dynamic dimension are checked before the program runs.
// CHECK-LABEL: func.func @split(
// CHECK: [[N0:%.+]] = flatir.dim %arg0, 0 : tensor<?xf32>
// CHECK-NEXT: [[N1:%.+]] = arith.constant 3 : index
// CHECK-NEXT: flatir.require "equal" [[N1]], [[N0]] "the sizes of 'split' sum to dimension 0"
// CHECK-NEXT: [[N2:%.+]] = flatir.slice %arg0 [0] strides = [1] sizes() : tensor<?xf32> -> tensor<2xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.slice %arg0 [2] strides = [1] sizes() : tensor<?xf32> -> tensor<1xf32>
// CHECK-NEXT: return [[N2]], [[N3]] : tensor<2xf32>, tensor<1xf32>
func.func @split(%a: tensor<?xf32>) -> (tensor<2xf32>, tensor<1xf32>) {
  %0:2 = trace.split %a dim = 0 sizes = [2, 1] : (tensor<?xf32>) -> (tensor<2xf32>, tensor<1xf32>)
  return %0#0, %0#1 : tensor<2xf32>, tensor<1xf32>
}

// Widths that turn out to be known are not in the declared type, which the result has.
// CHECK-LABEL: func.func @pad_of_known_widths
// CHECK: flatir.reshape
// CHECK: return %{{.*}} : tensor<?xf32>
func.func @pad_of_known_widths(%a: tensor<1xf32>) -> tensor<?xf32> {
  %none = arith.constant 0 : index
  %0 = trace.pad %a low [0] high [%none] mode = "edge" : (tensor<1xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
