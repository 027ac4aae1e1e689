// RUN: tripy-opt %s --trace-to-flatir | FileCheck %s

// CHECK-LABEL: func.func @reshape(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.reshape [[ARG0]] sizes() : tensor<3x4xf32> -> tensor<6x2xf32>
// CHECK-NEXT: return [[N0]], [[ARG0]] : tensor<6x2xf32>, tensor<3x4xf32>
func.func @reshape(%a: tensor<3x4xf32>) -> (tensor<6x2xf32>, tensor<3x4xf32>) {
  %0 = trace.reshape %a to [-1, 2] : (tensor<3x4xf32>) -> tensor<6x2xf32>
  %1 = trace.reshape %a to [3, 4] : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0, %1 : tensor<6x2xf32>, tensor<3x4xf32>
}

// What both shapes share is not computed, and what is left is exact.
// CHECK-LABEL: func.func @reshape_dynamic(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG0]], 0 : tensor<?x8xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.reshape [[ARG0]] sizes([[N0]]) : tensor<?x8xf32> -> tensor<?x2x4xf32>
// CHECK-NEXT: [[N2:%.+]] = arith.constant 4 : index
// CHECK-NEXT: [[N3:%.+]] = arith.muli [[N2]], [[N0]] : index
// CHECK-NEXT: [[N4:%.+]] = flatir.reshape [[ARG0]] sizes([[N3]]) : tensor<?x8xf32> -> tensor<?x2xf32>
// CHECK-NEXT: [[N5:%.+]] = arith.constant 8 : index
// CHECK-NEXT: [[N6:%.+]] = arith.muli [[N5]], [[N0]] : index
// CHECK-NEXT: [[N7:%.+]] = flatir.reshape [[ARG0]] sizes([[N6]]) : tensor<?x8xf32> -> tensor<?xf32>
// CHECK-NEXT: return [[N1]], [[N4]], [[N7]] : tensor<?x2x4xf32>, tensor<?x2xf32>, tensor<?xf32>
func.func @reshape_dynamic(%a: tensor<?x8xf32>) -> (tensor<?x2x4xf32>, tensor<?x2xf32>, tensor<?xf32>) {
  %n = trace.dim %a dim = 0 : (tensor<?x8xf32>) -> index
  %0 = trace.reshape %a to [%n, 2, 4] : (tensor<?x8xf32>) -> tensor<?x2x4xf32>
  %1 = trace.reshape %a to [-1, 2] : (tensor<?x8xf32>) -> tensor<?x2xf32>
  %2 = trace.reshape %a to [-1] : (tensor<?x8xf32>) -> tensor<?xf32>
  return %0, %1, %2 : tensor<?x2x4xf32>, tensor<?x2xf32>, tensor<?xf32>
}

// A size that the user computed is checked; so is the number of elements.
// CHECK-LABEL: func.func @reshape_checked(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG0]], 0 : tensor<?x8xf32>
// CHECK-NEXT: [[N1:%.+]] = arith.constant 0 : index
// CHECK-NEXT: flatir.require "at_most" [[N1]], [[ARG1]] "size 0 of 'reshape' is not negative"
// CHECK-NEXT: [[N2:%.+]] = arith.constant 2 : index
// CHECK-NEXT: [[N3:%.+]] = arith.muli [[N2]], [[N0]] : index
// CHECK-NEXT: flatir.require "equal" [[N3]], [[ARG1]] "'reshape' keeps the number of elements, apart from sizes that both shapes share"
// CHECK-NEXT: [[N4:%.+]] = flatir.reshape [[ARG0]] sizes([[ARG1]]) : tensor<?x8xf32> -> tensor<?x4xf32>
// CHECK-NEXT: [[N5:%.+]] = arith.constant 8 : index
// CHECK-NEXT: [[N6:%.+]] = arith.muli [[N5]], [[N0]] : index
// CHECK-NEXT: [[N7:%.+]] = arith.constant 1 : index
// CHECK-NEXT: [[N8:%.+]] = arith.maxsi [[ARG1]], [[N7]] : index
// CHECK-NEXT: [[N9:%.+]] = arith.floordivsi [[N6]], [[N8]] : index
// CHECK-NEXT: flatir.require "product" [[ARG1]], [[N9]] "the product of two sizes must fit 64 bits"
// CHECK-NEXT: [[N10:%.+]] = arith.muli [[ARG1]], [[N9]] : index
// CHECK-NEXT: flatir.require "equal" [[N6]], [[N10]] "'reshape' keeps the number of elements, apart from sizes that both shapes share"
// CHECK-NEXT: [[N11:%.+]] = flatir.reshape [[ARG0]] sizes([[ARG1]], [[N9]]) : tensor<?x8xf32> -> tensor<?x?xf32>
// CHECK-NEXT: flatir.require "equal" [[N0]], [[N2]] "'reshape' keeps the number of elements, apart from sizes that both shapes share"
// CHECK-NEXT: [[N12:%.+]] = flatir.reshape [[ARG0]] sizes() : tensor<?x8xf32> -> tensor<4x4xf32>
// CHECK-NEXT: return [[N4]], [[N11]], [[N12]] : tensor<?x4xf32>, tensor<?x?xf32>, tensor<4x4xf32>
func.func @reshape_checked(%a: tensor<?x8xf32>, %i: index) -> (tensor<?x4xf32>, tensor<?x?xf32>, tensor<4x4xf32>) {
  %0 = trace.reshape %a to [%i, 4] : (tensor<?x8xf32>) -> tensor<?x4xf32>
  %1 = trace.reshape %a to [%i, -1] : (tensor<?x8xf32>) -> tensor<?x?xf32>
  %2 = trace.reshape %a to [4, 4] : (tensor<?x8xf32>) -> tensor<4x4xf32>
  return %0, %1, %2 : tensor<?x4xf32>, tensor<?x?xf32>, tensor<4x4xf32>
}

