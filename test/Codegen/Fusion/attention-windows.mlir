// Masks that hide keys by how far they are from each query: a window, of which the kernel leaves out the blocks beside it.
// RUN: tripy-opt %s --split-input-file --trace-to-flatir --tripy-simplify --tripy-cse --flatir-form-dispatches=tensor-cores=1 --kernel-outline --flatir-to-linalg | FileCheck %s

// A sliding window: the query's own key and the 511 before it.
// CHECK-LABEL: func.func @sliding(
// CHECK: kernel.attention %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} causal = top_left window_left = 511 scale = 1.000000e+00 :
func.func @sliding(%q: tensor<8x?x64xf16> {tripy.dims = ["", "n", ""]}, %k: tensor<8x?x64xf16> {tripy.dims = ["", "n", ""]}, %v: tensor<8x?x64xf16> {tripy.dims = ["", "n", ""]}) -> tensor<8x?x64xf16> {
  %n = trace.dim %q dim = 1 : (tensor<8x?x64xf16>) -> index
  %kt = trace.permute %k [0, 2, 1] : (tensor<8x?x64xf16>) -> tensor<8x64x?xf16>
  %s = trace.matmul %q, %kt : (tensor<8x?x64xf16>, tensor<8x64x?xf16>) -> tensor<8x?x?xf16>
  %row = trace.iota [%n, 1] dim = 0 dtype = i32 -> tensor<?x1xi32>
  %column = trace.iota [1, %n] dim = 1 dtype = i32 -> tensor<1x?xi32>
  %reach = trace.constant dense<512> : tensor<i32>
  %end = trace.add %column, %reach : (tensor<1x?xi32>, tensor<i32>) -> tensor<1x?xi32>
  %near = trace.gt %end, %row : (tensor<1x?xi32>, tensor<?x1xi32>) -> tensor<?x?xi1>
  %behind = trace.le %column, %row : (tensor<1x?xi32>, tensor<?x1xi32>) -> tensor<?x?xi1>
  %seen = trace.logical_and %near, %behind : (tensor<?x?xi1>, tensor<?x?xi1>) -> tensor<?x?xi1>
  %low = trace.constant dense<0xFC00> : tensor<f16>
  %t = trace.where %seen, %s, %low : (tensor<?x?xi1>, tensor<8x?x?xf16>, tensor<f16>) -> tensor<8x?x?xf16>
  %p = trace.softmax %t dim = -1 : (tensor<8x?x?xf16>) -> tensor<8x?x?xf16>
  %r = trace.matmul %p, %v : (tensor<8x?x?xf16>, tensor<8x?x64xf16>) -> tensor<8x?x64xf16>
  return %r : tensor<8x?x64xf16>
}

// -----

// Local attention: keys at most 64 away, and those that the padding leaves.
// CHECK-LABEL: func.func @local(
// CHECK: kernel.attention {{.*}} mask = {{.*}} causal = none window_left = 64 window_right = 64 scale = 1.000000e+00 empty_is_nan :
func.func @local(%q: tensor<8x300x64xf16>, %k: tensor<8x300x64xf16>, %v: tensor<8x300x64xf16>, %there: tensor<8x1x300xi1>) -> tensor<8x300x64xf16> {
  %kt = trace.permute %k [0, 2, 1] : (tensor<8x300x64xf16>) -> tensor<8x64x300xf16>
  %s = trace.matmul %q, %kt : (tensor<8x300x64xf16>, tensor<8x64x300xf16>) -> tensor<8x300x300xf16>
  %row = trace.iota [300, 1] dim = 0 dtype = i32 -> tensor<300x1xi32>
  %column = trace.iota [1, 300] dim = 1 dtype = i32 -> tensor<1x300xi32>
  %d = trace.sub %row, %column : (tensor<300x1xi32>, tensor<1x300xi32>) -> tensor<300x300xi32>
  %a = trace.abs %d : (tensor<300x300xi32>) -> tensor<300x300xi32>
  %reach = trace.constant dense<64> : tensor<i32>
  %near = trace.le %a, %reach : (tensor<300x300xi32>, tensor<i32>) -> tensor<300x300xi1>
  %seen = trace.logical_and %near, %there : (tensor<300x300xi1>, tensor<8x1x300xi1>) -> tensor<8x300x300xi1>
  %low = trace.constant dense<0xFC00> : tensor<f16>
  %t = trace.where %seen, %s, %low : (tensor<8x300x300xi1>, tensor<8x300x300xf16>, tensor<f16>) -> tensor<8x300x300xf16>
  %p = trace.softmax %t dim = -1 : (tensor<8x300x300xf16>) -> tensor<8x300x300xf16>
  %r = trace.matmul %p, %v : (tensor<8x300x300xf16>, tensor<8x300x64xf16>) -> tensor<8x300x64xf16>
  return %r : tensor<8x300x64xf16>
}

// -----

