// RUN: tripy-opt %s --trace-to-flatir | FileCheck %s

// CHECK-LABEL: func.func @constant(
// CHECK: [[N0:%.+]] = flatir.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.constant dense<[true, false]> : tensor<2xi1>
// CHECK-NEXT: return [[N0]], [[N1]] : tensor<2xf32>, tensor<2xi1>
func.func @constant() -> (tensor<2xf32>, tensor<2xi1>) {
  %0 = trace.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = trace.constant dense<[true, false]> : tensor<2xi1>
  return %0, %1 : tensor<2xf32>, tensor<2xi1>
}

// CHECK-LABEL: func.func @resource(
// CHECK: [[N0:%.+]] = flatir.constant dense_resource<weights> : tensor<2xf32>
// CHECK-NEXT: return [[N0]] : tensor<2xf32>
func.func @resource() -> tensor<2xf32> {
  %0 = trace.constant dense_resource<weights> : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @full(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.constant dense<1.500000e+00> : tensor<2x3xf32>
// CHECK-NEXT: [[N1:%.+]] = arith.constant 0 : index
// CHECK-NEXT: flatir.require "at_most" [[N1]], [[ARG0]] "size 1 of 'full' is not negative"
// CHECK-NEXT: [[N2:%.+]] = flatir.constant dense<7> : tensor<i32>
// CHECK-NEXT: [[N3:%.+]] = flatir.broadcast [[N2]] dims = [] sizes([[ARG0]]) : tensor<i32> -> tensor<2x?xi32>
// CHECK-NEXT: return [[N0]], [[N3]] : tensor<2x3xf32>, tensor<2x?xi32>
func.func @full(%n: index) -> (tensor<2x3xf32>, tensor<2x?xi32>) {
  %0 = trace.full [2, 3] value = 1.5 : f32 -> tensor<2x3xf32>
  %1 = trace.full [2, %n] value = 7 : i32 -> tensor<2x?xi32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x?xi32>
}

// CHECK-LABEL: func.func @iota(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG0]], 0 : tensor<?xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.iota dim = 1 sizes() : tensor<1x2xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.iota dim = 0 sizes([[N0]]) : tensor<?x2xi64>
// CHECK-NEXT: return [[N1]], [[N2]] : tensor<1x2xf32>, tensor<?x2xi64>
func.func @iota(%a: tensor<?xf32>) -> (tensor<1x2xf32>, tensor<?x2xi64>) {
  %0 = trace.iota [1, 2] dim = -1 dtype = f32 -> tensor<1x2xf32>
  %n = trace.dim %a dim = 0 : (tensor<?xf32>) -> index
  %1 = trace.iota [%n, 2] dim = 0 dtype = i64 -> tensor<?x2xi64>
  return %0, %1 : tensor<1x2xf32>, tensor<?x2xi64>
}

// A size is what made the tensor: nothing is read back.
// CHECK-LABEL: func.func @dim(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG0]], 0 : tensor<?x3xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.exp [[ARG0]] : tensor<?x3xf32>
// CHECK-NEXT: [[N2:%.+]] = arith.constant 3 : index
// CHECK-NEXT: return [[N0]], [[N2]] : index, index
func.func @dim(%a: tensor<?x3xf32>) -> (index, index) {
  %0 = trace.exp %a : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %n = trace.dim %0 dim = -2 : (tensor<?x3xf32>) -> index
  %m = trace.dim %0 dim = 1 : (tensor<?x3xf32>) -> index
  return %n, %m : index, index
}
{-#
  dialect_resources: { builtin: { weights: "0x040000000000803F00000040" } }
#-}
