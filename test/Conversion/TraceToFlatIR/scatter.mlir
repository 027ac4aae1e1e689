// RUN: tripy-opt %s --trace-to-flatir | FileCheck %s

// Each position asks whether it is replaced, and by which slice: nothing is written
// by an index.
// CHECK-LABEL: func.func @update_slice(
// CHECK: [[N0:%.+]] = flatir.composite "update_slice"(%arg0, %arg1, %arg2) {dim = 1 : i64} : (tensor<2x8x4xf16>, tensor<2x1x4xf16>, tensor<i32>) -> tensor<2x8x4xf16> {
// CHECK-NEXT: ^bb0([[B1:%arg[0-9]+]]: tensor<2x8x4xf16>, [[B2:%arg[0-9]+]]: tensor<2x1x4xf16>, [[B3:%arg[0-9]+]]: tensor<i32>):
// CHECK-NEXT: [[N4:%.+]] = flatir.iota dim = 0 sizes() : tensor<8xi64>
// CHECK-NEXT: [[N5:%.+]] = flatir.convert [[B3]] : tensor<i32> -> tensor<i64>
// CHECK-NEXT: [[N6:%.+]] = flatir.constant dense<8> : tensor<i64>
// CHECK-NEXT: [[N7:%.+]] = flatir.add [[N5]], [[N6]] : tensor<i64>
// CHECK-NEXT: [[N8:%.+]] = flatir.constant dense<0> : tensor<i64>
// CHECK-NEXT: [[N9:%.+]] = flatir.compare  lt [[N5]], [[N8]] : tensor<i64> -> tensor<i1>
// CHECK-NEXT: [[N10:%.+]] = flatir.select [[N9]], [[N7]], [[N5]] : tensor<i1>, tensor<i64>
// CHECK-NEXT: [[N11:%.+]] = flatir.broadcast [[N10]] dims = [] sizes() : tensor<i64> -> tensor<8xi64>
// CHECK-NEXT: [[N12:%.+]] = flatir.sub [[N4]], [[N11]] : tensor<8xi64>
// CHECK-NEXT: [[N13:%.+]] = flatir.constant dense<0> : tensor<8xi64>
// CHECK-NEXT: [[N14:%.+]] = flatir.compare  ge [[N12]], [[N13]] : tensor<8xi64> -> tensor<8xi1>
// CHECK-NEXT: [[N15:%.+]] = flatir.constant dense<1> : tensor<8xi64>
// CHECK-NEXT: [[N16:%.+]] = flatir.compare  lt [[N12]], [[N15]] : tensor<8xi64> -> tensor<8xi1>
// CHECK-NEXT: [[N17:%.+]] = flatir.logical_and [[N14]], [[N16]] : tensor<8xi1>
// CHECK-NEXT: [[N18:%.+]] = flatir.constant dense<0> : tensor<8xi64>
// CHECK-NEXT: [[N19:%.+]] = flatir.maximum [[N12]], [[N18]] : tensor<8xi64>
// CHECK-NEXT: [[N20:%.+]] = flatir.gather [[B2]], [[N19]] dim = 1 : (tensor<2x1x4xf16>, tensor<8xi64>) -> tensor<2x8x4xf16>
// CHECK-NEXT: [[N21:%.+]] = flatir.broadcast [[N17]] dims = [1] sizes() : tensor<8xi1> -> tensor<2x8x4xi1>
// CHECK-NEXT: [[N22:%.+]] = flatir.select [[N21]], [[N20]], [[B1]] : tensor<2x8x4xi1>, tensor<2x8x4xf16>
// CHECK-NEXT: flatir.yield [[N22]] : tensor<2x8x4xf16>
// CHECK-NEXT: }
// CHECK-NEXT: return [[N0]] : tensor<2x8x4xf16>
func.func @update_slice(%a: tensor<2x8x4xf16>, %u: tensor<2x1x4xf16>, %s: tensor<i32>) -> tensor<2x8x4xf16> {
  %0 = trace.update_slice %a, %u, %s dim = 1 : (tensor<2x8x4xf16>, tensor<2x1x4xf16>, tensor<i32>) -> tensor<2x8x4xf16>
  return %0 : tensor<2x8x4xf16>
}