// New queries at the end of more keys. Keys before a query's own are counted from the end as well, whatever is written first.
// CHECK-LABEL: func.func @end(
// CHECK: kernel.attention %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} causal = bottom_right window_left = 32 scale = 1.000000e+00 :
func.func @end(%q: tensor<8x40x64xf16>, %k: tensor<8x300x64xf16>, %v: tensor<8x300x64xf16>) -> tensor<8x40x64xf16> {
  %kt = trace.permute %k [0, 2, 1] : (tensor<8x300x64xf16>) -> tensor<8x64x300xf16>
  %s = trace.matmul %q, %kt : (tensor<8x40x64xf16>, tensor<8x64x300xf16>) -> tensor<8x40x300xf16>
  %number = trace.iota [40, 1] dim = 0 dtype = i32 -> tensor<40x1xi32>
  %before = trace.constant dense<260> : tensor<i32>
  %row = trace.add %number, %before : (tensor<40x1xi32>, tensor<i32>) -> tensor<40x1xi32>
  %column = trace.iota [1, 300] dim = 1 dtype = i32 -> tensor<1x300xi32>
  %away = trace.sub %row, %column : (tensor<40x1xi32>, tensor<1x300xi32>) -> tensor<40x300xi32>
  %reach = trace.constant dense<32> : tensor<i32>
  %near = trace.le %away, %reach : (tensor<40x300xi32>, tensor<i32>) -> tensor<40x300xi1>
  %behind = trace.ge %row, %column : (tensor<40x1xi32>, tensor<1x300xi32>) -> tensor<40x300xi1>
  %seen = trace.logical_and %near, %behind : (tensor<40x300xi1>, tensor<40x300xi1>) -> tensor<40x300xi1>
  %low = trace.constant dense<0xFC00> : tensor<f16>
  %t = trace.where %seen, %s, %low : (tensor<40x300xi1>, tensor<8x40x300xf16>, tensor<f16>) -> tensor<8x40x300xf16>
  %p = trace.softmax %t dim = -1 : (tensor<8x40x300xf16>) -> tensor<8x40x300xf16>
  %r = trace.matmul %p, %v : (tensor<8x40x300xf16>, tensor<8x300x64xf16>) -> tensor<8x40x64xf16>
  return %r : tensor<8x40x64xf16>
}

// -----

// More queries than keys: the last ones see no key. A finite number stays, and the mask with it: such a query averages all values.
// CHECK-LABEL: func.func @unseen(
// CHECK: kernel.attention {{.*}} mask = {{.*}} causal = none scale = 1.000000e+00 hidden = -6.550400e+04 :
// CHECK-SAME: tensor<8x300x40xi1>
func.func @unseen(%q: tensor<8x300x64xf16>, %k: tensor<8x40x64xf16>, %v: tensor<8x40x64xf16>) -> tensor<8x300x64xf16> {
  %kt = trace.permute %k [0, 2, 1] : (tensor<8x40x64xf16>) -> tensor<8x64x40xf16>
  %s = trace.matmul %q, %kt : (tensor<8x300x64xf16>, tensor<8x64x40xf16>) -> tensor<8x300x40xf16>
  %row = trace.iota [300, 1] dim = 0 dtype = i32 -> tensor<300x1xi32>
  %column = trace.iota [1, 40] dim = 1 dtype = i32 -> tensor<1x40xi32>
  %away = trace.sub %row, %column : (tensor<300x1xi32>, tensor<1x40xi32>) -> tensor<300x40xi32>
  %reach = trace.constant dense<8> : tensor<i32>
  %far = trace.gt %away, %reach : (tensor<300x40xi32>, tensor<i32>) -> tensor<300x40xi1>
  %low = trace.constant dense<-65504.0> : tensor<f16>
  %t = trace.where %far, %low, %s : (tensor<300x40xi1>, tensor<f16>, tensor<8x300x40xf16>) -> tensor<8x300x40xf16>
  %p = trace.softmax %t dim = -1 : (tensor<8x300x40xf16>) -> tensor<8x300x40xf16>
  %r = trace.matmul %p, %v : (tensor<8x300x40xf16>, tensor<8x40x64xf16>) -> tensor<8x300x64xf16>
  return %r : tensor<8x300x64xf16>
}

// -----