// A size that both shapes share may be 0: then there are no elements, whatever
// the others say.
// CHECK-LABEL: func.func @reshape_shared(
// CHECK: [[N:%.+]] = flatir.dim %arg0, 0
// CHECK: [[ONE:%.+]] = arith.constant 1 : index
// CHECK: [[FACTOR:%.+]] = arith.minsi [[N]], [[ONE]]
// CHECK: arith.muli {{.*}}, [[FACTOR]]
// CHECK: flatir.require "equal"
func.func @reshape_shared(%a: tensor<?x8xf32>) -> tensor<?xf32> {
  %n = trace.dim %a dim = 0 : (tensor<?x8xf32>) -> index
  %0 = trace.reshape %a to [%n] : (tensor<?x8xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @squeeze(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG1]], 0 : tensor<?x3xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.reshape [[ARG0]] sizes() : tensor<1x3x1xf32> -> tensor<3x1xf32>
// CHECK-NEXT: [[N2:%.+]] = arith.constant 1 : index
// CHECK-NEXT: flatir.require "equal" [[N0]], [[N2]] "dimension 0 of the input of 'squeeze' has size 1"
// CHECK-NEXT: [[N3:%.+]] = flatir.reshape [[ARG1]] sizes() : tensor<?x3xf32> -> tensor<3xf32>
// CHECK-NEXT: return [[N1]], [[N3]] : tensor<3x1xf32>, tensor<3xf32>
func.func @squeeze(%a: tensor<1x3x1xf32>, %b: tensor<?x3xf32>) -> (tensor<3x1xf32>, tensor<3xf32>) {
  %0 = trace.squeeze %a dims = [-3] : (tensor<1x3x1xf32>) -> tensor<3x1xf32>
  %1 = trace.squeeze %b dims = [0] : (tensor<?x3xf32>) -> tensor<3xf32>
  %2 = trace.squeeze %1 dims = [] : (tensor<3xf32>) -> tensor<3xf32>
  return %0, %2 : tensor<3x1xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @unsqueeze(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG0]], 0 : tensor<?x3xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.reshape [[ARG0]] sizes([[N0]]) : tensor<?x3xf32> -> tensor<?x1x3xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.reshape [[ARG0]] sizes([[N0]]) : tensor<?x3xf32> -> tensor<?x3x1xf32>
// CHECK-NEXT: return [[N1]], [[N2]] : tensor<?x1x3xf32>, tensor<?x3x1xf32>
func.func @unsqueeze(%a: tensor<?x3xf32>) -> (tensor<?x1x3xf32>, tensor<?x3x1xf32>) {
  %0 = trace.unsqueeze %a dim = 1 : (tensor<?x3xf32>) -> tensor<?x1x3xf32>
  %1 = trace.unsqueeze %a dim = -1 : (tensor<?x3xf32>) -> tensor<?x3x1xf32>
  return %0, %1 : tensor<?x1x3xf32>, tensor<?x3x1xf32>
}

// CHECK-LABEL: func.func @permute(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG0]], 2 : tensor<2x3x?xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.transpose [[ARG0]] [2, 0, 1] : tensor<2x3x?xf32> -> tensor<?x2x3xf32>
// CHECK-NEXT: return [[N1]], [[ARG0]] : tensor<?x2x3xf32>, tensor<2x3x?xf32>
func.func @permute(%a: tensor<2x3x?xf32>) -> (tensor<?x2x3xf32>, tensor<2x3x?xf32>) {
  %0 = trace.permute %a [-1, 0, 1] : (tensor<2x3x?xf32>) -> tensor<?x2x3xf32>
  %1 = trace.permute %a [0, 1, 2] : (tensor<2x3x?xf32>) -> tensor<2x3x?xf32>
  return %0, %1 : tensor<?x2x3xf32>, tensor<2x3x?xf32>
}

// CHECK-LABEL: func.func @transpose(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.transpose [[ARG0]] [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
// CHECK-NEXT: return [[N0]], [[ARG0]] : tensor<3x2xf32>, tensor<2x3xf32>
func.func @transpose(%a: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<2x3xf32>) {
  %0 = trace.transpose %a dims = -2, -1 : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = trace.transpose %a dims = 1, -1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %1 : tensor<3x2xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @expand(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.broadcast [[ARG0]] dims = [1, 2] sizes() : tensor<1x3xf32> -> tensor<4x2x3xf32>
// CHECK-NEXT: return [[N0]], [[ARG0]] : tensor<4x2x3xf32>, tensor<1x3xf32>
func.func @expand(%a: tensor<1x3xf32>) -> (tensor<4x2x3xf32>, tensor<1x3xf32>) {
  %0 = trace.expand %a to [4, 2, -1] : (tensor<1x3xf32>) -> tensor<4x2x3xf32>
  %1 = trace.expand %a to [-1, 3] : (tensor<1x3xf32>) -> tensor<1x3xf32>
  return %0, %1 : tensor<4x2x3xf32>, tensor<1x3xf32>
}

// CHECK-LABEL: func.func @expand_dynamic(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG0]], 0 : tensor<?x1xf32>
// CHECK-NEXT: [[N1:%.+]] = arith.constant 0 : index
// CHECK-NEXT: flatir.require "at_most" [[N1]], [[ARG1]] "size 1 of 'expand' is not negative"
// CHECK-NEXT: [[N2:%.+]] = flatir.broadcast [[ARG0]] dims = [0, 1] sizes([[N0]], [[ARG1]]) : tensor<?x1xf32> -> tensor<?x?xf32>
// CHECK-NEXT: [[N3:%.+]] = arith.constant 1 : index
// CHECK-NEXT: [[N4:%.+]] = arith.cmpi eq, [[N0]], [[N3]] : index
// CHECK-NEXT: [[N5:%.+]] = arith.constant 4 : index
// CHECK-NEXT: [[N6:%.+]] = arith.select [[N4]], [[N5]], [[N0]] : index
// CHECK-NEXT: flatir.require "equal" [[N6]], [[N5]] "dimension 0 of the input of 'expand' has size 1 or the size expanded to"
// CHECK-NEXT: [[N7:%.+]] = flatir.broadcast [[ARG0]] dims = [0, 1] sizes() : tensor<?x1xf32> -> tensor<4x1xf32>
// CHECK-NEXT: return [[N2]], [[N7]] : tensor<?x?xf32>, tensor<4x1xf32>
func.func @expand_dynamic(%a: tensor<?x1xf32>, %i: index) -> (tensor<?x?xf32>, tensor<4x1xf32>) {
  %0 = trace.expand %a to [-1, %i] : (tensor<?x1xf32>) -> tensor<?x?xf32>
  %1 = trace.expand %a to [4, 1] : (tensor<?x1xf32>) -> tensor<4x1xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<4x1xf32>
}

// CHECK-LABEL: func.func @concatenate(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.concatenate [[ARG0]], [[ARG1]] dim = 0 : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
// CHECK-NEXT: return [[N0]], [[ARG0]] : tensor<3x3xf32>, tensor<2x3xf32>
func.func @concatenate(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) -> (tensor<3x3xf32>, tensor<2x3xf32>) {
  %0 = trace.concatenate %a, %b dim = -2 : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
  %1 = trace.concatenate %a dim = 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0, %1 : tensor<3x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @concatenate_dynamic(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG0]], 0 : tensor<?x?xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.dim [[ARG0]], 1 : tensor<?x?xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.dim [[ARG1]], 0 : tensor<?x?xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.dim [[ARG1]], 1 : tensor<?x?xf32>
// CHECK-NEXT: [[N4:%.+]] = arith.addi [[N0]], [[N2]] : index
// CHECK-NEXT: flatir.require "equal" [[N1]], [[N3]] "inputs 0 and 1 of 'concatenate' have equal sizes in dimension 1"
// CHECK-NEXT: [[N5:%.+]] = flatir.concatenate [[ARG0]], [[ARG1]] dim = 0 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
// CHECK-NEXT: [[N6:%.+]] = flatir.add [[N5]], [[N5]] : tensor<?x?xf32>
// CHECK-NEXT: return [[N6]] : tensor<?x?xf32>
func.func @concatenate_dynamic(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = trace.concatenate %a, %b dim = 0 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = trace.add %0, %0 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
