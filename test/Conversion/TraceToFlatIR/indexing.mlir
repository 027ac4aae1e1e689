// RUN: tripy-opt %s --trace-to-flatir | FileCheck %s

// CHECK-LABEL: func.func @gather(
// CHECK: flatir.gather %arg0, %arg1 dim = 1 : (tensor<2x8xf32>, tensor<5xi64>) -> tensor<2x5xf32>
// CHECK-NEXT: return
func.func @gather(%a: tensor<2x8xf32>, %i: tensor<5xi64>) -> tensor<2x5xf32> {
  %0 = trace.gather %a, %i dim = -1 : (tensor<2x8xf32>, tensor<5xi64>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// A size of 0 is refused before the program runs, unless the index is empty.
// CHECK-LABEL: func.func @embedding(
// CHECK-DAG: %[[ROWS:.*]] = flatir.dim %arg0, 0
// CHECK-DAG: %[[COUNT:.*]] = flatir.dim %arg1, 0
// CHECK: %[[LEAST:.*]] = arith.minsi
// CHECK: flatir.require "at_most" %[[LEAST]], %[[ROWS]] "dimension 0 of the input of 'embedding' is not empty, unless the index is"
// CHECK: flatir.gather %arg0, %arg1 dim = 0
func.func @embedding(%w: tensor<?x8xf32>, %i: tensor<?xi32>) -> tensor<?x8xf32> {
  %0 = trace.embedding %w, %i : (tensor<?x8xf32>, tensor<?xi32>) -> tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// The last dimension is padded first.
// CHECK-LABEL: func.func @pad(
// CHECK: %[[RIGHT:.*]] = flatir.constant dense<2.0{{.*}}> : tensor<4x2xf32>
// CHECK: %[[ROW:.*]] = flatir.concatenate %arg0, %[[RIGHT]] dim = 1
// CHECK: %[[TOP:.*]] = flatir.constant dense<2.0{{.*}}> : tensor<1x10xf32>
// CHECK: flatir.concatenate %[[TOP]], %[[ROW]] dim = 0
func.func @pad(%a: tensor<4x8xf32>) -> tensor<5x10xf32> {
  %0 = trace.pad %a low [1, 0] high [0, 2] value = 2.0 : f32 : (tensor<4x8xf32>) -> tensor<5x10xf32>
  return %0 : tensor<5x10xf32>
}

// CHECK-LABEL: func.func @pad_nothing(
// CHECK-NEXT: return %arg0
func.func @pad_nothing(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = trace.pad %a low [0] high [0] value = 2.0 : f32 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @pad_dynamic(
// CHECK: flatir.require "at_most" {{.*}} "the widths of 'pad' in dimension 0 are not negative"
// CHECK: flatir.broadcast {{.*}} dims = [] sizes(%{{.*}}) : tensor<f32> -> tensor<?xf32>
// CHECK: flatir.concatenate {{.*}} dim = 0
func.func @pad_dynamic(%a: tensor<4xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %n = trace.dim %b dim = 0 : (tensor<?xf32>) -> index
  %one = arith.constant 1 : index
  %m = arith.subi %n, %one : index
  %0 = trace.pad %a low [%m] high [0] value = 2.0 : f32 : (tensor<4xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @argmax(
// CHECK: %[[R:.*]] = flatir.composite "argmax"(%arg0) {dim = 1 : i64} : (tensor<2x3xf32>) -> tensor<2xi32>
// CHECK: %[[MAX:.*]] = flatir.reduce max %[[X:.*]] dims = [1]
// CHECK: %[[ALL:.*]] = flatir.broadcast %[[MAX]]
// CHECK: %[[EQ:.*]] = flatir.compare eq %[[X]], %[[ALL]]
// CHECK: %[[NAN:.*]] = flatir.compare ne %[[X]], %[[X]]
// CHECK: %[[FOUND:.*]] = flatir.logical_or %[[EQ]], %[[NAN]]
// CHECK: %[[PLACES:.*]] = flatir.iota dim = 1
// CHECK: flatir.constant dense<2147483647>
// CHECK: %[[ONLY:.*]] = flatir.select %[[FOUND]], %[[PLACES]]
// CHECK: flatir.reduce min %[[ONLY]] dims = [1]
// CHECK: flatir.reshape %[[R]] sizes() : tensor<2xi32> -> tensor<2x1xi32>
func.func @argmax(%a: tensor<2x3xf32>) -> tensor<2x1xi32> {
  %0 = trace.argmax %a dim = -1 keepdim : (tensor<2x3xf32>) -> tensor<2x1xi32>
  return %0 : tensor<2x1xi32>
}

// Integers have no NaN; without a dimension all elements are in one row.
// CHECK-LABEL: func.func @argmin(
// CHECK: %[[FLAT:.*]] = flatir.reshape %arg0 sizes(%{{.*}}) : tensor<2x?xi32> -> tensor<?xi32>
// CHECK: flatir.require "at_most" {{.*}} "'argmin' has an element to choose"
// CHECK: flatir.require "at_most" {{.*}} "'argmin' has at most 2^31 - 1 elements to choose from"
// CHECK: flatir.composite "argmin"(%[[FLAT]], %{{.*}}) {dim = 0 : i64} : (tensor<?xi32>, index) -> tensor<i32>
// CHECK: flatir.reduce min
// CHECK-NOT: flatir.compare ne
// CHECK: return
func.func @argmin(%a: tensor<2x?xi32>) -> tensor<i32> {
  %0 = trace.argmin %a : (tensor<2x?xi32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// CHECK-LABEL: func.func @cumsum(
// CHECK-NEXT: flatir.scan %arg0 dim = 0 : tensor<2x3xf16>
func.func @cumsum(%a: tensor<2x3xf16>) -> tensor<2x3xf16> {
  %0 = trace.cumsum %a dim = -2 : (tensor<2x3xf16>) -> tensor<2x3xf16>
  return %0 : tensor<2x3xf16>
}
