// What is written in linalg is fused as what is written in trace.
// RUN: tripy-opt %s --linalg-to-flatir --tripy-simplify --cse --flatir-form-dispatches=tensor-cores --split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// A chain, with bitwise arithmetic in it, is one kernel.
// CHECK-LABEL: @chain
// CHECK: kernel.dispatch loop
// CHECK-NOT: kernel.dispatch
func.func @chain(%a: tensor<64x64xf32>, %m: tensor<64x64xi32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %0 = linalg.exp ins(%a : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = arith.bitcast %0 : tensor<64x64xf32> to tensor<64x64xi32>
  %2 = arith.andi %1, %m : tensor<64x64xi32>
  %3 = arith.bitcast %2 : tensor<64x64xi32> to tensor<64x64xf32>
  %4 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%3, %a : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %t = math.tanh %s : f32
    linalg.yield %t : f32
  } -> tensor<64x64xf32>
  return %4 : tensor<64x64xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// An epilogue, and a bias that the sum starts from.
// CHECK-LABEL: @epilogue
// CHECK: kernel.dispatch gemm
// CHECK: flatir.dot
// CHECK: flatir.maximum
// CHECK: kernel.dispatch gemm
// CHECK: flatir.dot
// CHECK: flatir.add
// CHECK-NOT: kernel.dispatch
func.func @epilogue(%a: tensor<64x128xf16>, %w: tensor<128x256xf16>, %b: tensor<256xf16>, %v: tensor<256x64xf16>, %c: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<64x256xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<64x256xf16>) -> tensor<64x256xf16>
  %p = linalg.matmul ins(%a, %w : tensor<64x128xf16>, tensor<128x256xf16>) outs(%f : tensor<64x256xf16>) -> tensor<64x256xf16>
  %q = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<64x256xf16>, tensor<256xf16>) outs(%e : tensor<64x256xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %s = arith.addf %x, %y : f16
    %r = arith.maximumf %s, %zero : f16
    linalg.yield %r : f16
  } -> tensor<64x256xf16>
  %r = linalg.matmul ins(%q, %v : tensor<64x256xf16>, tensor<256x64xf16>) outs(%c : tensor<64x64xf16>) -> tensor<64x64xf16>
  return %r : tensor<64x64xf16>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// A softmax is one row kernel, of generics and by name.
// CHECK-LABEL: @softmax
// CHECK: kernel.dispatch row
// CHECK: kernel.dispatch row
// CHECK-NOT: kernel.dispatch
func.func @softmax(%a: tensor<64x128xf32>, %n: tensor<32x128xf32>) -> (tensor<64x128xf32>, tensor<32x128xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %er = tensor.empty() : tensor<64xf32>
  %fl = linalg.fill ins(%low : f32) outs(%er : tensor<64xf32>) -> tensor<64xf32>
  %max = linalg.reduce { arith.maximumf } ins(%a : tensor<64x128xf32>) outs(%fl : tensor<64xf32>) dimensions = [1]
  %e = tensor.empty() : tensor<64x128xf32>
  %exp = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %max : tensor<64x128xf32>, tensor<64xf32>) outs(%e : tensor<64x128xf32>) {
  ^bb0(%x: f32, %m: f32, %o: f32):
    %d = arith.subf %x, %m : f32
    %y = math.exp %d : f32
    linalg.yield %y : f32
  } -> tensor<64x128xf32>
  %fz = linalg.fill ins(%zero : f32) outs(%er : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.reduce { arith.addf } ins(%exp : tensor<64x128xf32>) outs(%fz : tensor<64xf32>) dimensions = [1]
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<64x128xf32>, tensor<64xf32>) outs(%e : tensor<64x128xf32>) {
  ^bb0(%x: f32, %s: f32, %o: f32):
    %y = arith.divf %x, %s : f32
    linalg.yield %y : f32
  } -> tensor<64x128xf32>
  %g = tensor.empty() : tensor<32x128xf32>
  %named = linalg.softmax dimension(1) ins(%n : tensor<32x128xf32>) outs(%g : tensor<32x128xf32>) -> tensor<32x128xf32>
  return %r, %named : tensor<64x128xf32>, tensor<32x128xf32>
}

// -----

// A convolution: what is in front of it is computed where windows are written, what follows in the contraction.
// CHECK-LABEL: @convolution
// CHECK: kernel.dispatch loop
// CHECK: flatir.concatenate
// CHECK: flatir.window
// CHECK: kernel.dispatch gemm
// CHECK: flatir.dot
// CHECK: flatir.add
// CHECK: flatir.tanh
// CHECK-NOT: kernel.dispatch
func.func @convolution(%a: tensor<2x8x8x16xf32>, %w: tensor<3x3x16x32xf32>, %b: tensor<32xf32>) -> tensor<2x8x8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %a low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x8x8x16xf32> to tensor<2x10x10x16xf32>
  %e = tensor.empty() : tensor<2x8x8x32xf32>
  %bias = linalg.broadcast ins(%b : tensor<32xf32>) outs(%e : tensor<2x8x8x32xf32>) dimensions = [0, 1, 2]
  %c = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<2x10x10x16xf32>, tensor<3x3x16x32xf32>) outs(%bias : tensor<2x8x8x32xf32>) -> tensor<2x8x8x32xf32>
  %t = linalg.tanh ins(%c : tensor<2x8x8x32xf32>) outs(%e : tensor<2x8x8x32xf32>) -> tensor<2x8x8x32xf32>
  return %t : tensor<2x8x8x32xf32>
}

// -----

// Between operations of trace.
// CHECK-LABEL: @mixed
// CHECK: kernel.dispatch loop
// CHECK: flatir.exp
// CHECK: flatir.sqrt
// CHECK: flatir.neg
// CHECK-NOT: kernel.dispatch
func.func @mixed(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = flatir.exp %a : tensor<64x64xf32>
  %e = tensor.empty() : tensor<64x64xf32>
  %1 = linalg.sqrt ins(%0 : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = flatir.neg %1 : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}
