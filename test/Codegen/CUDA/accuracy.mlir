// RUN: tripy-opt %s --split-input-file --kernel-emit-cuda | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Both ends of the exponential are rounded to f16: the sum's, through shuffles,
// and the element's. The quotient is marked as well.
// CHECK-LABEL: gpu.func @softmax
// CHECK: math.exp %{{.*}} {tripy.feeds_f16} : f32
// CHECK: gpu.shuffle
// CHECK: arith.divf %{{.*}}, %{{.*}} {tripy.feeds_f16} : f32
kernel.func @softmax row sizeArgs = [] : (tensor<8x64xf16>) -> tensor<8x64xf16> {
^bb0(%a: tensor<8x64xf16>):
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<8x64xf16>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%i: f16, %o: f32):
    %w = arith.extf %i : f16 to f32
    %y = math.exp %w : f32
    linalg.yield %y : f32
  } -> tensor<8x64xf32>
  %re = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%re : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x64xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %t = arith.addf %o, %i : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  %h = tensor.empty() : tensor<8x64xf16>
  %q = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<8x64xf32>, tensor<8xf32>) outs(%h : tensor<8x64xf16>) {
  ^bb0(%i: f32, %d: f32, %o: f16):
    %t = arith.divf %i, %d : f32
    %n = arith.truncf %t : f32 to f16
    linalg.yield %n : f16
  } -> tensor<8x64xf16>
  kernel.yield %q : tensor<8x64xf16>
}

// -----

// The sum is stored as f32: what it adds up stays accurate.
// CHECK-LABEL: gpu.func @stored
// CHECK-NOT: tripy.feeds
// CHECK: gpu.return
kernel.func @stored row sizeArgs = [] : (tensor<8x64xf16>) -> tensor<8xf32> {
^bb0(%a: tensor<8x64xf16>):
  %zero = arith.constant 0.0 : f32
  %re = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%re : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<8x64xf16>) outs(%f : tensor<8xf32>) {
  ^bb0(%i: f16, %o: f32):
    %w = arith.extf %i : f16 to f32
    %y = math.exp %w : f32
    %t = arith.addf %o, %y : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  kernel.yield %s : tensor<8xf32>
}

// -----

// A comparison decides by small differences: what it reads stays accurate. An
// end in bf16 may be below the normal f32.
// CHECK-LABEL: gpu.func @compared
// CHECK: math.exp %{{[a-z0-9_]+}} : f32
// CHECK: math.exp %{{.*}} {tripy.feeds16} : f32
kernel.func @compared loop sizeArgs = [] : (tensor<1xf32>) -> tensor<1xbf16> {
^bb0(%a: tensor<1xf32>):
  %e = tensor.empty() : tensor<1xbf16>
  %x = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : tensor<1xf32>) outs(%e : tensor<1xbf16>) {
  ^bb0(%i: f32, %o: bf16):
    %y = math.exp %i : f32
    %c = arith.cmpf olt, %y, %i : f32
    %m = arith.negf %i : f32
    %z = math.exp %m : f32
    %t = arith.select %c, %z, %i : f32
    %n = arith.truncf %t : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<1xbf16>
  kernel.yield %x : tensor<1xbf16>
}
