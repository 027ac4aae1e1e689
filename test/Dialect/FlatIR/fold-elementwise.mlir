// RUN: tripy-opt %s --canonicalize --split-input-file | FileCheck %s

// Identities that keep every bit.
// CHECK-LABEL: func.func @float_identities
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>)
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
func.func @float_identities(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %nz = flatir.constant dense<-0.0> : tensor<3xf32>
  %pz = flatir.constant dense<0.0> : tensor<3xf32>
  %one = flatir.constant dense<1.0> : tensor<3xf32>
  %a = flatir.add %nz, %x : tensor<3xf32>
  %b = flatir.sub %x, %pz : tensor<3xf32>
  %c = flatir.mul %one, %x : tensor<3xf32>
  %d = flatir.div %x, %one : tensor<3xf32>
  %e = flatir.pow %x, %one : tensor<3xf32>
  return %a, %b, %c, %d, %e : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// These change -0.0 (or NaN, or infinity) and stay.
// CHECK-LABEL: func.func @float_no_identities
// CHECK: flatir.add
// CHECK: flatir.sub
// CHECK: flatir.mul
// CHECK: flatir.floor_div
// CHECK: flatir.compare eq
func.func @float_no_identities(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>) {
  %nz = flatir.constant dense<-0.0> : tensor<3xf32>
  %pz = flatir.constant dense<0.0> : tensor<3xf32>
  %one = flatir.constant dense<1.0> : tensor<3xf32>
  %a = flatir.add %x, %pz : tensor<3xf32>
  %b = flatir.sub %x, %nz : tensor<3xf32>
  %c = flatir.mul %x, %pz : tensor<3xf32>
  %d = flatir.floor_div %x, %one : tensor<3xf32>
  %e = flatir.compare eq %x, %x : tensor<3xf32> -> tensor<3xi1>
  return %a, %b, %c, %d, %e : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>
}

// -----

// CHECK-LABEL: func.func @int_identities
// CHECK-SAME: (%[[X:.*]]: tensor<3xi32>)
// CHECK: %[[T:.*]] = flatir.constant dense<true> : tensor<3xi1>
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[T]]
func.func @int_identities(%x: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi1>) {
  %zero = flatir.constant dense<0> : tensor<3xi32>
  %one = flatir.constant dense<1> : tensor<3xi32>
  %a = flatir.add %zero, %x : tensor<3xi32>
  %b = flatir.mul %x, %one : tensor<3xi32>
  %c = flatir.floor_div %x, %one : tensor<3xi32>
  %d = flatir.maximum %x, %x : tensor<3xi32>
  %e = flatir.compare ge %x, %x : tensor<3xi32> -> tensor<3xi1>
  return %a, %b, %c, %d, %e : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi1>
}

// -----

// CHECK-LABEL: func.func @pairs
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>, %[[B:.*]]: tensor<3xi1>)
// CHECK-NEXT: %[[F:.*]] = flatir.floor %[[X]]
// CHECK-NEXT: return %[[X]], %[[F]], %[[B]], %[[B]]
func.func @pairs(%x: tensor<3xf32>, %b: tensor<3xi1>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xi1>) {
  %0 = flatir.neg %x : tensor<3xf32>
  %1 = flatir.neg %0 : tensor<3xf32>
  %2 = flatir.floor %x : tensor<3xf32>
  %3 = flatir.floor %2 : tensor<3xf32>
  %4 = flatir.logical_not %b : tensor<3xi1>
  %5 = flatir.logical_not %4 : tensor<3xi1>
  %6 = flatir.logical_and %b, %b : tensor<3xi1>
  return %1, %3, %5, %6 : tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xi1>
}

// -----

// A splat seen through the broadcast that a dynamic size keeps.
// CHECK-LABEL: func.func @dynamic_identity
// CHECK-SAME: (%[[X:.*]]: tensor<?x3xf32>)
// CHECK-NEXT: return %[[X]]
func.func @dynamic_identity(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %one = flatir.constant dense<1.0> : tensor<f32>
  %n = flatir.dim %x, 0 : tensor<?x3xf32>
  %ones = flatir.broadcast %one dims = [] sizes(%n) : tensor<f32> -> tensor<?x3xf32>
  %r = flatir.mul %x, %ones : tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}

// -----

// Splats are computed, rounded to their type, whatever their size.
// CHECK-LABEL: func.func @splats
// CHECK-DAG: flatir.constant dense<3.000000e+00> : tensor<4096x4096xf32>
// CHECK-DAG: flatir.constant dense<2.048000e+03> : tensor<2xf16>
// CHECK-DAG: flatir.constant dense<-2147483648> : tensor<2xi32>
// CHECK-DAG: flatir.constant dense<false> : tensor<2xi1>
// CHECK-NOT: flatir.add
func.func @splats() -> (tensor<4096x4096xf32>, tensor<2xf16>, tensor<2xi32>, tensor<2xi1>) {
  %a = flatir.constant dense<1.0> : tensor<4096x4096xf32>
  %b = flatir.constant dense<2.0> : tensor<4096x4096xf32>
  %c = flatir.add %a, %b : tensor<4096x4096xf32>
  %d = flatir.constant dense<2048.0> : tensor<2xf16>
  %e = flatir.constant dense<1.0> : tensor<2xf16>
  %f = flatir.add %d, %e : tensor<2xf16>
  %g = flatir.constant dense<2147483647> : tensor<2xi32>
  %h = flatir.constant dense<1> : tensor<2xi32>
  %i = flatir.add %g, %h : tensor<2xi32>
  %j = flatir.constant dense<0x7FC00000> : tensor<2xf32>
  %k = flatir.compare ge %j, %j : tensor<2xf32> -> tensor<2xi1>
  return %c, %f, %i, %k : tensor<4096x4096xf32>, tensor<2xf16>, tensor<2xi32>, tensor<2xi1>
}

