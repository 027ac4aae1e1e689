// RUN: tripy-opt %s --flatir-fold-constants --split-input-file --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: tripy-opt %s --flatir-fold-constants=max-bytes=7 --split-input-file | FileCheck %s --check-prefix=SMALL

// The example of the pass's description; an iota counts as a constant.
// CHECK-LABEL: func.func @example
// CHECK-NEXT: %[[R:.*]] = flatir.constant dense<[1.000000e+00, 3.000000e+00]> : tensor<2xf32> loc(fused["fold.mlir":3:1, "fold.mlir":1:1, "fold.mlir":2:1])
// CHECK-NEXT: return %[[R]]
// SMALL-LABEL: func.func @example
// SMALL: flatir.add
func.func @example() -> tensor<2xf32> {
  %a = flatir.constant dense<[1.0, 2.0]> : tensor<2xf32> loc("fold.mlir":1:1)
  %b = flatir.iota dim = 0 sizes() : tensor<2xf32> loc("fold.mlir":2:1)
  %r = flatir.add %a, %b : tensor<2xf32> loc("fold.mlir":3:1)
  return %r : tensor<2xf32>
}

// -----

// An iota alone stays, and so does one with another use.
// CHECK-LABEL: func.func @iota
// CHECK-DAG: %[[I:.*]] = flatir.iota
// CHECK-DAG: %[[N:.*]] = flatir.constant dense<[-0.000000e+00, -1.000000e+00, -2.000000e+00]>
// CHECK: return %[[I]], %[[N]]
func.func @iota() -> (tensor<3xf32>, tensor<3xf32>) {
  %i = flatir.iota dim = 0 sizes() : tensor<3xf32>
  %n = flatir.neg %i : tensor<3xf32>
  return %i, %n : tensor<3xf32>, tensor<3xf32>
}

// -----

// Whole chains, in one pass; -0.0 comes from 0 * -1.
// CHECK-LABEL: func.func @chain
// CHECK-NEXT: %[[R:.*]] = flatir.constant dense<{{\[}}[-0.000000e+00, 4.000000e+00], [2.000000e+00, 6.000000e+00]]> : tensor<2x2xf16>
// CHECK-NEXT: return %[[R]]
func.func @chain() -> tensor<2x2xf16> {
  %i = flatir.iota dim = 0 sizes() : tensor<4xf32>
  %0 = flatir.reshape %i sizes() : tensor<4xf32> -> tensor<2x2xf32>
  %1 = flatir.transpose %0 [1, 0] : tensor<2x2xf32> -> tensor<2x2xf32>
  %2 = flatir.convert %1 : tensor<2x2xf32> -> tensor<2x2xf16>
  %m = flatir.constant dense<[[-1.0, 2.0], [2.0, 2.0]]> : tensor<2x2xf16>
  %3 = flatir.mul %2, %m : tensor<2x2xf16>
  return %3 : tensor<2x2xf16>
}

// -----

// CHECK-LABEL: func.func @families
// CHECK-DAG: flatir.constant dense<[3, 12]> : tensor<2xi32>
// CHECK-DAG: flatir.constant dense<{{\[}}[5, 14], [14, 50]]> : tensor<2x2xi32>
// CHECK-DAG: flatir.constant dense<{{\[}}[2, 1], [5, 4]]> : tensor<2x2xi32>
// CHECK-DAG: flatir.constant dense<{{\[}}[false, false, true], [true, true, true]]> : tensor<2x3xi1>
// CHECK-NOT: flatir.reduce
// CHECK-NOT: flatir.dot
func.func @families() -> (tensor<2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x3xi1>) {
  %x = flatir.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
  %0 = flatir.reduce sum %x dims = [1] : tensor<2x3xi32> -> tensor<2xi32>
  %1 = flatir.dot %x, %x batch = [] x [] contract = [1] x [1] : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x2xi32>
  %2 = flatir.slice %x [0, 2] strides = [1, -1] sizes() : tensor<2x3xi32> -> tensor<2x2xi32>
  %two = flatir.constant dense<2> : tensor<2x3xi32>
  %3 = flatir.compare ge %x, %two : tensor<2x3xi32> -> tensor<2x3xi1>
  return %0, %1, %2, %3 : tensor<2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x3xi1>
}

// -----

// A composite is its region, folded as one.
// CHECK-LABEL: func.func @composite
// CHECK-NEXT: %[[R:.*]] = flatir.constant dense<[2.000000e+00, 6.000000e+00]>
// CHECK-NEXT: return %[[R]]
func.func @composite() -> tensor<2xf32> {
  %x = flatir.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %r = flatir.composite "f" (%x) {} : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    %0 = flatir.mul %a, %a : tensor<2xf32>
    %1 = flatir.add %0, %a : tensor<2xf32>
    flatir.yield %1 : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// -----

// Constants inside a composite that stays are folded there.
// CHECK-LABEL: func.func @inside
// CHECK: flatir.composite
// CHECK: flatir.constant dense<[2.000000e+00, 4.000000e+00]>
// CHECK-NOT: flatir.add %{{.*}}, %{{.*}} : tensor<2xf32>{{$}}
func.func @inside(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = flatir.composite "f" (%x) {} : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    %c = flatir.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %0 = flatir.add %c, %c : tensor<2xf32>
    %1 = flatir.mul %0, %a : tensor<2xf32>
    flatir.yield %1 : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// -----

// A resource is read, and only the result is a new constant.
// CHECK-LABEL: func.func @resource
// CHECK-NEXT: flatir.constant dense<[-1.000000e+00, 2.000000e+00]>
func.func @resource() -> tensor<2xf32> {
  %w = flatir.constant dense_resource<weights> : tensor<2xf32>
  %r = flatir.neg %w : tensor<2xf32>
  return %r : tensor<2xf32>
}
{-# dialect_resources: { builtin: { weights: "0x040000000000803F000000C0" } } #-}

// -----

// Large splats stay splats; what is large otherwise stays as it is.
// CHECK-LABEL: func.func @large
// CHECK-DAG: flatir.constant dense<3.000000e+00> : tensor<1024x1024xf32>
// CHECK-DAG: flatir.broadcast
// CHECK-NOT: flatir.add
func.func @large() -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>) {
  %a = flatir.constant dense<1.0> : tensor<1024x1024xf32>
  %b = flatir.constant dense<2.0> : tensor<f32>
  %c = flatir.broadcast %b dims = [] sizes() : tensor<f32> -> tensor<1024x1024xf32>
  %d = flatir.add %a, %c : tensor<1024x1024xf32>
  %i = flatir.iota dim = 0 sizes() : tensor<1024xf32>
  %e = flatir.broadcast %i dims = [1] sizes() : tensor<1024xf32> -> tensor<1024x1024xf32>
  return %d, %e : tensor<1024x1024xf32>, tensor<1024x1024xf32>
}

// -----

// Too much work for the compiler: it stays, and nothing hangs.
// CHECK-LABEL: func.func @work
// CHECK: flatir.dot
func.func @work() -> tensor<1x1xf32> {
  %a = flatir.constant dense<1.0> : tensor<1x1099511627776xf32>
  %r = flatir.dot %a, %a batch = [] x [] contract = [1] x [1] : (tensor<1x1099511627776xf32>, tensor<1x1099511627776xf32>) -> tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}
