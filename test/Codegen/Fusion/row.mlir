// RUN: tripy-opt %s --flatir-form-dispatches | FileCheck %s

// Kernels around reductions of the trailing dimensions.

// CHECK-LABEL: func.func @softmax(
// CHECK: %[[R:.*]] = kernel.dispatch row(%arg0) sizes() sizeArgs = [] {name = "softmax"}
// CHECK: flatir.reduce max
// CHECK: flatir.exp
// CHECK: flatir.reduce sum
// CHECK: flatir.div
// CHECK-NOT: kernel.dispatch
// CHECK: return %[[R]]
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = flatir.composite "softmax" (%x) {dim = 1} : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %m = flatir.reduce max %a dims = [1] : tensor<4x8xf32> -> tensor<4xf32>
    %mb = flatir.broadcast %m dims = [0] sizes() : tensor<4xf32> -> tensor<4x8xf32>
    %d = flatir.sub %a, %mb : tensor<4x8xf32>
    %e = flatir.exp %d : tensor<4x8xf32>
    %s = flatir.reduce sum %e dims = [1] : tensor<4x8xf32> -> tensor<4xf32>
    %sb = flatir.broadcast %s dims = [0] sizes() : tensor<4xf32> -> tensor<4x8xf32>
    %q = flatir.div %e, %sb : tensor<4x8xf32>
    flatir.yield %q : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

// One kernel with its residual, which is a result as well: it is written on the
// way. Sizes that are required to be equal are one argument.
// CHECK-LABEL: func.func @layer_norm(
// CHECK: %[[N:.*]] = flatir.dim %arg0, 0
// CHECK: %[[M:.*]] = flatir.dim %arg1, 0
// CHECK: kernel.require equal %[[N]], %[[M]] "the operands of 'add' agree in dimension 0"
// CHECK: %[[K:.*]]:2 = kernel.dispatch row(%arg0, %arg1, %arg2, %arg3, %[[N]]) sizes(%[[N]], %[[N]]) sizeArgs = [4, 4, 4, 4] {name = "add_layer_norm"}
// CHECK: ^bb0(%{{.*}}: tensor<?x8xf16>, %{{.*}}: tensor<?x8xf16>, %{{.*}}: tensor<8xf16>, %{{.*}}: tensor<8xf16>, %{{.*}}: index):
// CHECK: %[[R:.*]] = flatir.add
// CHECK: flatir.convert %[[R]]
// CHECK: flatir.reduce sum
// CHECK: flatir.reduce sum
// CHECK: %[[L:.*]] = flatir.convert {{.*}} : tensor<?x8xf32> -> tensor<?x8xf16>
// CHECK: kernel.yield %[[R]], %[[L]]
// CHECK: return %[[K]]#1, %[[K]]#0
func.func @layer_norm(%x: tensor<?x8xf16>, %y: tensor<?x8xf16>, %w: tensor<8xf16>, %b: tensor<8xf16>) -> (tensor<?x8xf16>, tensor<?x8xf16>) {
  %n = flatir.dim %x, 0 : tensor<?x8xf16>
  %m = flatir.dim %y, 0 : tensor<?x8xf16>
  flatir.require "equal" %n, %m "the operands of 'add' agree in dimension 0"
  %r = flatir.add %x, %y : tensor<?x8xf16>
  %ln = flatir.composite "layer_norm" (%r, %w, %b, %n) {} : (tensor<?x8xf16>, tensor<8xf16>, tensor<8xf16>, index) -> tensor<?x8xf16> {
  ^bb0(%ix: tensor<?x8xf16>, %iw: tensor<8xf16>, %ib: tensor<8xf16>, %in: index):
    %f = flatir.convert %ix : tensor<?x8xf16> -> tensor<?x8xf32>
    %s = flatir.reduce sum %f dims = [1] : tensor<?x8xf32> -> tensor<?xf32>
    %c8 = flatir.constant dense<8.0> : tensor<f32>
    %c8b = flatir.broadcast %c8 dims = [] sizes(%in) : tensor<f32> -> tensor<?xf32>
    %mean = flatir.div %s, %c8b : tensor<?xf32>
    %meanb = flatir.broadcast %mean dims = [0] sizes(%in) : tensor<?xf32> -> tensor<?x8xf32>
    %d = flatir.sub %f, %meanb : tensor<?x8xf32>
    %sq = flatir.mul %d, %d : tensor<?x8xf32>
    %vs = flatir.reduce sum %sq dims = [1] : tensor<?x8xf32> -> tensor<?xf32>
    %var = flatir.div %vs, %c8b : tensor<?xf32>
    %inv = flatir.rsqrt %var : tensor<?xf32>
    %invk = flatir.reshape %inv sizes(%in) : tensor<?xf32> -> tensor<?x1xf32>
    %invb = flatir.broadcast %invk dims = [0, 1] sizes(%in) : tensor<?x1xf32> -> tensor<?x8xf32>
    %h = flatir.mul %d, %invb : tensor<?x8xf32>
    %w32 = flatir.convert %iw : tensor<8xf16> -> tensor<8xf32>
    %wb = flatir.broadcast %w32 dims = [1] sizes(%in) : tensor<8xf32> -> tensor<?x8xf32>
    %b32 = flatir.convert %ib : tensor<8xf16> -> tensor<8xf32>
    %bb = flatir.broadcast %b32 dims = [1] sizes(%in) : tensor<8xf32> -> tensor<?x8xf32>
    %hw = flatir.mul %h, %wb : tensor<?x8xf32>
    %hb = flatir.add %hw, %bb : tensor<?x8xf32>
    %o = flatir.convert %hb : tensor<?x8xf32> -> tensor<?x8xf16>
    flatir.yield %o : tensor<?x8xf16>
  }
  return %ln, %r : tensor<?x8xf16>, tensor<?x8xf16>
}

