// Two products with a softmax between them become attention, however they are written.
//
// RUN: tripy-opt %s --split-input-file --trace-to-flatir --tripy-simplify --tripy-cse --flatir-form-dispatches=on-host=1 --kernel-outline --flatir-to-linalg | FileCheck %s
// RUN: tripy-opt %s --split-input-file --trace-to-flatir --tripy-simplify --tripy-cse --flatir-form-dispatches=tensor-cores=1 --kernel-outline --flatir-to-linalg | FileCheck %s --check-prefixes=CHECK
// RUN: tripy-opt %s --split-input-file --trace-to-flatir --tripy-simplify --tripy-cse --flatir-form-dispatches=attention=never | FileCheck %s --check-prefix=NEVER
// NEVER-NOT: kernel.attention

// Heads that are parts of one projection, and joined again: no kernel between the attention and its neighbours.
// CHECK-LABEL: func.func @layer(
// CHECK: kernel.call @layer_gemm_0_dot(
// CHECK-NEXT: kernel.call @layer_attention_1_attention(
// CHECK-NEXT: kernel.call @layer_gemm_2_dot(
// CHECK-NEXT: return
// CHECK: kernel.func @layer_attention_1_attention attention
// CHECK: kernel.attention {{.*}} causal = none scale = 2.500000e-01
// CHECK-NOT: empty_is_nan
func.func @layer(%x: tensor<2x64x48xf16>, %w: tensor<144x48xf16>, %o: tensor<48x48xf16>) -> tensor<2x64x48xf16> {
  %0 = trace.linear %x, %w : (tensor<2x64x48xf16>, tensor<144x48xf16>) -> tensor<2x64x144xf16>
  %q0, %k0, %v0 = trace.split %0 dim = 2 parts = 3 : (tensor<2x64x144xf16>) -> (tensor<2x64x48xf16>, tensor<2x64x48xf16>, tensor<2x64x48xf16>)
  %q1 = trace.reshape %q0 to [2, 64, 3, 16] : (tensor<2x64x48xf16>) -> tensor<2x64x3x16xf16>
  %k1 = trace.reshape %k0 to [2, 64, 3, 16] : (tensor<2x64x48xf16>) -> tensor<2x64x3x16xf16>
  %v1 = trace.reshape %v0 to [2, 64, 3, 16] : (tensor<2x64x48xf16>) -> tensor<2x64x3x16xf16>
  %q = trace.permute %q1 [0, 2, 1, 3] : (tensor<2x64x3x16xf16>) -> tensor<2x3x64x16xf16>
  %k = trace.permute %k1 [0, 2, 3, 1] : (tensor<2x64x3x16xf16>) -> tensor<2x3x16x64xf16>
  %v = trace.permute %v1 [0, 2, 1, 3] : (tensor<2x64x3x16xf16>) -> tensor<2x3x64x16xf16>
  %s = trace.matmul %q, %k : (tensor<2x3x64x16xf16>, tensor<2x3x16x64xf16>) -> tensor<2x3x64x64xf16>
  %c = trace.constant dense<4.0> : tensor<f16>
  %t = trace.div %s, %c : (tensor<2x3x64x64xf16>, tensor<f16>) -> tensor<2x3x64x64xf16>
  %p = trace.softmax %t dim = 3 : (tensor<2x3x64x64xf16>) -> tensor<2x3x64x64xf16>
  %r = trace.matmul %p, %v : (tensor<2x3x64x64xf16>, tensor<2x3x64x16xf16>) -> tensor<2x3x64x16xf16>
  %1 = trace.permute %r [0, 2, 1, 3] : (tensor<2x3x64x16xf16>) -> tensor<2x64x3x16xf16>
  %2 = trace.reshape %1 to [2, 64, 48] : (tensor<2x64x3x16xf16>) -> tensor<2x64x48xf16>
  %y = trace.linear %2, %o : (tensor<2x64x48xf16>, tensor<48x48xf16>) -> tensor<2x64x48xf16>
  return %y : tensor<2x64x48xf16>
}

// -----

