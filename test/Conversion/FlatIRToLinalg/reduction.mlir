// RUN: tripy-opt %s --flatir-to-linalg --split-input-file | FileCheck %s

// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[$OUT:.*]] = affine_map<(d0, d1, d2) -> (d1)>
// CHECK-LABEL: func.func @sum(
func.func @sum(%a: tensor<2x3x4xf32>) -> tensor<3xf32> {
  // CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
  // CHECK: %[[INIT:.*]] = linalg.fill ins(%[[ZERO]]
  // CHECK: linalg.generic {indexing_maps = [#[[$ID]], #[[$OUT]]], iterator_types = ["reduction", "parallel", "reduction"]}
  // CHECK-SAME: outs(%[[INIT]]
  // CHECK: ^bb0(%[[IN:.*]]: f32, %[[SUM:.*]]: f32):
  // CHECK: arith.addf %[[SUM]], %[[IN]]
  %r = flatir.reduce sum %a dims = [0, 2] : tensor<2x3x4xf32> -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// -----

// 16-bit floats accumulate in f32 and round once.
// CHECK-LABEL: func.func @half(
func.func @half(%a: tensor<2x3xbf16>) -> tensor<2xbf16> {
  // CHECK: linalg.fill ins(%{{.*}} : f32)
  // CHECK: linalg.generic
  // CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : bf16 to f32
  // CHECK: arith.addf %{{.*}}, %[[WIDE]] : f32
  // CHECK: linalg.generic
  // CHECK: arith.truncf %{{.*}} : f32 to bf16
  %r = flatir.reduce sum %a dims = [1] : tensor<2x3xbf16> -> tensor<2xbf16>
  return %r : tensor<2xbf16>
}

// -----

// Identities: what an empty reduction gives.
// CHECK-LABEL: func.func @identities(
func.func @identities(%f: tensor<0xf32>, %i: tensor<0xi32>, %l: tensor<0xi64>, %b: tensor<0xi1>)
    -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>, tensor<i64>, tensor<i1>, tensor<i1>) {
  // CHECK: arith.constant 0xFF800000 : f32
  // CHECK: arith.maximumf
  %0 = flatir.reduce max %f dims = [0] : tensor<0xf32> -> tensor<f32>
  // CHECK: arith.constant 0x7F800000 : f32
  // CHECK: arith.minimumf
  %1 = flatir.reduce min %f dims = [0] : tensor<0xf32> -> tensor<f32>
  // CHECK: arith.constant 1.000000e+00 : f32
  // CHECK: arith.mulf
  %2 = flatir.reduce prod %f dims = [0] : tensor<0xf32> -> tensor<f32>
  // CHECK: arith.constant -2147483648 : i32
  // CHECK: arith.maxsi
  %3 = flatir.reduce max %i dims = [0] : tensor<0xi32> -> tensor<i32>
  // CHECK: arith.constant 9223372036854775807 : i64
  // CHECK: arith.minsi
  %4 = flatir.reduce min %l dims = [0] : tensor<0xi64> -> tensor<i64>
  // CHECK: arith.constant true
  // CHECK: arith.andi
  %5 = flatir.reduce and %b dims = [0] : tensor<0xi1> -> tensor<i1>
  // CHECK: arith.constant false
  // CHECK: arith.ori
  %6 = flatir.reduce or %b dims = [0] : tensor<0xi1> -> tensor<i1>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>, tensor<i64>, tensor<i1>, tensor<i1>
}

// -----

// Loops: batch, left, right, contracted.
// CHECK-DAG: #[[$A:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[$B:.*]] = affine_map<(d0, d1, d2, d3) -> (d3, d0, d2)>
// CHECK-DAG: #[[$C:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @dot(
func.func @dot(%a: tensor<2x3x4xf16>, %b: tensor<4x2x5xf16>) -> tensor<2x3x5xf16> {
  // CHECK: linalg.generic {indexing_maps = [#[[$A]], #[[$B]], #[[$C]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
  // CHECK: %[[P:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
  // CHECK: arith.addf %{{.*}}, %[[P]] : f32
  // CHECK: arith.truncf
  %r = flatir.dot %a, %b batch = [0] x [1] contract = [2] x [0] : (tensor<2x3x4xf16>, tensor<4x2x5xf16>) -> tensor<2x3x5xf16>
  return %r : tensor<2x3x5xf16>
}

// -----

// A result in f32 is the sum itself.
// CHECK-LABEL: func.func @dot_wide(
func.func @dot_wide(%a: tensor<3x4xf16>, %b: tensor<5x4xf16>) -> tensor<3x5xf32> {
  // CHECK: %[[R:.*]] = linalg.generic
  // CHECK-NOT: arith.truncf
  // CHECK: return %[[R]]
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [1] : (tensor<3x4xf16>, tensor<5x4xf16>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

// -----

// Nothing contracted: a product of broadcasts.
// CHECK-LABEL: func.func @outer(
func.func @outer(%a: tensor<3xi32>, %b: tensor<4xi32>) -> tensor<3x4xi32> {
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
  // CHECK: arith.muli
  %r = flatir.dot %a, %b batch = [] x [] contract = [] x [] : (tensor<3xi32>, tensor<4xi32>) -> tensor<3x4xi32>
  return %r : tensor<3x4xi32>
}

// -----

// The kernel's contraction carries what the program allows.
// CHECK-LABEL: func.func @dot_tf32(
func.func @dot_tf32(%a: tensor<3x4xf32>, %b: tensor<5x4xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  // CHECK: linalg.generic {{.*}} attrs = {tripy.allow_tf32} {
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [1] allow_tf32 : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  // CHECK: linalg.generic
  // CHECK-NOT: allow_tf32
  %s = flatir.dot %a, %b batch = [] x [] contract = [1] x [1] : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  return %r, %s : tensor<3x5xf32>, tensor<3x5xf32>
}

// -----

// f8E4M3FN: products and sums in f32, rounded once.
// CHECK-LABEL: func.func @dot_f8(
func.func @dot_f8(%a: tensor<3x4xf8E4M3FN>, %b: tensor<5x4xf8E4M3FN>) -> tensor<3x5xf16> {
  // CHECK: ^bb0(%{{.*}}: f8E4M3FN, %{{.*}}: f8E4M3FN, %{{.*}}: f32):
  // CHECK-COUNT-2: arith.extf %{{.*}} : f8E4M3FN to f32
  // CHECK: arith.mulf {{.*}} : f32
  // CHECK: arith.addf {{.*}} : f32
  // CHECK: arith.truncf %{{.*}} : f32 to f16
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [1] : (tensor<3x4xf8E4M3FN>, tensor<5x4xf8E4M3FN>) -> tensor<3x5xf16>
  return %r : tensor<3x5xf16>
}
