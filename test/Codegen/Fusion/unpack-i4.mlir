// RUN: tripy-opt %s --split-input-file --flatir-unpack-i4 | FileCheck %s
// RUN: tripy-opt %s --split-input-file --tripy-cpu -o /dev/null
// RUN: tripy-opt %s --split-input-file --tripy-cuda -o /dev/null

// Elements of i4 are i8 inside a program, and results are packed byte by byte.

// CHECK-LABEL: @odd
// CHECK-SAME: %[[X:.*]]: tensor<3x5xi4>
// CHECK: %[[WIDE:.*]] = flatir.convert %[[X]] : tensor<3x5xi4> -> tensor<3x5xi8>
// CHECK: %[[T:.*]] = flatir.transpose %[[WIDE]] [1, 0] : tensor<3x5xi8> -> tensor<5x3xi8>
// CHECK: %[[FLAT:.*]] = flatir.reshape %[[T]] sizes() : tensor<5x3xi8> -> tensor<15xi8>
// CHECK: %[[ZERO:.*]] = flatir.constant dense<0> : tensor<1xi8>
// CHECK: %[[ALL:.*]] = flatir.concatenate %[[FLAT]], %[[ZERO]] dim = 0
// CHECK: %[[PAIRS:.*]] = flatir.reshape %[[ALL]] sizes() : tensor<16xi8> -> tensor<8x2xi8>
// CHECK: flatir.slice %[[PAIRS]] [0, 0]
// CHECK: flatir.slice %[[PAIRS]] [0, 1]
// CHECK: %[[LOW:.*]] = flatir.bitwise_and
// CHECK: %[[HIGH:.*]] = flatir.shift_left
// CHECK: %[[BYTES:.*]] = flatir.bitwise_or %[[LOW]], %[[HIGH]] : tensor<8xi8>
// CHECK: %[[R:.*]] = kernel.packed %[[BYTES]] sizes() : tensor<8xi8> -> tensor<5x3xi4>
// CHECK: return %[[R]] : tensor<5x3xi4>
func.func @odd(%x: tensor<3x5xi4>) -> tensor<5x3xi4> {
  %r = flatir.transpose %x [1, 0] : tensor<3x5xi4> -> tensor<5x3xi4>
  return %r : tensor<5x3xi4>
}

// -----

