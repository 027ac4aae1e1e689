// RUN: tripy-opt %s --trace-to-flatir | FileCheck %s

// CHECK-LABEL: func.func @matrices(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dot [[ARG0]], [[ARG1]] batch = [] x [] contract = [1] x [0] : (tensor<2x3xf16>, tensor<3x5xf16>) -> tensor<2x5xf16>
// CHECK-NEXT: return [[N0]] : tensor<2x5xf16>
func.func @matrices(%a: tensor<2x3xf16>, %b: tensor<3x5xf16>) -> tensor<2x5xf16> {
  %0 = trace.matmul %a, %b : (tensor<2x3xf16>, tensor<3x5xf16>) -> tensor<2x5xf16>
  return %0 : tensor<2x5xf16>
}

// Vectors: no reshape.
// CHECK-LABEL: func.func @vectors(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:{{.*}}[[ARG2:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dot [[ARG0]], [[ARG0]] batch = [] x [] contract = [0] x [0] : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
// CHECK-NEXT: [[N1:%.+]] = flatir.dot [[ARG1]], [[ARG0]] batch = [] x [] contract = [2] x [0] : (tensor<4x2x3xf32>, tensor<3xf32>) -> tensor<4x2xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.dot [[ARG2]], [[ARG0]] batch = [] x [] contract = [1] x [0] : (tensor<4x3x5xf32>, tensor<3xf32>) -> tensor<4x5xf32>
// CHECK-NEXT: return [[N0]], [[N1]], [[N2]] : tensor<f32>, tensor<4x2xf32>, tensor<4x5xf32>
func.func @vectors(%v: tensor<3xf32>, %a: tensor<4x2x3xf32>, %b: tensor<4x3x5xf32>) -> (tensor<f32>, tensor<4x2xf32>, tensor<4x5xf32>) {
  %0 = trace.matmul %v, %v : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  %1 = trace.matmul %a, %v : (tensor<4x2x3xf32>, tensor<3xf32>) -> tensor<4x2xf32>
  %2 = trace.matmul %v, %b : (tensor<3xf32>, tensor<4x3x5xf32>) -> tensor<4x5xf32>
  return %0, %1, %2 : tensor<f32>, tensor<4x2xf32>, tensor<4x5xf32>
}

// Batch dimensions of the left operand alone are its own: nothing is broadcast.
// CHECK-LABEL: func.func @left_batch(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:{{.*}}[[ARG2:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dot [[ARG0]], [[ARG1]] batch = [] x [] contract = [2] x [0] : (tensor<4x2x3xf32>, tensor<3x5xf32>) -> tensor<4x2x5xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.reshape [[ARG2]] sizes() : tensor<1x3x5xf32> -> tensor<3x5xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.dot [[ARG0]], [[N1]] batch = [] x [] contract = [2] x [0] : (tensor<4x2x3xf32>, tensor<3x5xf32>) -> tensor<4x2x5xf32>
// CHECK-NEXT: return [[N0]], [[N2]] : tensor<4x2x5xf32>, tensor<4x2x5xf32>
func.func @left_batch(%a: tensor<4x2x3xf32>, %b: tensor<3x5xf32>, %c: tensor<1x3x5xf32>) -> (tensor<4x2x5xf32>, tensor<4x2x5xf32>) {
  %0 = trace.matmul %a, %b : (tensor<4x2x3xf32>, tensor<3x5xf32>) -> tensor<4x2x5xf32>
  %1 = trace.matmul %a, %c : (tensor<4x2x3xf32>, tensor<1x3x5xf32>) -> tensor<4x2x5xf32>
  return %0, %1 : tensor<4x2x5xf32>, tensor<4x2x5xf32>
}

// CHECK-LABEL: func.func @batch(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dot [[ARG0]], [[ARG1]] batch = [0, 1] x [0, 1] contract = [3] x [2] : (tensor<6x4x2x3xf32>, tensor<6x4x3x5xf32>) -> tensor<6x4x2x5xf32>
// CHECK-NEXT: return [[N0]] : tensor<6x4x2x5xf32>
func.func @batch(%a: tensor<6x4x2x3xf32>, %b: tensor<6x4x3x5xf32>) -> tensor<6x4x2x5xf32> {
  %0 = trace.matmul %a, %b : (tensor<6x4x2x3xf32>, tensor<6x4x3x5xf32>) -> tensor<6x4x2x5xf32>
  return %0 : tensor<6x4x2x5xf32>
}