// Of several indices of one position the last counts.
// CHECK-LABEL: func.func @scatter(
// CHECK: [[N0:%.+]] = flatir.composite "scatter"(%arg0, %arg1, %arg2) {dim = 0 : i64} : (tensor<8x4xf32>, tensor<3xi64>, tensor<3x4xf32>) -> tensor<8x4xf32> {
// CHECK-NEXT: ^bb0([[B1:%arg[0-9]+]]: tensor<8x4xf32>, [[B2:%arg[0-9]+]]: tensor<3xi64>, [[B3:%arg[0-9]+]]: tensor<3x4xf32>):
// CHECK-NEXT: [[N4:%.+]] = flatir.iota dim = 0 sizes() : tensor<8xi64>
// CHECK-NEXT: [[N5:%.+]] = flatir.constant dense<8> : tensor<3xi64>
// CHECK-NEXT: [[N6:%.+]] = flatir.add [[B2]], [[N5]] : tensor<3xi64>
// CHECK-NEXT: [[N7:%.+]] = flatir.constant dense<0> : tensor<3xi64>
// CHECK-NEXT: [[N8:%.+]] = flatir.compare  lt [[B2]], [[N7]] : tensor<3xi64> -> tensor<3xi1>
// CHECK-NEXT: [[N9:%.+]] = flatir.select [[N8]], [[N6]], [[B2]] : tensor<3xi1>, tensor<3xi64>
// CHECK-NEXT: [[N10:%.+]] = flatir.broadcast [[N4]] dims = [0] sizes() : tensor<8xi64> -> tensor<8x3xi64>
// CHECK-NEXT: [[N11:%.+]] = flatir.broadcast [[N9]] dims = [1] sizes() : tensor<3xi64> -> tensor<8x3xi64>
// CHECK-NEXT: [[N12:%.+]] = flatir.compare  eq [[N10]], [[N11]] : tensor<8x3xi64> -> tensor<8x3xi1>
// CHECK-NEXT: [[N13:%.+]] = flatir.iota dim = 1 sizes() : tensor<8x3xi64>
// CHECK-NEXT: [[N14:%.+]] = flatir.constant dense<-1> : tensor<8x3xi64>
// CHECK-NEXT: [[N15:%.+]] = flatir.select [[N12]], [[N13]], [[N14]] : tensor<8x3xi1>, tensor<8x3xi64>
// CHECK-NEXT: [[N16:%.+]] = flatir.reduce  max [[N15]] dims = [1] : tensor<8x3xi64> -> tensor<8xi64>
// CHECK-NEXT: [[N17:%.+]] = flatir.constant dense<0> : tensor<8xi64>
// CHECK-NEXT: [[N18:%.+]] = flatir.compare  ge [[N16]], [[N17]] : tensor<8xi64> -> tensor<8xi1>
// CHECK-NEXT: [[N19:%.+]] = flatir.constant dense<0> : tensor<8xi64>
// CHECK-NEXT: [[N20:%.+]] = flatir.maximum [[N16]], [[N19]] : tensor<8xi64>
// CHECK-NEXT: [[N21:%.+]] = flatir.gather [[B3]], [[N20]] dim = 0 : (tensor<3x4xf32>, tensor<8xi64>) -> tensor<8x4xf32>
// CHECK-NEXT: [[N22:%.+]] = flatir.broadcast [[N18]] dims = [0] sizes() : tensor<8xi1> -> tensor<8x4xi1>
// CHECK-NEXT: [[N23:%.+]] = flatir.select [[N22]], [[N21]], [[B1]] : tensor<8x4xi1>, tensor<8x4xf32>
// CHECK-NEXT: flatir.yield [[N23]] : tensor<8x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return [[N0]] : tensor<8x4xf32>
func.func @scatter(%a: tensor<8x4xf32>, %i: tensor<3xi64>, %u: tensor<3x4xf32>) -> tensor<8x4xf32> {
  %0 = trace.scatter %a, %i, %u dim = 0 : (tensor<8x4xf32>, tensor<3xi64>, tensor<3x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Without slices to take, the input is the result.
// CHECK-LABEL: func.func @nothing(
// CHECK: return %arg0 : tensor<8x4xf32>
func.func @nothing(%a: tensor<8x4xf32>, %i: tensor<0xi64>, %u: tensor<0x4xf32>, %s: tensor<i64>) -> tensor<8x4xf32> {
  %0 = trace.scatter %a, %i, %u dim = 0 : (tensor<8x4xf32>, tensor<0xi64>, tensor<0x4xf32>) -> tensor<8x4xf32>
  %1 = trace.update_slice %0, %u, %s dim = 0 : (tensor<8x4xf32>, tensor<0x4xf32>, tensor<i64>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