// An even size needs nothing to fill the last byte.
// CHECK-LABEL: @even
// CHECK-NOT: flatir.concatenate
// CHECK: kernel.packed %{{.*}} sizes(%{{.*}}) : tensor<?xi8> -> tensor<?x4xi4>
func.func @even(%x: tensor<?x4xi4> {tripy.profile = #tripy.profile<min = [0, 4], opt = [3, 4], max = [9, 4]>}) -> tensor<?x4xi4> {
  return %x : tensor<?x4xi4>
}

// -----

// CHECK-LABEL: @dynamic
// CHECK-SAME: %[[X:.*]]: tensor<?x3xi4>
// CHECK: %[[N:.*]] = flatir.dim %[[WIDE:.*]], 0 : tensor<?x3xi8>
// CHECK: %[[COUNT:.*]] = arith.muli %{{.*}}, %[[N]]
// CHECK: %[[BYTES:.*]] = arith.ceildivsi %{{.*}}, %{{.*}} : index
// CHECK: %[[EVEN:.*]] = arith.muli %[[BYTES]], %{{.*}}
// CHECK: %[[REST:.*]] = arith.subi %[[EVEN]], %{{.*}}
// CHECK: flatir.broadcast %{{.*}} dims = [] sizes(%[[REST]]) : tensor<i8> -> tensor<?xi8>
// CHECK: flatir.concatenate
func.func @dynamic(%x: tensor<?x3xi4> {tripy.profile = #tripy.profile<min = [0, 3], opt = [3, 3], max = [9, 3]>}) -> tensor<?x3xi4> {
  return %x : tensor<?x3xi4>
}

// -----

// Floats saturate at the limits of i4; integers keep four bits; truth values
// are 0 and 1.
// CHECK-LABEL: @conversions
// CHECK: %[[F:.*]] = flatir.convert %{{.*}} : tensor<4xf32> -> tensor<4xi8>
// CHECK: %[[LOWEST:.*]] = flatir.constant dense<-8> : tensor<4xi8>
// CHECK: %[[M:.*]] = flatir.maximum %[[F]], %[[LOWEST]]
// CHECK: %[[HIGHEST:.*]] = flatir.constant dense<7> : tensor<4xi8>
// CHECK: %[[LIMITED:.*]] = flatir.minimum %[[M]], %[[HIGHEST]]
// CHECK: %[[I:.*]] = flatir.convert %{{.*}} : tensor<4xi32> -> tensor<4xi8>
// CHECK: %[[SHIFTED:.*]] = flatir.shift_left %[[I]]
// CHECK: %[[KEPT:.*]] = flatir.shift_right %[[SHIFTED]]
// CHECK: flatir.shift_left %arg2
// CHECK: %[[B:.*]] = flatir.convert %{{.*}} : tensor<4xi1> -> tensor<4xi8>
// CHECK: flatir.concatenate %[[LIMITED]], %[[KEPT]], %{{.*}}, %[[B]]
func.func @conversions(%f: tensor<4xf32>, %i: tensor<4xi32>, %s: tensor<4xi8>, %b: tensor<4xi1>) -> tensor<16xi4> {
  %0 = flatir.convert %f : tensor<4xf32> -> tensor<4xi4>
  %1 = flatir.convert %i : tensor<4xi32> -> tensor<4xi4>
  %2 = flatir.convert %s : tensor<4xi8> -> tensor<4xi4>
  %3 = flatir.convert %b : tensor<4xi1> -> tensor<4xi4>
  %r = flatir.concatenate %0, %1, %2, %3 dim = 0 : (tensor<4xi4>, tensor<4xi4>, tensor<4xi4>, tensor<4xi4>) -> tensor<16xi4>
  return %r : tensor<16xi4>
}

// -----

// Data stays packed; what repeats one element is an i8.
// CHECK-LABEL: @constants
// CHECK: %[[DATA:.*]] = flatir.constant dense<[1, -8, 7]> : tensor<3xi4>
// CHECK: %[[D:.*]] = flatir.convert %[[DATA]] : tensor<3xi4> -> tensor<3xi8>
// CHECK: %[[SPLAT:.*]] = flatir.constant dense<-3> : tensor<3xi8>
// CHECK: flatir.compare lt %[[D]], %[[SPLAT]] : tensor<3xi8> -> tensor<3xi1>
func.func @constants() -> tensor<3xi1> {
  %0 = flatir.constant dense<[1, -8, 7]> : tensor<3xi4>
  %1 = flatir.constant dense<-3> : tensor<3xi4>
  %2 = flatir.compare lt %0, %1 : tensor<3xi4> -> tensor<3xi1>
  return %2 : tensor<3xi1>
}

// -----

// A conversion to i8 is there already; sizes are read from the argument.
// CHECK-LABEL: @already
// CHECK: %[[W:.*]] = flatir.convert %arg0 : tensor<?xi4> -> tensor<?xi8>
// CHECK: flatir.dim %arg0, 0 : tensor<?xi4>
// CHECK-NOT: flatir.convert
// CHECK: return %[[W]]
func.func @already(%x: tensor<?xi4> {tripy.profile = #tripy.profile<min = [0], opt = [3], max = [9]>}) -> tensor<?xi8> {
  %n = flatir.dim %x, 0 : tensor<?xi4>
  flatir.require "at_most" %n, %n "small"
  %0 = flatir.convert %x : tensor<?xi4> -> tensor<?xi8>
  return %0 : tensor<?xi8>
}

// -----

// One value that is returned twice, in two shapes.
// CHECK-LABEL: @twice
// CHECK-COUNT-2: kernel.packed
func.func @twice(%x: tensor<2x3xi4>) -> (tensor<2x3xi4>, tensor<6xi4>, tensor<2x3xi4>) {
  %0 = flatir.reshape %x sizes() : tensor<2x3xi4> -> tensor<6xi4>
  return %x, %0, %x : tensor<2x3xi4>, tensor<6xi4>, tensor<2x3xi4>
}

// -----

// CHECK-LABEL: @none
// CHECK-NEXT: return %arg0
func.func @none(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
