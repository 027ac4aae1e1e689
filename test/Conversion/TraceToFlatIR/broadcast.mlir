// RUN: tripy-opt %s --trace-to-flatir | FileCheck %s

// Equal shapes: one operation.
// CHECK-LABEL: func.func @equal(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.add [[ARG0]], [[ARG1]] : tensor<2x3xf32>
// CHECK-NEXT: return [[N0]] : tensor<2x3xf32>
func.func @equal(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = trace.add %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @static(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.broadcast [[ARG1]] dims = [1] sizes() : tensor<3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.add [[ARG0]], [[N0]] : tensor<2x3xf32>
// CHECK-NEXT: return [[N1]] : tensor<2x3xf32>
func.func @static(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = trace.add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @both(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.broadcast [[ARG0]] dims = [0, 1] sizes() : tensor<2x1xf32> -> tensor<2x3xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.broadcast [[ARG1]] dims = [0, 1] sizes() : tensor<1x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.add [[N0]], [[N1]] : tensor<2x3xf32>
// CHECK-NEXT: return [[N2]] : tensor<2x3xf32>
func.func @both(%a: tensor<2x1xf32>, %b: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %0 = trace.add %a, %b : (tensor<2x1xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @empty(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.broadcast [[ARG1]] dims = [0, 1] sizes() : tensor<1x3xf32> -> tensor<0x3xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.add [[ARG0]], [[N0]] : tensor<0x3xf32>
// CHECK-NEXT: return [[N1]] : tensor<0x3xf32>
func.func @empty(%a: tensor<0x3xf32>, %b: tensor<1x3xf32>) -> tensor<0x3xf32> {
  %0 = trace.add %a, %b : (tensor<0x3xf32>, tensor<1x3xf32>) -> tensor<0x3xf32>
  return %0 : tensor<0x3xf32>
}

// Two unknown sizes: the result's is decided at run time, once.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG0]], 0 : tensor<?x3xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.dim [[ARG1]], 0 : tensor<?x3xf32>
// CHECK-NEXT: flatir.require "broadcastable" [[N0]], [[N1]] "the left operand and the right operand of 'add' have equal sizes, or size 1, in dimension 0"
// CHECK-NEXT: [[N2:%.+]] = arith.constant 1 : index
// CHECK-NEXT: [[N3:%.+]] = arith.cmpi eq, [[N0]], [[N2]] : index
// CHECK-NEXT: [[N4:%.+]] = arith.select [[N3]], [[N1]], [[N0]] : index
// CHECK-NEXT: [[N5:%.+]] = flatir.broadcast [[ARG0]] dims = [0, 1] sizes([[N4]]) : tensor<?x3xf32> -> tensor<?x3xf32>
// CHECK-NEXT: [[N6:%.+]] = flatir.broadcast [[ARG1]] dims = [0, 1] sizes([[N4]]) : tensor<?x3xf32> -> tensor<?x3xf32>
// CHECK-NEXT: [[N7:%.+]] = flatir.add [[N5]], [[N6]] : tensor<?x3xf32>
// CHECK-NEXT: [[N8:%.+]] = flatir.broadcast [[ARG1]] dims = [0, 1] sizes([[N4]]) : tensor<?x3xf32> -> tensor<?x3xf32>
// CHECK-NEXT: [[N9:%.+]] = flatir.mul [[N7]], [[N8]] : tensor<?x3xf32>
// CHECK-NEXT: [[N10:%.+]] = flatir.exp [[N9]] : tensor<?x3xf32>
// CHECK-NEXT: [[N11:%.+]] = flatir.sub [[N10]], [[N7]] : tensor<?x3xf32>
// CHECK-NEXT: return [[N11]] : tensor<?x3xf32>
func.func @dynamic(%a: tensor<?x3xf32>, %b: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = trace.add %a, %b : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %1 = trace.mul %0, %b : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %2 = trace.exp %1 : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %3 = trace.sub %2, %0 : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %3 : tensor<?x3xf32>
}

// One size, by name.
// CHECK-LABEL: func.func @named(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG1]], 1 : tensor<3x?xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.transpose [[ARG1]] [1, 0] : tensor<3x?xf32> -> tensor<?x3xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.add [[ARG0]], [[N1]] : tensor<?x3xf32>
// CHECK-NEXT: return [[N2]] : tensor<?x3xf32>
func.func @named(%a: tensor<?x3xf32> {tripy.dims = ["n", ""]}, %b: tensor<3x?xf32> {tripy.dims = ["", "n"]}) -> tensor<?x3xf32> {
  %0 = trace.transpose %b dims = 0, 1 : (tensor<3x?xf32>) -> tensor<?x3xf32>
  %1 = trace.add %a, %0 : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %1 : tensor<?x3xf32>
}

// A static size decides what `?` may be.
// CHECK-LABEL: func.func @half_static(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:{{.*}}[[ARG2:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG0]], 0 : tensor<?xf32>
// CHECK-NEXT: [[N1:%.+]] = arith.constant 4 : index
// CHECK-NEXT: flatir.require "broadcastable" [[N1]], [[N0]] "the left operand and the right operand of 'add' have equal sizes, or size 1, in dimension 0"
// CHECK-NEXT: [[N2:%.+]] = flatir.broadcast [[ARG0]] dims = [0] sizes() : tensor<?xf32> -> tensor<4xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.add [[N2]], [[ARG1]] : tensor<4xf32>
// CHECK-NEXT: [[N4:%.+]] = flatir.broadcast [[ARG2]] dims = [0] sizes([[N0]]) : tensor<1xf32> -> tensor<?xf32>
// CHECK-NEXT: [[N5:%.+]] = flatir.add [[ARG0]], [[N4]] : tensor<?xf32>
// CHECK-NEXT: return [[N3]], [[N5]] : tensor<4xf32>, tensor<?xf32>
func.func @half_static(%a: tensor<?xf32>, %b: tensor<4xf32>, %c: tensor<1xf32>) -> (tensor<4xf32>, tensor<?xf32>) {
  %0 = trace.add %a, %b : (tensor<?xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = trace.add %a, %c : (tensor<?xf32>, tensor<1xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<4xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @where(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:{{.*}}[[ARG2:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG0]], 0 : tensor<?xi1>
// CHECK-NEXT: [[N1:%.+]] = flatir.dim [[ARG1]], 0 : tensor<?xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.dim [[ARG2]], 0 : tensor<?xf32>
// CHECK-NEXT: flatir.require "broadcastable" [[N0]], [[N1]] "the condition, the first choice and the second choice of 'where' have equal sizes, or size 1, in dimension 0"
// CHECK-NEXT: [[N3:%.+]] = arith.constant 1 : index
// CHECK-NEXT: [[N4:%.+]] = arith.cmpi eq, [[N0]], [[N3]] : index
// CHECK-NEXT: [[N5:%.+]] = arith.select [[N4]], [[N1]], [[N0]] : index
// CHECK-NEXT: flatir.require "broadcastable" [[N5]], [[N2]] "the condition, the first choice and the second choice of 'where' have equal sizes, or size 1, in dimension 0"
// CHECK-NEXT: [[N6:%.+]] = arith.cmpi eq, [[N5]], [[N3]] : index
// CHECK-NEXT: [[N7:%.+]] = arith.select [[N6]], [[N2]], [[N5]] : index
// CHECK-NEXT: [[N8:%.+]] = flatir.broadcast [[ARG0]] dims = [0] sizes([[N7]]) : tensor<?xi1> -> tensor<?xi1>
// CHECK-NEXT: [[N9:%.+]] = flatir.broadcast [[ARG1]] dims = [0] sizes([[N7]]) : tensor<?xf32> -> tensor<?xf32>
// CHECK-NEXT: [[N10:%.+]] = flatir.broadcast [[ARG2]] dims = [0] sizes([[N7]]) : tensor<?xf32> -> tensor<?xf32>
// CHECK-NEXT: [[N11:%.+]] = flatir.select [[N8]], [[N9]], [[N10]] : tensor<?xi1>, tensor<?xf32>
// CHECK-NEXT: return [[N11]] : tensor<?xf32>
func.func @where(%c: tensor<?xi1>, %a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = trace.where %c, %a, %b : (tensor<?xi1>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
