// RUN: tripy-opt %s "--flatir-form-dispatches=column-blocks=512 row-blocks=512" --split-input-file --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: tripy-opt %s "--flatir-form-dispatches=column-blocks=512 row-blocks=512" --split-input-file --remark-format=emitRemark --remarks-filter="fusion" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tripy-opt %s --flatir-form-dispatches --split-input-file | FileCheck %s --check-prefix=WHOLE

// Large reductions that keep the last dimension and few columns: chunks of the
// rows are reduced side by side, and their results by a second kernel.

// 8 strips of 128 columns of f16 want 64 chunks. What comes before is part of
// the first kernel, what follows of the second; between them lie f32.
// CHECK-LABEL: func.func @sum(
// CHECK: %[[P:.*]] = kernel.dispatch reduce(%arg0)
// CHECK-SAME: -> tensor<64x2048xf32>
// CHECK: flatir.exp
// CHECK: flatir.reshape {{.*}} -> tensor<64x128x2048xf16> loc({{.*}}#tripy.why<rule = "split", reason = "reduce chunks of the rows side by side, and then their results">
// CHECK: flatir.convert {{.*}} -> tensor<64x128x2048xf32>
// CHECK: flatir.reduce sum %{{.*}} dims = [1] : tensor<64x128x2048xf32> -> tensor<64x2048xf32>
// CHECK: kernel.dispatch reduce(%[[P]])
// CHECK: flatir.reduce sum %{{.*}} dims = [0] : tensor<64x2048xf32> -> tensor<2048xf32>
// CHECK: flatir.convert
// CHECK: flatir.abs
// REMARK: remark: [Passed] fused | Category:fusion | Function=sum | Remark="'sum' reduces 64 chunks of dimension 0 side by side, and their results in a second kernel: its columns alone leave the device empty"
// WHOLE-LABEL: func.func @sum(
// WHOLE-COUNT-1: kernel.dispatch
// WHOLE-NOT: kernel.dispatch
// WHOLE: return
func.func @sum(%x: tensor<8192x2048xf16>) -> tensor<2048xf16> {
  %e = flatir.exp %x : tensor<8192x2048xf16>
  %s = flatir.reduce sum %e dims = [0] : tensor<8192x2048xf16> -> tensor<2048xf16>
  %r = flatir.abs %s : tensor<2048xf16>
  return %r : tensor<2048xf16>
}

// -----

// The first dimension is too short, the second has a divisor beside
// 29, which 18 strips of 128 columns want. Integers need no other type.
// CHECK-LABEL: func.func @dims(
// CHECK: flatir.reshape {{.*}} -> tensor<3x2x25x440x768xi32>
// CHECK: flatir.reduce max %{{.*}} dims = [1, 3] : tensor<3x2x25x440x768xi32> -> tensor<3x25x768xi32>
// CHECK: flatir.reduce max %{{.*}} dims = [1] : tensor<3x25x768xi32> -> tensor<3x768xi32>
// CHECK-NOT: flatir.convert
// CHECK: return
func.func @dims(%x: tensor<3x2x11000x768xi32>) -> tensor<3x768xi32> {
  %s = flatir.reduce max %x dims = [1, 2] : tensor<3x2x11000x768xi32> -> tensor<3x768xi32>
  return %s : tensor<3x768xi32>
}

// -----

// REMARK: remark: [Analysis] declined | Category:fusion | Function=prime | Remark="did not compute 'sum' in two steps: no reduced dimension can be cut evenly in 256 to 1024 chunks"
// CHECK-LABEL: func.func @prime(
// CHECK-COUNT-1: kernel.dispatch
// CHECK-NOT: kernel.dispatch
// CHECK: return
func.func @prime(%x: tensor<524309x16xf16>) -> tensor<16xf16> {
  %s = flatir.reduce sum %x dims = [0] : tensor<524309x16xf16> -> tensor<16xf16>
  return %s : tensor<16xf16>
}

// -----

// CHECK-LABEL: func.func @product(
// CHECK: flatir.reduce prod %{{.*}} dims = [1] : tensor<64x128x1024xf32> -> tensor<64x1024xf32>
// CHECK: flatir.reduce prod %{{.*}} dims = [0] : tensor<64x1024xf32> -> tensor<1024xf32>
func.func @product(%x: tensor<8192x1024xf32>) -> tensor<1024xf32> {
  %s = flatir.reduce prod %x dims = [0] : tensor<8192x1024xf32> -> tensor<1024xf32>
  return %s : tensor<1024xf32>
}

// -----