// Two reductions of one tensor read it once.
// CHECK-LABEL: func.func @siblings(
// CHECK: kernel.dispatch row(%arg0)
// CHECK: flatir.reduce sum
// CHECK-NEXT: flatir.reduce max
// CHECK-NOT: kernel.dispatch
func.func @siblings(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s = flatir.reduce sum %x dims = [1] : tensor<4x8xf32> -> tensor<4xf32>
  %m = flatir.reduce max %x dims = [1] : tensor<4x8xf32> -> tensor<4xf32>
  return %s, %m : tensor<4xf32>, tensor<4xf32>
}

// A result for each row with its dimension kept.
// CHECK-LABEL: func.func @keepdim(
// CHECK: %[[K:.*]] = kernel.dispatch row(%arg0)
// CHECK: flatir.mul
// CHECK: flatir.reduce
// CHECK: %[[R:.*]] = flatir.reshape
// CHECK: kernel.yield %[[R]] : tensor<4x1xf32>
// CHECK-NOT: kernel.dispatch
func.func @keepdim(%x: tensor<4x8xf32>) -> tensor<4x1xf32> {
  %q = flatir.mul %x, %x : tensor<4x8xf32>
  %s = flatir.reduce sum %q dims = [1] : tensor<4x8xf32> -> tensor<4xf32>
  %k = flatir.reshape %s sizes() : tensor<4xf32> -> tensor<4x1xf32>
  return %k : tensor<4x1xf32>
}

// Rows of another tensor: the vector is not spread over the same dimension.
// CHECK-LABEL: func.func @misaligned(
// CHECK: %[[S:.*]] = kernel.dispatch row(%arg0)
// CHECK: kernel.dispatch loop(%[[S]], %arg0)
func.func @misaligned(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %s = flatir.reduce sum %x dims = [1] : tensor<4x4xf32> -> tensor<4xf32>
  %b = flatir.broadcast %s dims = [1] sizes() : tensor<4xf32> -> tensor<4x4xf32>
  %r = flatir.sub %x, %b : tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// A broadcast that others read as well is theirs to make.
// CHECK-LABEL: func.func @broadcast_outside(
// CHECK: %[[K:.*]]:2 = kernel.dispatch row(%arg0)
// CHECK: flatir.sub
// CHECK: kernel.yield %{{.*}} : tensor<4xf32>, tensor<4x8xf32>
// CHECK: kernel.dispatch loop(%[[K]]#0)
// CHECK: flatir.broadcast
// CHECK: flatir.transpose
func.func @broadcast_outside(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8x4xf32>) {
  %s = flatir.reduce sum %x dims = [1] : tensor<4x8xf32> -> tensor<4xf32>
  %b = flatir.broadcast %s dims = [0] sizes() : tensor<4xf32> -> tensor<4x8xf32>
  %r = flatir.sub %x, %b : tensor<4x8xf32>
  %t = flatir.transpose %b [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  return %r, %t : tensor<4x8xf32>, tensor<8x4xf32>
}

// Other dimensions: the element-wise neighbours of one reduction.
// CHECK-LABEL: func.func @columns(
// CHECK: kernel.dispatch reduce(%arg0, %arg1)
// CHECK: flatir.exp
// CHECK: flatir.reduce sum
// CHECK: flatir.add
// CHECK: kernel.yield
// CHECK-NOT: kernel.dispatch
func.func @columns(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %e = flatir.exp %x : tensor<4x8xf32>
  %s = flatir.reduce sum %e dims = [0] : tensor<4x8xf32> -> tensor<8xf32>
  %r = flatir.add %s, %y : tensor<8xf32>
  return %r : tensor<8xf32>
}