// -----

// CHECK-LABEL: func.func @select
// CHECK-SAME: (%[[X:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<2xf32>, %[[C:.*]]: tensor<2xi1>)
// CHECK-NEXT: return %[[X]], %[[Y]], %[[X]]
func.func @select(%x: tensor<2xf32>, %y: tensor<2xf32>, %c: tensor<2xi1>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %t = flatir.constant dense<true> : tensor<2xi1>
  %f = flatir.constant dense<false> : tensor<2xi1>
  %0 = flatir.select %t, %x, %y : tensor<2xi1>, tensor<2xf32>
  %1 = flatir.select %f, %x, %y : tensor<2xi1>, tensor<2xf32>
  %2 = flatir.select %c, %x, %x : tensor<2xi1>, tensor<2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @convert
// CHECK-SAME: (%[[X:.*]]: tensor<2xf16>, %[[Y:.*]]: tensor<2xf32>)
// CHECK-NEXT: %[[A:.*]] = flatir.convert %[[X]] : tensor<2xf16> -> tensor<2xi32>
// CHECK-NEXT: %[[B:.*]] = flatir.convert %[[Y]] : tensor<2xf32> -> tensor<2xf16>
// CHECK-NEXT: %[[C:.*]] = flatir.convert %[[B]] : tensor<2xf16> -> tensor<2xf32>
// CHECK-NEXT: return %[[X]], %[[A]], %[[C]], %[[X]]
func.func @convert(%x: tensor<2xf16>, %y: tensor<2xf32>) -> (tensor<2xf16>, tensor<2xi32>, tensor<2xf32>, tensor<2xf16>) {
  %0 = flatir.convert %x : tensor<2xf16> -> tensor<2xf32>
  %1 = flatir.convert %0 : tensor<2xf32> -> tensor<2xf16>
  %2 = flatir.convert %0 : tensor<2xf32> -> tensor<2xi32>
  // This one rounds.
  %3 = flatir.convert %y : tensor<2xf32> -> tensor<2xf16>
  %4 = flatir.convert %3 : tensor<2xf16> -> tensor<2xf32>
  %5 = flatir.convert %x : tensor<2xf16> -> tensor<2xf16>
  return %1, %2, %4, %5 : tensor<2xf16>, tensor<2xi32>, tensor<2xf32>, tensor<2xf16>
}

// -----

// CHECK-LABEL: func.func @convert_splats
// CHECK-DAG: flatir.constant dense<2147483647> : tensor<2xi32>
// CHECK-DAG: flatir.constant dense<0> : tensor<2xi64>
// CHECK-DAG: flatir.constant dense<true> : tensor<2xi1>
// CHECK-DAG: flatir.constant dense<1.000000e+00> : tensor<2xbf16>
// CHECK-DAG: flatir.constant dense<7> : tensor<2xi32>
// CHECK-NOT: flatir.convert
func.func @convert_splats() -> (tensor<2xi32>, tensor<2xi64>, tensor<2xi1>, tensor<2xbf16>, tensor<2xi32>) {
  %a = flatir.constant dense<1.0e+30> : tensor<2xf32>
  %0 = flatir.convert %a : tensor<2xf32> -> tensor<2xi32>
  %b = flatir.constant dense<0x7FC00000> : tensor<2xf32>
  %1 = flatir.convert %b : tensor<2xf32> -> tensor<2xi64>
  %2 = flatir.convert %b : tensor<2xf32> -> tensor<2xi1>
  %c = flatir.constant dense<true> : tensor<2xi1>
  %3 = flatir.convert %c : tensor<2xi1> -> tensor<2xbf16>
  %d = flatir.constant dense<4294967303> : tensor<2xi64>
  %4 = flatir.convert %d : tensor<2xi64> -> tensor<2xi32>
  return %0, %1, %2, %3, %4 : tensor<2xi32>, tensor<2xi64>, tensor<2xi1>, tensor<2xbf16>, tensor<2xi32>
}

// -----

// Functions of bits and rounding: identities, and a function applied twice.
// CHECK-LABEL: func.func @bits
// CHECK: %[[R:.*]] = flatir.round %arg1
// CHECK: %[[S:.*]] = flatir.sign %arg1
// CHECK: return %arg0, %arg0, %arg0, %arg0, %arg2, %[[R]], %[[S]]
func.func @bits(%x: tensor<2xi32>, %f: tensor<2xf32>, %b: tensor<2xi1>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) {
  %zero = flatir.constant dense<0> : tensor<2xi32>
  %ones = flatir.constant dense<-1> : tensor<2xi32>
  %no = flatir.constant dense<false> : tensor<2xi1>
  %0 = flatir.bitwise_and %ones, %x : tensor<2xi32>
  %1 = flatir.bitwise_xor %x, %zero : tensor<2xi32>
  %2 = flatir.shift_right %x, %zero : tensor<2xi32>
  %3 = flatir.bitwise_not %x : tensor<2xi32>
  %4 = flatir.bitwise_not %3 : tensor<2xi32>
  %5 = flatir.logical_xor %b, %no : tensor<2xi1>
  %6 = flatir.round %f : tensor<2xf32>
  %7 = flatir.round %6 : tensor<2xf32>
  %8 = flatir.sign %f : tensor<2xf32>
  %9 = flatir.sign %8 : tensor<2xf32>
  return %0, %1, %2, %4, %5, %7, %9 : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi1>, tensor<2xf32>, tensor<2xf32>
}