// REMARK: remark: [Analysis] declined | Category:fusion | Function=dynamic | Remark="did not compute 'sum' in two steps: its sizes are not static"
func.func @dynamic(%x: tensor<?x1024xf32> {tripy.profile = #tripy.profile<min = [1, 1024], opt = [8192, 1024], max = [9000, 1024]>}) -> tensor<1024xf32> {
  %s = flatir.reduce sum %x dims = [0] : tensor<?x1024xf32> -> tensor<1024xf32>
  return %s : tensor<1024xf32>
}

// -----

// Of a dynamic row, static dimensions in front are cut in chunks, and what a chunk has in whole vectors, whatever n is:
// 64 x 512 = 512 x 8 x 8.
// CHECK-LABEL: func.func @rows(
// CHECK: arith.muli %{{.*}}, %c8
// CHECK: flatir.reshape %{{.*}} sizes(%{{.*}}) : tensor<64x512x?xf16> -> tensor<512x?x8xf16>
// CHECK: flatir.reduce max %{{.*}} dims = [1, 2] : tensor<512x?x8xf16> -> tensor<512xf16>
// CHECK: flatir.reduce max %{{.*}} dims = [0] : tensor<512xf16> -> tensor<f16>
func.func @rows(%x: tensor<64x512x?xf16> {tripy.profile = #tripy.profile<min = [64, 512, 1], opt = [64, 512, 200], max = [64, 512, 300]>}) -> tensor<f16> {
  %s = flatir.reduce max %x dims = [0, 1, 2] : tensor<64x512x?xf16> -> tensor<f16>
  return %s : tensor<f16>
}

// -----

// Of two dynamic sizes there is no product: it may have more than 64 bits where a third one is 0.
// REMARK: remark: [Analysis] declined | Category:fusion | Function=several | Remark="did not compute 'max' in two steps: several of its sizes are not static"
func.func @several(%x: tensor<512x?x?xf16> {tripy.profile = #tripy.profile<min = [512, 1, 1], opt = [512, 64, 200], max = [512, 64, 300]>}) -> tensor<f16> {
  %s = flatir.reduce max %x dims = [0, 1, 2] : tensor<512x?x?xf16> -> tensor<f16>
  return %s : tensor<f16>
}

// -----

// Too small to pay; enough columns; enough rows; clusters
// fill the device and there is not much to gain.
// CHECK-LABEL: func.func @small(
// CHECK-COUNT-4: kernel.dispatch
// CHECK-NOT: kernel.dispatch
// CHECK: return
// REMARK-NOT: Function=small
func.func @small(%a: tensor<2048x512xf16>, %b: tensor<64x1048576xf16>, %c: tensor<256x1048576xf16>, %d: tensor<2048x16384xf16>) -> (tensor<512xf16>, tensor<1048576xf16>, tensor<256xf16>, tensor<16384xf16>) {
  %0 = flatir.reduce sum %a dims = [0] : tensor<2048x512xf16> -> tensor<512xf16>
  %1 = flatir.reduce sum %b dims = [0] : tensor<64x1048576xf16> -> tensor<1048576xf16>
  %2 = flatir.reduce sum %c dims = [1] : tensor<256x1048576xf16> -> tensor<256xf16>
  %3 = flatir.reduce sum %d dims = [0] : tensor<2048x16384xf16> -> tensor<16384xf16>
  return %0, %1, %2, %3 : tensor<512xf16>, tensor<1048576xf16>, tensor<256xf16>, tensor<16384xf16>
}

// -----

// A whole tensor is one row: 512 blocks of at least 16 KiB.
// CHECK-LABEL: func.func @all(
// CHECK: kernel.dispatch row(%arg0)
// CHECK: flatir.mul
// CHECK: flatir.reshape {{.*}} : tensor<1024x2048xf16> -> tensor<2097152xf16>
// CHECK: flatir.reshape {{.*}} : tensor<2097152xf16> -> tensor<256x8192xf16>
// CHECK: flatir.reduce sum %{{.*}} dims = [1] : tensor<256x8192xf32> -> tensor<256xf32>
// CHECK: kernel.dispatch row
// CHECK: flatir.reduce sum %{{.*}} dims = [0] : tensor<256xf32> -> tensor<f32>
// REMARK: remark: [Passed] fused | Category:fusion | Function=all | Remark="'sum' reduces 256 chunks of each row side by side, and their results in a second kernel: its rows alone leave the device empty"
func.func @all(%x: tensor<1024x2048xf16>) -> tensor<f16> {
  %y = flatir.mul %x, %x : tensor<1024x2048xf16>
  %s = flatir.reduce sum %y dims = [0, 1] : tensor<1024x2048xf16> -> tensor<f16>
  return %s : tensor<f16>
}

// -----

// Dimensions that lie apart: rows first, or, where they are short, last.
// CHECK-LABEL: func.func @apart(
// CHECK: flatir.reduce max %{{.*}} dims = [2] : tensor<256x1024x512xf16> -> tensor<256x1024xf16>
// CHECK: flatir.reduce max %{{.*}} dims = [0] : tensor<256x1024xf16> -> tensor<1024xf16>
// CHECK: flatir.reduce sum %{{.*}} dims = [0] : tensor<512x1024x3xf32> -> tensor<1024x3xf32>
// CHECK: flatir.reduce sum %{{.*}} dims = [1] : tensor<1024x3xf32> -> tensor<1024xf32>
// REMARK: Function=apart | Remark="'max' reduces dimensions that are not adjacent one after the other"
func.func @apart(%x: tensor<256x1024x512xf16>, %y: tensor<512x1024x3xf16>) -> (tensor<1024xf16>, tensor<1024xf16>) {
  %0 = flatir.reduce max %x dims = [0, 2] : tensor<256x1024x512xf16> -> tensor<1024xf16>
  %1 = flatir.reduce sum %y dims = [0, 2] : tensor<512x1024x3xf16> -> tensor<1024xf16>
  return %0, %1 : tensor<1024xf16>, tensor<1024xf16>
}
