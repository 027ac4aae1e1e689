// Attention of one token over a cache with a new row, in the second kernel of a program. No kernel writes the cache, nor
// the place of the new row: copies of the cache start before the wait for the kernel in front, for each lane and block of
// 32 keys 8 of the keys and 8 of the values, of two stages. The new row and the queries are copied behind it.
//
// RUN: tripy-compile %s --target=cuda:sm_90a --attention-split=4 --stop-after=ptx -o - | FileCheck %s
// RUN: tripy-compile %s --target=cuda:sm_90a --attention-split=4 --no-prefetch --stop-after=ptx -o - | FileCheck %s --check-prefix=PLAIN
// RUN: tripy-compile %s --function=written --target=cuda:sm_90a --attention-split=4 --stop-after=ptx -o - | FileCheck %s --check-prefix=WRITTEN
//
// CHECK: .entry main_attention_1_update_slice_attention
// CHECK-COUNT-32: cp.async.cg.shared.global
// CHECK-NOT: cp.async.commit_group
// CHECK: griddepcontrol.wait
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.commit_group
//
// PLAIN: .entry main_attention_1_update_slice_attention
// PLAIN-NOT: cp.async.cg
// PLAIN: griddepcontrol.wait
func.func @main(%x: tensor<1x1x512xf16>, %w: tensor<384x512xf16>, %keys: tensor<1x2x512x64xf16>, %values: tensor<1x2x512x64xf16>, %at: tensor<i32>) -> tensor<1x2x1x64xf16> {
  %h = trace.linear %x, %w : (tensor<1x1x512xf16>, tensor<384x512xf16>) -> tensor<1x1x384xf16>
  %p:3 = trace.split %h dim = 2 parts = 3 : (tensor<1x1x384xf16>) -> (tensor<1x1x128xf16>, tensor<1x1x128xf16>, tensor<1x1x128xf16>)
  %q = trace.reshape %p#0 to [1, 2, 1, 64] : (tensor<1x1x128xf16>) -> tensor<1x2x1x64xf16>
  %k = trace.reshape %p#1 to [1, 2, 1, 64] : (tensor<1x1x128xf16>) -> tensor<1x2x1x64xf16>
  %v = trace.reshape %p#2 to [1, 2, 1, 64] : (tensor<1x1x128xf16>) -> tensor<1x2x1x64xf16>
  %c = trace.update_slice %keys, %k, %at dim = 2 : (tensor<1x2x512x64xf16>, tensor<1x2x1x64xf16>, tensor<i32>) -> tensor<1x2x512x64xf16>
  %d = trace.update_slice %values, %v, %at dim = 2 : (tensor<1x2x512x64xf16>, tensor<1x2x1x64xf16>, tensor<i32>) -> tensor<1x2x512x64xf16>
  %y = trace.attention %q, %c, %d : (tensor<1x2x1x64xf16>, tensor<1x2x512x64xf16>, tensor<1x2x512x64xf16>) -> tensor<1x2x1x64xf16>
  return %y : tensor<1x2x1x64xf16>
}

// The place of the new row is computed by a kernel: what is copied depends on it.
// WRITTEN: .entry written_attention_1
// WRITTEN-NOT: cp.async.cg
// WRITTEN: griddepcontrol.wait
// WRITTEN: cp.async.cg
func.func @written(%q: tensor<1x2x1x64xf16>, %k: tensor<1x2x1x64xf16>, %keys: tensor<1x2x512x64xf16>, %places: tensor<4096xi32>) -> tensor<1x2x1x64xf16> {
  %at = trace.max %places dims = [0] : (tensor<4096xi32>) -> tensor<i32>
  %c = trace.update_slice %keys, %k, %at dim = 2 : (tensor<1x2x512x64xf16>, tensor<1x2x1x64xf16>, tensor<i32>) -> tensor<1x2x512x64xf16>
  %y = trace.attention %q, %c, %c : (tensor<1x2x1x64xf16>, tensor<1x2x512x64xf16>, tensor<1x2x512x64xf16>) -> tensor<1x2x1x64xf16>
  return %y : tensor<1x2x1x64xf16>
}
