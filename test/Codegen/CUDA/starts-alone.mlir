// Launches that start when the one in front has ended (docs/overlap.md).
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=plan -o - | FileCheck %s

// Few long rows, two blocks for each in shared memory, of which a multiprocessor has room for several.
// CHECK: kernel.launch @main_row_{{.*}} grid(%c128,
// CHECK-NOT: overlaps
// Many short rows follow each other.
// CHECK: kernel.launch @main_row_{{.*}} overlaps
// CHECK-NOT: kernel.launch
// CHECK: kernel.func @main_row_0
// CHECK-NOT: waitsFor
// CHECK: kernel.func @main_row_1
// CHECK-SAME: waitsFor
func.func @main(%x: tensor<64x32128xf16>, %y: tensor<64x32128xf16>, %w: tensor<32128xf16>, %z: tensor<20000x512xf16>)
    -> (tensor<64x32128xf16>, tensor<20000x512xf16>) {
  %0 = trace.add %x, %y : (tensor<64x32128xf16>, tensor<64x32128xf16>) -> tensor<64x32128xf16>
  %1 = trace.rms_norm %0, %w eps = 1.0e-5 : (tensor<64x32128xf16>, tensor<32128xf16>) -> tensor<64x32128xf16>
  %2 = trace.softmax %z dim = -1 : (tensor<20000x512xf16>) -> tensor<20000x512xf16>
  return %1, %2 : tensor<64x32128xf16>, tensor<20000x512xf16>
}
