// RUN: tripy-opt %s --flatir-to-linalg --split-input-file | FileCheck %s

// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @add(
// CHECK-SAME: %[[A:.*]]: tensor<2x3xf32>, %[[B:.*]]: tensor<2x3xf32>)
func.func @add(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK: %[[INIT:.*]] = tensor.empty() : tensor<2x3xf32>
  // CHECK: %[[R:.*]] = linalg.generic {indexing_maps = [#[[$ID]], #[[$ID]], #[[$ID]]], iterator_types = ["parallel", "parallel"]}
  // CHECK-SAME: ins(%[[A]], %[[B]] : tensor<2x3xf32>, tensor<2x3xf32>) outs(%[[INIT]]
  // CHECK: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %{{.*}}: f32):
  // CHECK: %[[S:.*]] = arith.addf %[[X]], %[[Y]] : f32
  // CHECK: linalg.yield %[[S]]
  // CHECK: return %[[R]]
  %r = flatir.add %a, %b : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// 16-bit arithmetic stays in 16-bit types here.
// CHECK-LABEL: func.func @half(
func.func @half(%a: tensor<4xf16>) -> tensor<4xf16> {
  // CHECK-NOT: arith.extf
  // CHECK: math.exp %{{.*}} : f16
  %r = flatir.exp %a : tensor<4xf16>
  return %r : tensor<4xf16>
}

// -----

// Sizes come from tensor.dim of the arguments.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[A:.*]]: tensor<?x2xi64>
func.func @dynamic(%a: tensor<?x2xi64>) -> tensor<?x2xi64> {
  // CHECK: %[[N:.*]] = tensor.dim %[[A]], %c0
  // CHECK: tensor.empty(%[[N]]) : tensor<?x2xi64>
  // CHECK: arith.maxsi
  %r = flatir.maximum %a, %a : tensor<?x2xi64>
  return %r : tensor<?x2xi64>
}

// -----

// A splat is a constant of the body, not an operand.
// CHECK-LABEL: func.func @splat(
// CHECK-SAME: %[[A:.*]]: tensor<3xf32>
func.func @splat(%a: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK: linalg.generic
  // CHECK-SAME: ins(%[[A]] : tensor<3xf32>)
  // CHECK: %[[C:.*]] = arith.constant 1.500000e+00 : f32
  // CHECK: arith.mulf %{{.*}}, %[[C]]
  %c = flatir.constant dense<1.5> : tensor<3xf32>
  %r = flatir.mul %a, %c : tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

// CHECK-LABEL: func.func @dynamic_splat(
// CHECK-SAME: %[[A:.*]]: tensor<?xf32>
func.func @dynamic_splat(%a: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: linalg.generic
  // CHECK-SAME: ins(%[[A]] : tensor<?xf32>)
  // CHECK: %[[C:.*]] = arith.constant 1.500000e+00 : f32
  // CHECK: arith.mulf %{{.*}}, %[[C]]
  // CHECK-NOT: linalg.generic
  %n = flatir.dim %a, 0 : tensor<?xf32>
  %c = flatir.constant dense<1.5> : tensor<f32>
  %b = flatir.broadcast %c dims = [] sizes(%n) : tensor<f32> -> tensor<?xf32>
  %r = flatir.mul %a, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @compare_select_convert(
func.func @compare_select_convert(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xi32> {
  // CHECK: arith.cmpf une, %{{.*}}, %{{.*}} : f32
  %c = flatir.compare ne %a, %b : tensor<3xf32> -> tensor<3xi1>
  // CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
  %s = flatir.select %c, %a, %b : tensor<3xi1>, tensor<3xf32>
  // CHECK: arith.fptosi %{{.*}} : f32 to i32
  %r = flatir.convert %s : tensor<3xf32> -> tensor<3xi32>
  return %r : tensor<3xi32>
}

// -----

// CHECK-LABEL: func.func @iota(
func.func @iota() -> tensor<2x3xf32> {
  // CHECK: linalg.generic
  // CHECK: %[[I:.*]] = linalg.index 1 : index
  // CHECK: %[[W:.*]] = arith.index_cast %[[I]] : index to i64
  // CHECK: arith.sitofp %[[W]] : i64 to f32
  %r = flatir.iota dim = 1 sizes() : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// CHECK-LABEL: func.func @from_index(
func.func @from_index(%a: tensor<?xf32>) -> tensor<i32> {
  // CHECK: %[[N:.*]] = tensor.dim
  // CHECK: linalg.generic
  // CHECK: arith.index_cast %[[N]] : index to i64
  // CHECK: arith.trunci %{{.*}} : i64 to i32
  %n = flatir.dim %a, 0 : tensor<?xf32>
  %r = flatir.from_index %n : tensor<i32>
  return %r : tensor<i32>
}

// -----

// CHECK-LABEL: func.func @constant(
func.func @constant() -> tensor<2xf32> {
  // CHECK: arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %r = flatir.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @require(
func.func @require(%a: tensor<?xf32>, %b: tensor<?xf32>) {
  // CHECK: %[[N:.*]] = tensor.dim %arg0
  // CHECK: %[[M:.*]] = tensor.dim %arg1
  %n = flatir.dim %a, 0 : tensor<?xf32>
  %m = flatir.dim %b, 0 : tensor<?xf32>
  // CHECK: %[[EQ:.*]] = arith.cmpi eq, %[[N]], %[[M]]
  // CHECK: cf.assert %[[EQ]], "they agree"
  flatir.require "equal" %n, %m "they agree"
  // CHECK: %[[LE:.*]] = arith.cmpi sle, %[[N]], %[[M]]
  // CHECK: cf.assert %[[LE]], "it fits"
  flatir.require "at_most" %n, %m "it fits"
  // CHECK: arith.cmpi eq, %[[N]], %[[M]]
  // CHECK: arith.cmpi eq, %[[N]], %c1
  // CHECK: arith.ori
  // CHECK: arith.cmpi eq, %[[M]], %c1
  // CHECK: %[[OR:.*]] = arith.ori
  // CHECK: cf.assert %[[OR]], "they broadcast"
  flatir.require "broadcastable" %n, %m "they broadcast"
  return
}

// -----

// A composite means what its region says.
// CHECK-LABEL: func.func @composite(
func.func @composite(%a: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK-NOT: flatir
  // CHECK: arith.negf
  %r = flatir.composite "negative" (%a) {} : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%x: tensor<2xf32>):
    %n = flatir.neg %x : tensor<2xf32>
    flatir.yield %n : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}
