// RUN: tripy-opt %s --flatir-to-linalg --split-input-file | FileCheck %s

// arith computes with signless integers: an unsigned one is widened to a signed
// one that has all its values, and the low bits of the result are kept.
// CHECK-LABEL: func.func @unsigned
// CHECK: ^bb0(%[[X:.*]]: ui8, %[[Y:.*]]: ui8, %{{.*}}: ui8):
// CHECK: %[[A:.*]] = builtin.unrealized_conversion_cast %[[X]] : ui8 to i8
// CHECK: %[[B:.*]] = arith.extui %[[A]] : i8 to i16
// CHECK: %[[C:.*]] = builtin.unrealized_conversion_cast %[[Y]] : ui8 to i8
// CHECK: %[[D:.*]] = arith.extui %[[C]] : i8 to i16
// CHECK: %[[MAX:.*]] = arith.maxsi %[[B]], %[[D]] : i16
// CHECK: %[[LOW:.*]] = arith.trunci %[[MAX]] : i16 to i8
// CHECK: %[[R:.*]] = builtin.unrealized_conversion_cast %[[LOW]] : i8 to ui8
// CHECK: linalg.yield %[[R]] : ui8
func.func @unsigned(%a: tensor<3xui8>, %b: tensor<3xui8>) -> tensor<3xui8> {
  %r = flatir.maximum %a, %b : tensor<3xui8>
  return %r : tensor<3xui8>
}

// -----

// CHECK-LABEL: func.func @unsigned_compare
// CHECK: arith.cmpi slt, %{{.*}} : i16
func.func @unsigned_compare(%a: tensor<3xui8>, %b: tensor<3xui8>) -> tensor<3xi1> {
  %r = flatir.compare lt %a, %b : tensor<3xui8> -> tensor<3xi1>
  return %r : tensor<3xi1>
}

// -----

// The largest starts from 0, as bits without a sign.
// CHECK-LABEL: func.func @unsigned_max
// CHECK: arith.constant 0 : i8
// CHECK: arith.maxui %{{.*}} : i8
func.func @unsigned_max(%a: tensor<3x4xui8>) -> tensor<3xui8> {
  %r = flatir.reduce max %a dims = [1] : tensor<3x4xui8> -> tensor<3xui8>
  return %r : tensor<3xui8>
}

// -----

// Sums of small integers are in 32 bits and wrap around at the end; the largest
// of an empty dimension is that of the type.
// CHECK-LABEL: func.func @small_sums
// CHECK: arith.extsi %{{.*}} : i8 to i32
// CHECK: arith.addi %{{.*}} : i32
// CHECK: arith.trunci %{{.*}} : i32 to i8
// CHECK: arith.constant -128 : i8
// CHECK: arith.maxsi %{{.*}} : i8
func.func @small_sums(%a: tensor<3x4xi8>) -> (tensor<3xi8>, tensor<3xi8>) {
  %r = flatir.reduce sum %a dims = [1] : tensor<3x4xi8> -> tensor<3xi8>
  %s = flatir.reduce max %a dims = [1] : tensor<3x4xi8> -> tensor<3xi8>
  return %r, %s : tensor<3xi8>, tensor<3xi8>
}

// -----

// CHECK-LABEL: func.func @dot_i8
// CHECK: ^bb0(%{{.*}}: i8, %{{.*}}: i8, %{{.*}}: i32):
// CHECK-COUNT-2: arith.extsi %{{.*}} : i8 to i32
// CHECK: arith.muli {{.*}} : i32
// CHECK: arith.addi {{.*}} : i32
// CHECK-NOT: arith.trunci
func.func @dot_i8(%a: tensor<3x4xi8>, %b: tensor<5x4xi8>) -> tensor<3x5xi32> {
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [1] : (tensor<3x4xi8>, tensor<5x4xi8>) -> tensor<3x5xi32>
  return %r : tensor<3x5xi32>
}

// -----

// f64 is rounded once: to odd on the way to f32.
// CHECK-LABEL: func.func @to_f8
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.ori
// CHECK: arith.truncf %{{.*}} : f32 to f8E5M2
func.func @to_f8(%a: tensor<3xf64>) -> tensor<3xf8E5M2> {
  %r = flatir.convert %a : tensor<3xf64> -> tensor<3xf8E5M2>
  return %r : tensor<3xf8E5M2>
}
