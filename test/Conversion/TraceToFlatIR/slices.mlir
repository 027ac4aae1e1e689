// RUN: tripy-opt %s --trace-to-flatir | FileCheck %s

// CHECK-LABEL: func.func @static(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.slice [[ARG0]] [0, 5] strides = [1, -2] sizes() : tensor<4x8xf32> -> tensor<2x2xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.slice [[ARG0]] [1, 0] strides = [1, 1] sizes() : tensor<4x8xf32> -> tensor<3x0xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.slice [[ARG0]] [3, 0] strides = [-1, 1] sizes() : tensor<4x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: return [[N0]], [[N1]], [[ARG0]], [[N2]] : tensor<2x2xf32>, tensor<3x0xf32>, tensor<4x8xf32>, tensor<4x8xf32>
func.func @static(%a: tensor<4x8xf32>) -> (tensor<2x2xf32>, tensor<3x0xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = trace.slice %a [0, 5] to [2, 1] by [1, -2] : (tensor<4x8xf32>) -> tensor<2x2xf32>
  %1 = trace.slice %a [-3, 9] to [100, 20] by [1, 1] : (tensor<4x8xf32>) -> tensor<3x0xf32>
  %2 = trace.slice %a [-9, 0] to [4, 9] by [1, 1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = trace.slice %a [4611686018427387904, 0] to [-4611686018427387904, 8] by [-1, 1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0, %1, %2, %3 : tensor<2x2xf32>, tensor<3x0xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// A bound of any value is counted from the end when negative, then clamped.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:{{.*}}[[ARG2:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG0]], 0 : tensor<?xf32>
// CHECK-NEXT: [[N1:%.+]] = arith.constant -1 : index
// CHECK-NEXT: [[N2:%.+]] = arith.minsi [[ARG1]], [[N1]] : index
// CHECK-NEXT: [[N3:%.+]] = arith.addi [[N2]], [[N0]] : index
// CHECK-NEXT: [[N4:%.+]] = arith.constant 0 : index
// CHECK-NEXT: [[N5:%.+]] = arith.cmpi slt, [[ARG1]], [[N4]] : index
// CHECK-NEXT: [[N6:%.+]] = arith.select [[N5]], [[N3]], [[ARG1]] : index
// CHECK-NEXT: [[N7:%.+]] = arith.maxsi [[N6]], [[N4]] : index
// CHECK-NEXT: [[N8:%.+]] = arith.minsi [[N7]], [[N0]] : index
// CHECK-NEXT: [[N9:%.+]] = arith.minsi [[ARG2]], [[N1]] : index
// CHECK-NEXT: [[N10:%.+]] = arith.addi [[N9]], [[N0]] : index
// CHECK-NEXT: [[N11:%.+]] = arith.cmpi slt, [[ARG2]], [[N4]] : index
// CHECK-NEXT: [[N12:%.+]] = arith.select [[N11]], [[N10]], [[ARG2]] : index
// CHECK-NEXT: [[N13:%.+]] = arith.maxsi [[N12]], [[N4]] : index
// CHECK-NEXT: [[N14:%.+]] = arith.minsi [[N13]], [[N0]] : index
// CHECK-NEXT: [[N15:%.+]] = arith.subi [[N14]], [[N8]] : index
// CHECK-NEXT: [[N16:%.+]] = arith.maxsi [[N15]], [[N4]] : index
// CHECK-NEXT: [[N17:%.+]] = arith.constant 3 : index
// CHECK-NEXT: [[N18:%.+]] = arith.ceildivsi [[N16]], [[N17]] : index
// CHECK-NEXT: [[N19:%.+]] = flatir.slice [[ARG0]] [[[N8]]] strides = [3] sizes([[N18]]) : tensor<?xf32> -> tensor<?xf32>
// CHECK-NEXT: return [[N19]] : tensor<?xf32>
func.func @dynamic(%a: tensor<?xf32>, %i: index, %j: index) -> tensor<?xf32> {
  %0 = trace.slice %a [%i] to [%j] by [3] : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// a[:-1] and a[::-1]; the reverse has the same size as the input.
// CHECK-LABEL: func.func @half_dynamic(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG0]], 0 : tensor<?xf32>
// CHECK-NEXT: [[N1:%.+]] = arith.constant -1 : index
// CHECK-NEXT: [[N2:%.+]] = arith.addi [[N0]], [[N1]] : index
// CHECK-NEXT: [[N3:%.+]] = arith.constant 0 : index
// CHECK-NEXT: [[N4:%.+]] = arith.maxsi [[N2]], [[N3]] : index
// CHECK-NEXT: [[N5:%.+]] = flatir.slice [[ARG0]] [0] strides = [1] sizes([[N4]]) : tensor<?xf32> -> tensor<?xf32>
// CHECK-NEXT: [[N6:%.+]] = flatir.slice [[ARG0]] [[[N4]]] strides = [-1] sizes([[N0]]) : tensor<?xf32> -> tensor<?xf32>
// CHECK-NEXT: [[N7:%.+]] = flatir.add [[N6]], [[ARG0]] : tensor<?xf32>
// CHECK-NEXT: return [[N5]], [[N7]] : tensor<?xf32>, tensor<?xf32>
func.func @half_dynamic(%a: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = trace.slice %a [0] to [-1] by [1] : (tensor<?xf32>) -> tensor<?xf32>
  %1 = trace.slice %a [4611686018427387904] to [-4611686018427387904] by [-1] : (tensor<?xf32>) -> tensor<?xf32>
  %2 = trace.add %1, %a : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0, %2 : tensor<?xf32>, tensor<?xf32>
}

// A whole tensor is no slice.
// CHECK-LABEL: func.func @whole(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG0]], 0 : tensor<?x4xf32>
// CHECK-NEXT: return [[ARG0]] : tensor<?x4xf32>
func.func @whole(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = trace.slice %a [0, 0] to [4611686018427387904, 4] by [1, 1] : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @split(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.slice [[ARG0]] [0, 0] strides = [1, 1] sizes() : tensor<4x3xf32> -> tensor<4x2xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.slice [[ARG0]] [0, 2] strides = [1, 1] sizes() : tensor<4x3xf32> -> tensor<4x1xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.slice [[ARG0]] [0, 0] strides = [1, 1] sizes() : tensor<4x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.slice [[ARG0]] [2, 0] strides = [1, 1] sizes() : tensor<4x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: return [[N0]], [[N1]], [[N2]], [[N3]] : tensor<4x2xf32>, tensor<4x1xf32>, tensor<2x3xf32>, tensor<2x3xf32>
func.func @split(%a: tensor<4x3xf32>) -> (tensor<4x2xf32>, tensor<4x1xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %0:2 = trace.split %a dim = -1 sizes = [2, 1] : (tensor<4x3xf32>) -> (tensor<4x2xf32>, tensor<4x1xf32>)
  %1:2 = trace.split %a dim = 0 parts = 2 : (tensor<4x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return %0#0, %0#1, %1#0, %1#1 : tensor<4x2xf32>, tensor<4x1xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @split_remainder(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.slice [[ARG0]] [0] strides = [1] sizes() : tensor<5xf32> -> tensor<2xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.slice [[ARG0]] [2] strides = [1] sizes() : tensor<5xf32> -> tensor<2xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.slice [[ARG0]] [4] strides = [1] sizes() : tensor<5xf32> -> tensor<1xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.slice [[ARG0]] [0] strides = [1] sizes() : tensor<5xf32> -> tensor<0xf32>
// CHECK-NEXT: return [[N0]], [[N1]], [[N2]], [[N3]] : tensor<2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<0xf32>
func.func @split_remainder(%a: tensor<5xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<0xf32>) {
  %0:4 = trace.split %a dim = 0 parts = 4 : (tensor<5xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<0xf32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<0xf32>
}

// CHECK-LABEL: func.func @split_dynamic(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG0]], 0 : tensor<?x3xf32>
// CHECK-NEXT: [[N1:%.+]] = arith.constant 3 : index
// CHECK-NEXT: [[N2:%.+]] = arith.ceildivsi [[N0]], [[N1]] : index
// CHECK-NEXT: [[N3:%.+]] = flatir.slice [[ARG0]] [0, 0] strides = [1, 1] sizes([[N2]]) : tensor<?x3xf32> -> tensor<?x3xf32>
// CHECK-NEXT: [[N4:%.+]] = arith.subi [[N0]], [[N2]] : index
// CHECK-NEXT: [[N5:%.+]] = arith.minsi [[N4]], [[N2]] : index
// CHECK-NEXT: [[N6:%.+]] = flatir.slice [[ARG0]] [[[N2]], 0] strides = [1, 1] sizes([[N5]]) : tensor<?x3xf32> -> tensor<?x3xf32>
// CHECK-NEXT: [[N7:%.+]] = arith.addi [[N2]], [[N2]] : index
// CHECK-NEXT: [[N8:%.+]] = arith.minsi [[N7]], [[N0]] : index
// CHECK-NEXT: [[N9:%.+]] = arith.subi [[N0]], [[N8]] : index
// CHECK-NEXT: [[N10:%.+]] = arith.minsi [[N9]], [[N2]] : index
// CHECK-NEXT: [[N11:%.+]] = flatir.slice [[ARG0]] [[[N8]], 0] strides = [1, 1] sizes([[N10]]) : tensor<?x3xf32> -> tensor<?x3xf32>
// CHECK-NEXT: return [[N3]], [[N6]], [[N11]] : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>
func.func @split_dynamic(%a: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) {
  %0:3 = trace.split %a dim = 0 parts = 3 : (tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>)
  return %0#0, %0#1, %0#2 : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>
}

// Where one element is taken and its dimension removed, as for x[5], the index
// is checked by its name.
// CHECK-LABEL: func.func @index(
// CHECK: [[N:%.+]] = flatir.dim %arg0, 1
// CHECK: [[SIX:%.+]] = arith.constant 6 : index
// CHECK: flatir.require "at_most" [[SIX]], [[N]] "index 5 must be inside of dimension 1, whose size must be at least 6"
func.func @index(%a: tensor<?x?xf32>) -> tensor<?xf32> {
  %0 = trace.slice %a [0, 5] to [4611686018427387904, 6] by [1, 1] : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = trace.squeeze %0 dims = [1] : (tensor<?x?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// CHECK-LABEL: func.func @last(
// CHECK: flatir.require "at_most" {{.*}} "index -1 must be inside of dimension 0, whose size must be at least 1"
func.func @last(%a: tensor<?xf32>) -> tensor<f32> {
  %0 = trace.slice %a [-1] to [4611686018427387904] by [1] : (tensor<?xf32>) -> tensor<?xf32>
  %1 = trace.squeeze %0 dims = [-1] : (tensor<?xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// CHECK-LABEL: func.func @no_index(
// CHECK-NOT: "at_most"
// CHECK: flatir.require "equal" {{.*}} "dimension 0 of the input of 'squeeze' has size 1"
func.func @no_index(%a: tensor<?xf32>) -> tensor<f32> {
  %0 = trace.slice %a [1] to [3] by [1] : (tensor<?xf32>) -> tensor<?xf32>
  %1 = trace.squeeze %0 dims = [0] : (tensor<?xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}