// Constants, as exported models have them: of truth values, and of 0 and minus infinity, which are added.
// CHECK-LABEL: func.func @constants(
// CHECK: kernel.attention %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} causal = top_left window_left = 1 scale
// CHECK: kernel.attention %{{[a-z0-9]+}}, %{{[a-z0-9]+}}, %{{[a-z0-9]+}} causal = none window_right = 1 scale
// CHECK-NOT: kernel.attention
func.func @constants(%q: tensor<8x4x64xf16>, %k: tensor<8x4x64xf16>, %v: tensor<8x4x64xf16>) -> (tensor<8x4x64xf16>, tensor<8x4x64xf16>) {
  %kt = trace.permute %k [0, 2, 1] : (tensor<8x4x64xf16>) -> tensor<8x64x4xf16>
  %s = trace.matmul %q, %kt : (tensor<8x4x64xf16>, tensor<8x64x4xf16>) -> tensor<8x4x4xf16>
  %seen = trace.constant dense<[[true, false, false, false], [true, true, false, false], [false, true, true, false], [false, false, true, true]]> : tensor<4x4xi1>
  %low = trace.constant dense<0xFC00> : tensor<f16>
  %t = trace.where %seen, %s, %low : (tensor<4x4xi1>, tensor<8x4x4xf16>, tensor<f16>) -> tensor<8x4x4xf16>
  %p = trace.softmax %t dim = -1 : (tensor<8x4x4xf16>) -> tensor<8x4x4xf16>
  %r = trace.matmul %p, %v : (tensor<8x4x4xf16>, tensor<8x4x64xf16>) -> tensor<8x4x64xf16>
  %s1 = trace.matmul %r, %kt : (tensor<8x4x64xf16>, tensor<8x64x4xf16>) -> tensor<8x4x4xf16>
  %m = trace.constant dense<[[0.0, 0.0, 0xFC00, 0xFC00], [0.0, 0.0, 0.0, 0xFC00], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]> : tensor<4x4xf16>
  %t1 = trace.add %s1, %m : (tensor<8x4x4xf16>, tensor<4x4xf16>) -> tensor<8x4x4xf16>
  %p1 = trace.softmax %t1 dim = -1 : (tensor<8x4x4xf16>) -> tensor<8x4x4xf16>
  %r1 = trace.matmul %p1, %v : (tensor<8x4x4xf16>, tensor<8x4x64xf16>) -> tensor<8x4x64xf16>
  return %r, %r1 : tensor<8x4x64xf16>, tensor<8x4x64xf16>
}

// -----

// A constant of 0 and a finite number that is no band is added. The causal mask stays one.
// CHECK-LABEL: func.func @added(
// CHECK: kernel.attention {{.*}} mask = {{.*}} causal = top_left scale = 1.000000e+00 empty_is_nan :
func.func @added(%q: tensor<8x3x64xbf16>, %k: tensor<8x3x64xbf16>, %v: tensor<8x3x64xbf16>) -> tensor<8x3x64xbf16> {
  %kt = trace.permute %k [0, 2, 1] : (tensor<8x3x64xbf16>) -> tensor<8x64x3xbf16>
  %s = trace.matmul %q, %kt : (tensor<8x3x64xbf16>, tensor<8x64x3xbf16>) -> tensor<8x3x3xbf16>
  %m = trace.constant dense<[[0.0, -3.38953139E+38, 0.0], [0.0, 0.0, -3.38953139E+38], [-3.38953139E+38, 0.0, 0.0]]> : tensor<3x3xbf16>
  %s1 = trace.add %s, %m : (tensor<8x3x3xbf16>, tensor<3x3xbf16>) -> tensor<8x3x3xbf16>
  %seen = trace.constant dense<[[true, false, false], [true, true, false], [true, true, true]]> : tensor<3x3xi1>
  %low = trace.constant dense<0xFF80> : tensor<bf16>
  %t = trace.where %seen, %s1, %low : (tensor<3x3xi1>, tensor<8x3x3xbf16>, tensor<bf16>) -> tensor<8x3x3xbf16>
  %p = trace.softmax %t dim = -1 : (tensor<8x3x3xbf16>) -> tensor<8x3x3xbf16>
  %r = trace.matmul %p, %v : (tensor<8x3x3xbf16>, tensor<8x3x64xbf16>) -> tensor<8x3x64xbf16>
  return %r : tensor<8x3x64xbf16>
}

// -----

// One mask, of queries by keys and, where scores are transposed, of keys by queries: both hide.
// CHECK-LABEL: func.func @twice(
// CHECK: arith.andi
// CHECK: kernel.attention {{.*}} mask = {{.*}} causal = none scale = 1.000000e+00 empty_is_nan :
func.func @twice(%q: tensor<8x5x64xf16>, %k: tensor<8x5x64xf16>, %v: tensor<8x5x64xf16>, %p: tensor<5x5xi1>) -> tensor<8x5x64xf16> {
  %kt = trace.permute %k [0, 2, 1] : (tensor<8x5x64xf16>) -> tensor<8x64x5xf16>
  %s = trace.matmul %q, %kt : (tensor<8x5x64xf16>, tensor<8x64x5xf16>) -> tensor<8x5x5xf16>
  %low = trace.constant dense<0xFC00> : tensor<f16>
  %t0 = trace.where %p, %s, %low : (tensor<5x5xi1>, tensor<8x5x5xf16>, tensor<f16>) -> tensor<8x5x5xf16>
  %t1 = trace.permute %t0 [0, 2, 1] : (tensor<8x5x5xf16>) -> tensor<8x5x5xf16>
  %t2 = trace.where %p, %t1, %low : (tensor<5x5xi1>, tensor<8x5x5xf16>, tensor<f16>) -> tensor<8x5x5xf16>
  %t3 = trace.permute %t2 [0, 2, 1] : (tensor<8x5x5xf16>) -> tensor<8x5x5xf16>
  %w = trace.softmax %t3 dim = -1 : (tensor<8x5x5xf16>) -> tensor<8x5x5xf16>
  %r = trace.matmul %w, %v : (tensor<8x5x5xf16>, tensor<8x5x64xf16>) -> tensor<8x5x64xf16>
  return %r : tensor<8x5x64xf16>
}