// The last batch dimension is the left operand's, the first one both have.
// CHECK-LABEL: func.func @mixed_batch(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.reshape [[ARG1]] sizes() : tensor<6x1x3x5xf32> -> tensor<6x3x5xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.dot [[ARG0]], [[N0]] batch = [0] x [0] contract = [3] x [1] : (tensor<6x4x2x3xf32>, tensor<6x3x5xf32>) -> tensor<6x4x2x5xf32>
// CHECK-NEXT: return [[N1]] : tensor<6x4x2x5xf32>
func.func @mixed_batch(%a: tensor<6x4x2x3xf32>, %b: tensor<6x1x3x5xf32>) -> tensor<6x4x2x5xf32> {
  %0 = trace.matmul %a, %b : (tensor<6x4x2x3xf32>, tensor<6x1x3x5xf32>) -> tensor<6x4x2x5xf32>
  return %0 : tensor<6x4x2x5xf32>
}

// CHECK-LABEL: func.func @right_batch(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.broadcast [[ARG0]] dims = [1, 2] sizes() : tensor<2x3xf32> -> tensor<4x2x3xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.dot [[N0]], [[ARG1]] batch = [0] x [0] contract = [2] x [1] : (tensor<4x2x3xf32>, tensor<4x3x5xf32>) -> tensor<4x2x5xf32>
// CHECK-NEXT: return [[N1]] : tensor<4x2x5xf32>
func.func @right_batch(%a: tensor<2x3xf32>, %b: tensor<4x3x5xf32>) -> tensor<4x2x5xf32> {
  %0 = trace.matmul %a, %b : (tensor<2x3xf32>, tensor<4x3x5xf32>) -> tensor<4x2x5xf32>
  return %0 : tensor<4x2x5xf32>
}

// CHECK-LABEL: func.func @crossed_batch(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.broadcast [[ARG0]] dims = [0, 1, 2, 3] sizes() : tensor<7x1x2x3xf32> -> tensor<7x4x2x3xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.broadcast [[ARG1]] dims = [1, 2, 3] sizes() : tensor<4x3x5xf32> -> tensor<7x4x3x5xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.dot [[N0]], [[N1]] batch = [0, 1] x [0, 1] contract = [3] x [2] : (tensor<7x4x2x3xf32>, tensor<7x4x3x5xf32>) -> tensor<7x4x2x5xf32>
// CHECK-NEXT: return [[N2]] : tensor<7x4x2x5xf32>
func.func @crossed_batch(%a: tensor<7x1x2x3xf32>, %b: tensor<4x3x5xf32>) -> tensor<7x4x2x5xf32> {
  %0 = trace.matmul %a, %b : (tensor<7x1x2x3xf32>, tensor<4x3x5xf32>) -> tensor<7x4x2x5xf32>
  return %0 : tensor<7x4x2x5xf32>
}

// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG0]], 0 : tensor<?x2x?xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.dim [[ARG0]], 2 : tensor<?x2x?xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.dim [[ARG1]], 0 : tensor<?x?x5xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.dim [[ARG1]], 1 : tensor<?x?x5xf32>
// CHECK-NEXT: flatir.require "equal" [[N1]], [[N3]] "dimension 2 of the left operand of 'matmul' agrees with dimension 1 of the right operand"
// CHECK-NEXT: flatir.require "broadcastable" [[N0]], [[N2]] "the operands of 'matmul' have equal sizes, or size 1, in batch dimension 0"
// CHECK-NEXT: [[N4:%.+]] = arith.constant 1 : index
// CHECK-NEXT: [[N5:%.+]] = arith.cmpi eq, [[N0]], [[N4]] : index
// CHECK-NEXT: [[N6:%.+]] = arith.select [[N5]], [[N2]], [[N0]] : index
// CHECK-NEXT: [[N7:%.+]] = flatir.broadcast [[ARG0]] dims = [0, 1, 2] sizes([[N6]], [[N1]]) : tensor<?x2x?xf32> -> tensor<?x2x?xf32>
// CHECK-NEXT: [[N8:%.+]] = flatir.broadcast [[ARG1]] dims = [0, 1, 2] sizes([[N6]], [[N3]]) : tensor<?x?x5xf32> -> tensor<?x?x5xf32>
// CHECK-NEXT: [[N9:%.+]] = flatir.dot [[N7]], [[N8]] batch = [0] x [0] contract = [2] x [1] : (tensor<?x2x?xf32>, tensor<?x?x5xf32>) -> tensor<?x2x5xf32>
// CHECK-NEXT: return [[N9]] : tensor<?x2x5xf32>
func.func @dynamic(%a: tensor<?x2x?xf32>, %b: tensor<?x?x5xf32>) -> tensor<?x2x5xf32> {
  %0 = trace.matmul %a, %b : (tensor<?x2x?xf32>, tensor<?x?x5xf32>) -> tensor<?x2x5xf32>
  return %0 : tensor<?x2x5xf32>
}

