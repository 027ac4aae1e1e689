// RUN: tripy-opt %s --split-input-file --trace-to-flatir --flatir-form-dispatches --kernel-outline --flatir-to-linalg | FileCheck %s

// Heads are taken apart and put together through views: one kernel for attention, which reads what the
// layer in front has written, and one for each layer.
// CHECK-LABEL: func.func @heads(
// CHECK: kernel.call @heads_gemm_0_dot(
// CHECK-NEXT: kernel.call @heads_attention_1_attention(
// CHECK-NEXT: kernel.call @heads_gemm_2_dot(
// CHECK-NEXT: return
// CHECK: kernel.func @heads_attention_1_attention attention
// CHECK: kernel.attention {{.*}} causal = top_left scale = 5.000000e-01
// CHECK-SAME: -> tensor<2x3x5x4xf32>
// CHECK: arith.truncf
func.func @heads(%x: tensor<2x5x12xf16>, %w: tensor<36x12xf16>, %o: tensor<12x12xf16>) -> tensor<2x5x12xf16> {
  %0 = trace.linear %x, %w : (tensor<2x5x12xf16>, tensor<36x12xf16>) -> tensor<2x5x36xf16>
  %1 = trace.reshape %0 to [2, 5, 9, 4] : (tensor<2x5x36xf16>) -> tensor<2x5x9x4xf16>
  %2 = trace.permute %1 [0, 2, 1, 3] : (tensor<2x5x9x4xf16>) -> tensor<2x9x5x4xf16>
  %q, %k, %v = trace.split %2 dim = 1 parts = 3 : (tensor<2x9x5x4xf16>) -> (tensor<2x3x5x4xf16>, tensor<2x3x5x4xf16>, tensor<2x3x5x4xf16>)
  %3 = trace.attention %q, %k, %v causal = "top_left" : (tensor<2x3x5x4xf16>, tensor<2x3x5x4xf16>, tensor<2x3x5x4xf16>) -> tensor<2x3x5x4xf16>
  %4 = trace.permute %3 [0, 2, 1, 3] : (tensor<2x3x5x4xf16>) -> tensor<2x5x3x4xf16>
  %5 = trace.reshape %4 to [2, 5, 12] : (tensor<2x5x3x4xf16>) -> tensor<2x5x12xf16>
  %r = trace.linear %5, %o : (tensor<2x5x12xf16>, tensor<12x12xf16>) -> tensor<2x5x12xf16>
  return %r : tensor<2x5x12xf16>
}

// -----

// A mask that is computed is not stored, and what follows is computed on the sums; keys that are computed
// are: every block of queries would compute them again.
// CHECK-LABEL: func.func @neighbours(
// CHECK: kernel.call @neighbours_loop_0_exp(%arg1)
// CHECK-NEXT: kernel.call @neighbours_attention_1_sub_mul_attention_tanh(
// CHECK-NEXT: return
// CHECK: kernel.func @neighbours_loop_0_exp loop
// CHECK: kernel.func @neighbours_attention_1_sub_mul_attention_tanh attention
// CHECK: linalg.index
// CHECK: kernel.attention
// CHECK: math.tanh
func.func @neighbours(%q: tensor<4x90x8xf32>, %k: tensor<4x70x8xf32>, %v: tensor<4x70x8xf32>, %slope: tensor<4x1x1xf32>) -> tensor<4x90x8xf32> {
  %rows = trace.iota [90, 1] dim = 0 dtype = f32 -> tensor<90x1xf32>
  %columns = trace.iota [1, 70] dim = 1 dtype = f32 -> tensor<1x70xf32>
  %distance = trace.sub %columns, %rows : (tensor<1x70xf32>, tensor<90x1xf32>) -> tensor<90x70xf32>
  %bias = trace.mul %distance, %slope : (tensor<90x70xf32>, tensor<4x1x1xf32>) -> tensor<4x90x70xf32>
  %keys = trace.exp %k : (tensor<4x70x8xf32>) -> tensor<4x70x8xf32>
  %0 = trace.attention %q, %keys, %v mask = %bias : (tensor<4x90x8xf32>, tensor<4x70x8xf32>, tensor<4x70x8xf32>, tensor<4x90x70xf32>) -> tensor<4x90x8xf32>
  %r = trace.tanh %0 : (tensor<4x90x8xf32>) -> tensor<4x90x8xf32>
  return %r : tensor<4x90x8xf32>
}

// -----

// Kernels do not take f64, nor larger heads: products and a softmax are left.
// CHECK-LABEL: func.func @decomposed(
// CHECK-NOT: kernel.attention
func.func @decomposed(%a: tensor<1x5x8xf64>, %b: tensor<1x5x300xf16>) -> (tensor<1x5x8xf64>, tensor<1x5x300xf16>) {
  %0 = trace.attention %a, %a, %a : (tensor<1x5x8xf64>, tensor<1x5x8xf64>, tensor<1x5x8xf64>) -> tensor<1x5x8xf64>
  %1 = trace.attention %b, %b, %b : (tensor<1x5x300xf16>, tensor<1x5x300xf16>, tensor<1x5x300xf16>) -> tensor<1x5x300xf16>
  return %0, %1 : tensor<1x5x8xf64>, tensor<1x5x300xf16>
}

// -----

// Without keys the result is 0; no kernel is built around it.
// CHECK-LABEL: func.func @empty(
// CHECK-NOT: kernel.attention
func.func @empty(%q: tensor<1x5x8xf32>, %k: tensor<1x0x8xf32>) -> tensor<1x5x8xf32> {
  %0 = trace.attention %q, %k, %k : (tensor<1x5x8xf32>, tensor<1x0x8xf32>, tensor<1x0x8xf32>) -> tensor<1x5x8xf32>
  return %0 : tensor<1x5x8xf32>
}

// -----

// A composite of this name that is another function is decomposed.
// CHECK-LABEL: func.func @another(
// CHECK-NOT: kernel.attention
func.func @another(%q: tensor<1x5x8xf32>) -> (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<5x8xf32>) {
  %0 = flatir.composite "attention" (%q) {} : (tensor<1x5x8xf32>) -> tensor<1x5x8xf32> {
  ^bb0(%a: tensor<1x5x8xf32>):
    %y = flatir.neg %a : tensor<1x5x8xf32>
    flatir.yield %y : tensor<1x5x8xf32>
  }
  %1 = flatir.composite "attention" (%q, %q, %q) {causal = "sideways", scale = 1.0 : f64} : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32> {
  ^bb0(%a: tensor<1x5x8xf32>, %b: tensor<1x5x8xf32>, %c: tensor<1x5x8xf32>):
    %y = flatir.abs %a : tensor<1x5x8xf32>
    flatir.yield %y : tensor<1x5x8xf32>
  }
  %2 = flatir.composite "attention" (%q, %q, %q) {scale = 1.0 : f32} : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32> {
  ^bb0(%a: tensor<1x5x8xf32>, %b: tensor<1x5x8xf32>, %c: tensor<1x5x8xf32>):
    %y = flatir.exp %a : tensor<1x5x8xf32>
    flatir.yield %y : tensor<1x5x8xf32>
  }
  %3 = flatir.composite "attention" (%q, %q, %q) {scale = 1.0 : f64} : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<5x8xf32> {
  ^bb0(%a: tensor<1x5x8xf32>, %b: tensor<1x5x8xf32>, %c: tensor<1x5x8xf32>):
    %y = flatir.reshape %a sizes() : tensor<1x5x8xf32> -> tensor<5x8xf32>
    flatir.yield %y : tensor<5x8xf32>
  }
  return %0, %1, %2, %3 : tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<5x8xf32>
}
