// RUN: tripy-opt %s --trace-to-flatir | FileCheck %s

// What is no trace stays, and a program may be mixed.
// CHECK-LABEL: func.func @untouched(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = arith.addf [[ARG0]], [[ARG0]] : tensor<2xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.exp [[N0]] : tensor<2xf32>
// CHECK-NEXT: return [[N1]] : tensor<2xf32>
func.func @untouched(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.addf %a, %a : tensor<2xf32>
  %1 = flatir.exp %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}

// The size of what another operation made is read where it is made.
// CHECK-LABEL: func.func @mixed(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG1]], 0 : tensor<?xf32>
// CHECK-NEXT: [[N1:%.+]] = tensor.cast [[ARG0]] : tensor<4xf32> to tensor<?xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.dim [[N1]], 0 : tensor<?xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.exp [[ARG1]] : tensor<?xf32>
// CHECK-NEXT: [[N4:%.+]] = flatir.composite "softmax"([[N1]], [[N2]]) {dim = 0 : i64} : (tensor<?xf32>, index) -> tensor<?xf32> {
// CHECK-NEXT: ^bb0([[B0:%arg[0-9]+]]: tensor<?xf32>, [[B1:%arg[0-9]+]]: index):
// CHECK-NEXT: [[N5:%.+]] = flatir.reduce max [[B0]] dims = [0] : tensor<?xf32> -> tensor<f32>
// CHECK-NEXT: [[N6:%.+]] = flatir.broadcast [[N5]] dims = [] sizes([[B1]]) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT: [[N7:%.+]] = flatir.sub [[B0]], [[N6]] : tensor<?xf32>
// CHECK-NEXT: [[N8:%.+]] = flatir.exp [[N7]] : tensor<?xf32>
// CHECK-NEXT: [[N9:%.+]] = flatir.reduce sum [[N8]] dims = [0] : tensor<?xf32> -> tensor<f32>
// CHECK-NEXT: [[N10:%.+]] = flatir.broadcast [[N9]] dims = [] sizes([[B1]]) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT: [[N11:%.+]] = flatir.div [[N8]], [[N10]] : tensor<?xf32>
// CHECK-NEXT: flatir.yield [[N11]] : tensor<?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return [[N4]] : tensor<?xf32>
func.func @mixed(%a: tensor<4xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
  %1 = trace.exp %b : (tensor<?xf32>) -> tensor<?xf32>
  %2 = trace.softmax %0 dim = 0 : (tensor<?xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}