// A comparison of positions hides what is behind each query: the kernel leaves those blocks out. Sizes may be dynamic.
// The scale is on the queries, and softmax is written out.
// CHECK-LABEL: func.func @causal(
// CHECK: kernel.attention {{.*}} causal = top_left scale = 1.250000e-01 :
func.func @causal(%q: tensor<4x?x64xf16> {tripy.dims = ["", "n", ""]}, %k: tensor<4x?x64xf16> {tripy.dims = ["", "n", ""]}, %v: tensor<4x?x64xf16> {tripy.dims = ["", "n", ""]}) -> tensor<4x?x64xf16> {
  %n = trace.dim %q dim = 1 : (tensor<4x?x64xf16>) -> index
  %c = trace.constant dense<0.125> : tensor<f16>
  %q2 = trace.mul %q, %c : (tensor<4x?x64xf16>, tensor<f16>) -> tensor<4x?x64xf16>
  %kt = trace.permute %k [0, 2, 1] : (tensor<4x?x64xf16>) -> tensor<4x64x?xf16>
  %s = trace.matmul %q2, %kt : (tensor<4x?x64xf16>, tensor<4x64x?xf16>) -> tensor<4x?x?xf16>
  %f = trace.cast %s to f32 : (tensor<4x?x?xf16>) -> tensor<4x?x?xf32>
  %row = trace.iota [%n, 1] dim = 0 dtype = i32 -> tensor<?x1xi32>
  %column = trace.iota [1, %n] dim = 1 dtype = i32 -> tensor<1x?xi32>
  %hidden = trace.gt %column, %row : (tensor<1x?xi32>, tensor<?x1xi32>) -> tensor<?x?xi1>
  %low = trace.constant dense<0xFF800000> : tensor<f32>
  %t = trace.where %hidden, %low, %f : (tensor<?x?xi1>, tensor<f32>, tensor<4x?x?xf32>) -> tensor<4x?x?xf32>
  %max = trace.max %t dims = [-1] keepdim : (tensor<4x?x?xf32>) -> tensor<4x?x1xf32>
  %d = trace.sub %t, %max : (tensor<4x?x?xf32>, tensor<4x?x1xf32>) -> tensor<4x?x?xf32>
  %e = trace.exp %d : (tensor<4x?x?xf32>) -> tensor<4x?x?xf32>
  %sum = trace.sum %e dims = [-1] keepdim : (tensor<4x?x?xf32>) -> tensor<4x?x1xf32>
  %p = trace.div %e, %sum : (tensor<4x?x?xf32>, tensor<4x?x1xf32>) -> tensor<4x?x?xf32>
  %p2 = trace.cast %p to f16 : (tensor<4x?x?xf32>) -> tensor<4x?x?xf16>
  %r = trace.matmul %p2, %v : (tensor<4x?x?xf16>, tensor<4x?x64xf16>) -> tensor<4x?x64xf16>
  return %r : tensor<4x?x64xf16>
}

// -----

// A finite number is not minus infinity, where scores may be as low: the mask stays one, and hides with that number.
// CHECK-LABEL: func.func @finite(
// CHECK: kernel.attention {{.*}} mask = {{.*}} causal = none scale = 1.000000e+00 hidden = -1.000000e+04 :
// CHECK: kernel.attention {{.*}} causal = top_left scale = 1.000000e+00 :
func.func @finite(%q: tensor<4x32x64xf16>, %k: tensor<4x64x32xf16>, %v: tensor<4x32x64xf16>, %m: tensor<32x32xi1>) -> (tensor<4x32x64xf16>, tensor<4x32x64xf16>) {
  %s = trace.matmul %q, %k : (tensor<4x32x64xf16>, tensor<4x64x32xf16>) -> tensor<4x32x32xf16>
  %low = trace.constant dense<-1.0e4> : tensor<f16>
  %t = trace.where %m, %s, %low : (tensor<32x32xi1>, tensor<4x32x32xf16>, tensor<f16>) -> tensor<4x32x32xf16>
  %p = trace.softmax %t dim = -1 : (tensor<4x32x32xf16>) -> tensor<4x32x32xf16>
  %r = trace.matmul %p, %v : (tensor<4x32x32xf16>, tensor<4x32x64xf16>) -> tensor<4x32x64xf16>
  %row = trace.iota [32, 1] dim = 0 dtype = i32 -> tensor<32x1xi32>
  %column = trace.iota [1, 32] dim = 1 dtype = i32 -> tensor<1x32xi32>
  %seen = trace.ge %row, %column : (tensor<32x1xi32>, tensor<1x32xi32>) -> tensor<32x32xi1>
  %lowest = trace.constant dense<-3.4028234663852886E+38> : tensor<f32>
  %s1 = trace.matmul %r, %k : (tensor<4x32x64xf16>, tensor<4x64x32xf16>) -> tensor<4x32x32xf16>
  %s2 = trace.cast %s1 to f32 : (tensor<4x32x32xf16>) -> tensor<4x32x32xf32>
  %s3 = trace.where %seen, %s2, %lowest : (tensor<32x32xi1>, tensor<4x32x32xf32>, tensor<f32>) -> tensor<4x32x32xf32>
  %p1 = trace.softmax %s3 dim = -1 : (tensor<4x32x32xf32>) -> tensor<4x32x32xf32>
  %p2 = trace.cast %p1 to f16 : (tensor<4x32x32xf32>) -> tensor<4x32x32xf16>
  %r2 = trace.matmul %p2, %v : (tensor<4x32x32xf16>, tensor<4x32x64xf16>) -> tensor<4x32x64xf16>
  return %r, %r2 : tensor<4x32x64xf16>, tensor<4x32x64xf16>
}