// CHECK-LABEL: func.func @linear(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:{{.*}}[[ARG2:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG0]], 0 : tensor<?x2xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.dot [[ARG0]], [[ARG1]] batch = [] x [] contract = [1] x [1] : (tensor<?x2xf32>, tensor<3x2xf32>) -> tensor<?x3xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.broadcast [[ARG2]] dims = [1] sizes([[N0]]) : tensor<3xf32> -> tensor<?x3xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.add [[N1]], [[N2]] : tensor<?x3xf32>
// CHECK-NEXT: [[N4:%.+]] = flatir.dot [[ARG0]], [[ARG1]] batch = [] x [] contract = [1] x [1] : (tensor<?x2xf32>, tensor<3x2xf32>) -> tensor<?x3xf32>
// CHECK-NEXT: return [[N3]], [[N4]] : tensor<?x3xf32>, tensor<?x3xf32>
func.func @linear(%x: tensor<?x2xf32>, %w: tensor<3x2xf32>, %b: tensor<3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  %0 = trace.linear %x, %w, %b : (tensor<?x2xf32>, tensor<3x2xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  %1 = trace.linear %x, %w : (tensor<?x2xf32>, tensor<3x2xf32>) -> tensor<?x3xf32>
  return %0, %1 : tensor<?x3xf32>, tensor<?x3xf32>
}

// Equal shapes stay as they are, at size 1 too.
// CHECK-LABEL: func.func @ones(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dot [[ARG0]], [[ARG1]] batch = [0] x [0] contract = [2] x [1] : (tensor<1x2x3xf32>, tensor<1x3x5xf32>) -> tensor<1x2x5xf32>
// CHECK-NEXT: return [[N0]] : tensor<1x2x5xf32>
func.func @ones(%a: tensor<1x2x3xf32>, %b: tensor<1x3x5xf32>) -> tensor<1x2x5xf32> {
  %0 = trace.matmul %a, %b : (tensor<1x2x3xf32>, tensor<1x3x5xf32>) -> tensor<1x2x5xf32>
  return %0 : tensor<1x2x5xf32>
}

// CHECK-LABEL: func.func @numbers(
// CHECK: flatir.dot {{.*}} contract = [2] x [1] allow_tf32 : (tensor<4x2x3xf32>, tensor<4x3x5xf32>) -> tensor<4x2x5xf32>
// CHECK: flatir.dot {{.*}} contract = [1] x [1] allow_tf32 : (tensor<2x3xf32>, tensor<5x3xf32>) -> tensor<2x5xf32>
// CHECK: [[N0:%.+]] = flatir.dot {{.*}} : (tensor<2x3xf8E4M3FN>, tensor<5x3xf8E4M3FN>) -> tensor<2x5xf16>
// CHECK: flatir.add [[N0]], {{.*}} : tensor<2x5xf16>
func.func @numbers(%a: tensor<4x2x3xf32>, %b: tensor<4x3x5xf32>, %x: tensor<2x3xf32>, %w: tensor<5x3xf32>, %q: tensor<2x3xf8E4M3FN>, %r: tensor<5x3xf8E4M3FN>, %s: tensor<5xf16>) -> (tensor<4x2x5xf32>, tensor<2x5xf32>, tensor<2x5xf16>) {
  %0 = trace.matmul %a, %b allow_tf32 : (tensor<4x2x3xf32>, tensor<4x3x5xf32>) -> tensor<4x2x5xf32>
  %1 = trace.linear %x, %w allow_tf32 : (tensor<2x3xf32>, tensor<5x3xf32>) -> tensor<2x5xf32>
  %2 = trace.linear %q, %r, %s dtype = f16 : (tensor<2x3xf8E4M3FN>, tensor<5x3xf8E4M3FN>, tensor<5xf16>) -> tensor<2x5xf16>
  return %0, %1, %2 : tensor<4x2x5xf32>, tensor<2x5xf32>, tensor<2x5xf16>
}

// A size of 1 that the left operand's type knows and the result's does not: the
// left operand is broadcast, so that the types agree.
// CHECK-LABEL: func.func @known_one(
// CHECK: flatir.broadcast
// CHECK-SAME: tensor<1x1x1x1xi64> -> tensor<1x?x1x1xi64>
// CHECK: flatir.dot
// CHECK-SAME: -> tensor<1x?x1x?xi64>
func.func @known_one(%a: tensor<1x1x1x1xi64>) -> tensor<1x?x1x?xi64> {
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %b = trace.iota [1, %c1, 1, %c9] dim = 2 dtype = i64 -> tensor<1x?x1x?xi64>
  %y = trace.matmul %a, %b : (tensor<1x1x1x1xi64>, tensor<1x?x1x?xi64>) -> tensor<1x?x1x?xi64>
  return %y : tensor<1x?x1x?xi64>
}
