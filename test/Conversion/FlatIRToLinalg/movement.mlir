// RUN: tripy-opt %s --flatir-to-linalg --split-input-file | FileCheck %s

// CHECK-DAG: #[[$IN:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @broadcast(
func.func @broadcast(%a: tensor<3xf32>) -> tensor<2x3xf32> {
  // CHECK: linalg.generic {indexing_maps = [#[[$IN]], #[[$ID]]], iterator_types = ["parallel", "parallel"]}
  %r = flatir.broadcast %a dims = [1] sizes() : tensor<3xf32> -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// A dimension of static size 1 is read at 0.
// CHECK-DAG: #[[$IN:.*]] = affine_map<(d0, d1) -> (d0, 0)>
// CHECK-LABEL: func.func @expand_one(
func.func @expand_one(%a: tensor<2x1xf32>) -> tensor<2x3xf32> {
  // CHECK: linalg.generic {indexing_maps = [#[[$IN]],
  %r = flatir.broadcast %a dims = [0, 1] sizes() : tensor<2x1xf32> -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

// A dimension whose size is the result's needs no decision at run time.
// CHECK-DAG: #[[$IN:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @same_size(
func.func @same_size(%a: tensor<?xf32>) -> tensor<?x3xf32> {
  // CHECK-NOT: tensor.extract
  // CHECK: linalg.generic {indexing_maps = [#[[$IN]],
  %n = flatir.dim %a, 0 : tensor<?xf32>
  %r = flatir.broadcast %a dims = [0] sizes(%n) : tensor<?xf32> -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}

// -----

// A dimension that may be 1 at run time: index = size == 1 ? 0 : i.
// CHECK-LABEL: func.func @maybe_one(
// CHECK-SAME: %[[A:.*]]: tensor<?x3xf32>, %[[B:.*]]: tensor<?xf32>
func.func @maybe_one(%a: tensor<?x3xf32>, %b: tensor<?xf32>) -> tensor<?x3xf32> {
  // CHECK-DAG: %[[NA:.*]] = tensor.dim %[[A]]
  // CHECK-DAG: %[[NB:.*]] = tensor.dim %[[B]]
  // CHECK: tensor.empty(%[[NB]])
  // CHECK: linalg.generic
  // CHECK: %[[I:.*]] = linalg.index 0
  // CHECK: %[[ONE:.*]] = arith.cmpi eq, %[[NA]], %c1
  // CHECK: %[[AT:.*]] = arith.select %[[ONE]], %c0{{.*}}, %[[I]]
  // CHECK: %[[J:.*]] = linalg.index 1
  // CHECK: tensor.extract %[[A]][%[[AT]], %[[J]]]
  %n = flatir.dim %b, 0 : tensor<?xf32>
  %r = flatir.broadcast %a dims = [0, 1] sizes(%n) : tensor<?x3xf32> -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}

// -----

// CHECK-DAG: #[[$IN:.*]] = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
// CHECK-LABEL: func.func @transpose(
func.func @transpose(%a: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  // CHECK: linalg.generic {indexing_maps = [#[[$IN]],
  %r = flatir.transpose %a [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  return %r : tensor<4x2x3xf32>
}

// -----

// CHECK-LABEL: func.func @slice(
func.func @slice(%a: tensor<4x?xf32>) -> tensor<2x?xf32> {
  // CHECK: %[[N:.*]] = tensor.dim
  // CHECK: tensor.extract_slice %{{.*}}[1, 0] [2, %[[N]]] [2, 1] : tensor<4x?xf32> to tensor<2x?xf32>
  %n = flatir.dim %a, 1 : tensor<4x?xf32>
  %r = flatir.slice %a [1, 0] strides = [2, 1] sizes(%n) : tensor<4x?xf32> -> tensor<2x?xf32>
  return %r : tensor<2x?xf32>
}

// -----

// CHECK-LABEL: func.func @slice_backwards(
// CHECK-SAME: %[[A:.*]]: tensor<8xf32>
func.func @slice_backwards(%a: tensor<8xf32>) -> tensor<3xf32> {
  // CHECK: linalg.generic
  // CHECK-DAG: %[[O:.*]] = arith.constant 7 : index
  // CHECK-DAG: %[[I:.*]] = linalg.index 0
  // CHECK-DAG: %[[S:.*]] = arith.constant 3 : index
  // CHECK: %[[D:.*]] = arith.muli %[[I]], %[[S]]
  // CHECK: %[[AT:.*]] = arith.subi %[[O]], %[[D]]
  // CHECK: tensor.extract %[[A]][%[[AT]]]
  %r = flatir.slice %a [7] strides = [-3] sizes() : tensor<8xf32> -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

// CHECK-LABEL: func.func @slice_from(
// CHECK-SAME: %[[A:.*]]: tensor<8xf32>, %[[O:.*]]: index
func.func @slice_from(%a: tensor<8xf32>, %o: index) -> tensor<3xf32> {
  // CHECK: linalg.generic
  // CHECK: %[[AT:.*]] = arith.addi %[[O]]
  // CHECK: tensor.extract %[[A]][%[[AT]]]
  %r = flatir.slice %a [%o] strides = [1] sizes() : tensor<8xf32> -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

// CHECK-LABEL: func.func @concatenate(
func.func @concatenate(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>) -> tensor<2x4xf32> {
  // CHECK: tensor.concat dim(1) %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %r = flatir.concatenate %a, %b dim = 1 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// -----

// The size of what follows is the sum.
// CHECK-LABEL: func.func @concatenate_dynamic(
func.func @concatenate_dynamic(%a: tensor<?x3xf32>, %b: tensor<2x3xf32>) -> tensor<?x3xf32> {
  // CHECK: %[[N:.*]] = tensor.dim
  // CHECK: %[[SUM:.*]] = arith.addi %[[N]], %c2
  // CHECK: tensor.concat dim(0)
  // CHECK: tensor.empty(%[[SUM]])
  %c = flatir.concatenate %a, %b dim = 0 : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<?x3xf32>
  %r = flatir.neg %c : tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}