// -----

// A query that sees no key is NaN in the user's softmax, and in the kernel. A bias is added after the scale.
// CHECK-LABEL: func.func @masked(
// CHECK: kernel.attention {{.*}} mask = {{.*}} causal = none scale = 1.000000e+00 empty_is_nan :
// CHECK-SAME: tensor<2x4x32x16xi1>
// CHECK: kernel.attention {{.*}} mask = {{.*}} causal = none scale = 2.500000e-01 empty_is_nan :
// CHECK-SAME: tensor<2x4x32x16xf16>
func.func @masked(%q: tensor<2x4x32x64xf16>, %k: tensor<2x4x64x16xf16>, %v: tensor<2x4x16x64xf16>, %m: tensor<2x1x1x16xi1>, %b: tensor<4x32x16xf16>) -> (tensor<2x4x32x64xf16>, tensor<2x4x32x64xf16>) {
  %s = trace.matmul %q, %k : (tensor<2x4x32x64xf16>, tensor<2x4x64x16xf16>) -> tensor<2x4x32x16xf16>
  %low = trace.constant dense<0xFC00> : tensor<f16>
  %t = trace.where %m, %s, %low : (tensor<2x1x1x16xi1>, tensor<2x4x32x16xf16>, tensor<f16>) -> tensor<2x4x32x16xf16>
  %p = trace.softmax %t dim = -1 : (tensor<2x4x32x16xf16>) -> tensor<2x4x32x16xf16>
  %r = trace.matmul %p, %v : (tensor<2x4x32x16xf16>, tensor<2x4x16x64xf16>) -> tensor<2x4x32x64xf16>
  %s1 = trace.matmul %r, %k : (tensor<2x4x32x64xf16>, tensor<2x4x64x16xf16>) -> tensor<2x4x32x16xf16>
  %c = trace.constant dense<0.25> : tensor<f16>
  %s2 = trace.mul %s1, %c : (tensor<2x4x32x16xf16>, tensor<f16>) -> tensor<2x4x32x16xf16>
  %s3 = trace.add %s2, %b : (tensor<2x4x32x16xf16>, tensor<4x32x16xf16>) -> tensor<2x4x32x16xf16>
  %p2 = trace.softmax %s3 dim = -1 : (tensor<2x4x32x16xf16>) -> tensor<2x4x32x16xf16>
  %r2 = trace.matmul %p2, %v : (tensor<2x4x32x16xf16>, tensor<2x4x16x64xf16>) -> tensor<2x4x32x64xf16>
  return %r, %r2 : tensor<2x4x32x64xf16>, tensor<2x4x32x64xf16>
}

// -----

// Heads that share keys, which are repeated for each of them: the kernel reads what is repeated.
// CHECK-LABEL: func.func @grouped(
// CHECK: kernel.attention {{.*}} : (tensor<2x2x3x32x40xbf16>, tensor<2x2x1x16x40xbf16>, tensor<2x2x1x16x40xbf16>)
func.func @grouped(%q: tensor<2x6x32x40xbf16>, %k: tensor<2x2x16x40xbf16>, %v: tensor<2x2x16x40xbf16>) -> tensor<2x6x32x40xbf16> {
  %k1 = trace.reshape %k to [2, 2, 1, 16, 40] : (tensor<2x2x16x40xbf16>) -> tensor<2x2x1x16x40xbf16>
  %k2 = trace.expand %k1 to [2, 2, 3, 16, 40] : (tensor<2x2x1x16x40xbf16>) -> tensor<2x2x3x16x40xbf16>
  %k3 = trace.reshape %k2 to [2, 6, 16, 40] : (tensor<2x2x3x16x40xbf16>) -> tensor<2x6x16x40xbf16>
  %v1 = trace.reshape %v to [2, 2, 1, 16, 40] : (tensor<2x2x16x40xbf16>) -> tensor<2x2x1x16x40xbf16>
  %v2 = trace.expand %v1 to [2, 2, 3, 16, 40] : (tensor<2x2x1x16x40xbf16>) -> tensor<2x2x3x16x40xbf16>
  %v3 = trace.reshape %v2 to [2, 6, 16, 40] : (tensor<2x2x3x16x40xbf16>) -> tensor<2x6x16x40xbf16>
  %kt = trace.permute %k3 [0, 1, 3, 2] : (tensor<2x6x16x40xbf16>) -> tensor<2x6x40x16xbf16>
  %s = trace.matmul %q, %kt : (tensor<2x6x32x40xbf16>, tensor<2x6x40x16xbf16>) -> tensor<2x6x32x16xbf16>
  %p = trace.softmax %s dim = -1 : (tensor<2x6x32x16xbf16>) -> tensor<2x6x32x16xbf16>
  %r = trace.matmul %p, %v3 : (tensor<2x6x32x16xbf16>, tensor<2x6x16x40xbf16>) -> tensor<2x6x32x40xbf16>
  return %r : tensor<2x6x32x40xbf16>
}

