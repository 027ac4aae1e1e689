// Tiles of attention copy queries as they are stored, and wgmma multiplies them. What computes queries has a kernel of its own
// then, unless there are too few scores for that to pay: mma.sync takes what its kernel computes.
// RUN: tripy-opt %s --split-input-file --trace-to-flatir --flatir-form-dispatches="tensor-cores=1 chip=sm_90a" --kernel-outline | FileCheck %s --check-prefixes=CHECK,TILES
// RUN: tripy-opt %s --split-input-file --trace-to-flatir --flatir-form-dispatches="tensor-cores=1 chip=sm_80" --kernel-outline | FileCheck %s --check-prefixes=CHECK,WARPS
// RUN: tripy-opt %s --split-input-file --trace-to-flatir --flatir-form-dispatches="tensor-cores=1 chip=sm_90a" --remark-format=emitRemark --remarks-filter=fusion -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// 32 heads x 2048 queries x 1024 keys.
// WHY: Function=many {{.*}}'attention' is not fused with 'mul' {{.*}}: attention is faster with queries that are copied from memory, which saves about 193192 cycles; a kernel for them costs 9847
// CHECK-LABEL: func.func @many(
// TILES: kernel.call @many_loop_0_mul(
// TILES-NEXT: kernel.call @many_attention_1_attention(
// WARPS: kernel.call @many_attention_0_mul_attention(
func.func @many(%q: tensor<1x32x2048x64xf16>, %f: tensor<1x32x2048x64xf16>, %k: tensor<1x8x1024x64xf16>) -> tensor<1x32x2048x64xf16> {
  %0 = trace.mul %q, %f : (tensor<1x32x2048x64xf16>, tensor<1x32x2048x64xf16>) -> tensor<1x32x2048x64xf16>
  %1 = trace.attention %0, %k, %k : (tensor<1x32x2048x64xf16>, tensor<1x8x1024x64xf16>, tensor<1x8x1024x64xf16>) -> tensor<1x32x2048x64xf16>
  return %1 : tensor<1x32x2048x64xf16>
}

// -----

// Few scores, and one query of each head.
// CHECK-LABEL: func.func @few(
// CHECK: kernel.call @few_attention_0_mul_attention(
func.func @few(%q: tensor<1x12x77x64xf16>, %f: tensor<1x12x77x64xf16>, %k: tensor<1x12x77x64xf16>) -> tensor<1x12x77x64xf16> {
  %0 = trace.mul %q, %f : (tensor<1x12x77x64xf16>, tensor<1x12x77x64xf16>) -> tensor<1x12x77x64xf16>
  %1 = trace.attention %0, %k, %k : (tensor<1x12x77x64xf16>, tensor<1x12x77x64xf16>, tensor<1x12x77x64xf16>) -> tensor<1x12x77x64xf16>
  return %1 : tensor<1x12x77x64xf16>
}
// CHECK-LABEL: func.func @one(
// CHECK: kernel.call @one_attention_0_mul_attention(
func.func @one(%q: tensor<64x32x1x64xf16>, %f: tensor<64x32x1x64xf16>, %k: tensor<64x8x8192x64xf16>) -> tensor<64x32x1x64xf16> {
  %0 = trace.mul %q, %f : (tensor<64x32x1x64xf16>, tensor<64x32x1x64xf16>) -> tensor<64x32x1x64xf16>
  %1 = trace.attention %0, %k, %k : (tensor<64x32x1x64xf16>, tensor<64x8x8192x64xf16>, tensor<64x8x8192x64xf16>) -> tensor<64x32x1x64xf16>
  return %1 : tensor<64x32x1x64xf16>
}

// -----

// What only moves queries is a view for TMA; heads of 20 numbers are none for it, and neither is f32.
// CHECK-LABEL: func.func @moved(
// CHECK: kernel.call @moved_attention_0_{{(transpose_)?}}attention(
func.func @moved(%q: tensor<1x2048x32x64xf16>, %k: tensor<1x8x1024x64xf16>) -> tensor<1x32x2048x64xf16> {
  %0 = trace.permute %q [0, 2, 1, 3] : (tensor<1x2048x32x64xf16>) -> tensor<1x32x2048x64xf16>
  %1 = trace.attention %0, %k, %k : (tensor<1x32x2048x64xf16>, tensor<1x8x1024x64xf16>, tensor<1x8x1024x64xf16>) -> tensor<1x32x2048x64xf16>
  return %1 : tensor<1x32x2048x64xf16>
}
// CHECK-LABEL: func.func @odd(
// CHECK: kernel.call @odd_attention_0_mul_attention(
func.func @odd(%q: tensor<32x2048x20xf16>, %f: tensor<32x2048x20xf16>, %k: tensor<32x1024x20xf16>) -> tensor<32x2048x20xf16> {
  %0 = trace.mul %q, %f : (tensor<32x2048x20xf16>, tensor<32x2048x20xf16>) -> tensor<32x2048x20xf16>
  %1 = trace.attention %0, %k, %k : (tensor<32x2048x20xf16>, tensor<32x1024x20xf16>, tensor<32x1024x20xf16>) -> tensor<32x2048x20xf16>
  return %1 : tensor<32x2048x20xf16>
}
// CHECK-LABEL: func.func @wide(
// CHECK: kernel.call @wide_attention_0_mul_attention(
func.func @wide(%q: tensor<32x2048x64xf32>, %f: tensor<32x2048x64xf32>, %k: tensor<32x1024x64xf32>) -> tensor<32x2048x64xf32> {
  %0 = trace.mul %q, %f : (tensor<32x2048x64xf32>, tensor<32x2048x64xf32>) -> tensor<32x2048x64xf32>
  %1 = trace.attention %0, %k, %k : (tensor<32x2048x64xf32>, tensor<32x1024x64xf32>, tensor<32x1024x64xf32>) -> tensor<32x2048x64xf32>
  return %1 : tensor<32x2048x64xf32>
}