// -----

// Batch and heads are one dimension of the products, and two of the softmax; scores are made transposed.
// CHECK-LABEL: func.func @regrouped(
// CHECK: kernel.attention
// CHECK-NOT: kernel.func
func.func @regrouped(%q: tensor<8x32x64xf16>, %k: tensor<8x24x64xf16>, %v: tensor<8x24x64xf16>, %m: tensor<2x1x1x24xf16>) -> tensor<8x32x64xf16> {
  %qt = trace.permute %q [0, 2, 1] : (tensor<8x32x64xf16>) -> tensor<8x64x32xf16>
  %s = trace.matmul %k, %qt : (tensor<8x24x64xf16>, tensor<8x64x32xf16>) -> tensor<8x24x32xf16>
  %st = trace.permute %s [0, 2, 1] : (tensor<8x24x32xf16>) -> tensor<8x32x24xf16>
  %s4 = trace.reshape %st to [2, 4, 32, 24] : (tensor<8x32x24xf16>) -> tensor<2x4x32x24xf16>
  %t = trace.add %s4, %m : (tensor<2x4x32x24xf16>, tensor<2x1x1x24xf16>) -> tensor<2x4x32x24xf16>
  %p4 = trace.softmax %t dim = -1 : (tensor<2x4x32x24xf16>) -> tensor<2x4x32x24xf16>
  %p = trace.reshape %p4 to [8, 32, 24] : (tensor<2x4x32x24xf16>) -> tensor<8x32x24xf16>
  %r = trace.matmul %p, %v : (tensor<8x32x24xf16>, tensor<8x24x64xf16>) -> tensor<8x32x64xf16>
  return %r : tensor<8x32x64xf16>
}

// -----

// Capped scores, -5 * tanh(s / -20): a cap of 5 and a scale of a quarter, and a bias behind.
// CHECK-LABEL: func.func @capped(
// CHECK: kernel.attention {{.*}} mask = {{.*}} scale = 2.500000e-01 cap = 5.000000e+00
func.func @capped(%q: tensor<4x32x64xf16>, %k: tensor<4x64x32xf16>, %v: tensor<4x32x64xf16>, %b: tensor<4x32x32xf16>) -> tensor<4x32x64xf16> {
  %s = trace.matmul %q, %k : (tensor<4x32x64xf16>, tensor<4x64x32xf16>) -> tensor<4x32x32xf16>
  %d = trace.constant dense<-20.0> : tensor<f16>
  %e = trace.div %s, %d : (tensor<4x32x32xf16>, tensor<f16>) -> tensor<4x32x32xf16>
  %t = trace.tanh %e : (tensor<4x32x32xf16>) -> tensor<4x32x32xf16>
  %c = trace.constant dense<-5.0> : tensor<f16>
  %m = trace.mul %t, %c : (tensor<4x32x32xf16>, tensor<f16>) -> tensor<4x32x32xf16>
  %a = trace.add %m, %b : (tensor<4x32x32xf16>, tensor<4x32x32xf16>) -> tensor<4x32x32xf16>
  %p = trace.softmax %a dim = -1 : (tensor<4x32x32xf16>) -> tensor<4x32x32xf16>
  %r = trace.matmul %p, %v : (tensor<4x32x32xf16>, tensor<4x32x64xf16>) -> tensor<4x32x64xf16>
  return %r : tensor<4x32x64xf16>
}
