// Reductions down columns whose rows are no multiple of 16 bytes.
//
// RUN: tripy-opt %s --kernel-emit-cuda --canonicalize --cse | FileCheck %s

// Rows of a size that is not known: together with the dimensions in front they
// are a multiple of 16 bytes, which a thread reads of each of four rows.
// CHECK: kernel.func @flat reduce {{.*}} config = <grid = ()[s0] -> (s0 * 11, 1, 1), block = [256, 1, 1], cluster = [1, 1, 1]
kernel.func @flat reduce sizeArgs = [1, 1] {sizes = #kernel.sizes<[1, 44, 88]>} : (tensor<4x512x44x?xf16>, index) -> tensor<512x44x?xf16> {
^bb0(%a: tensor<4x512x44x?xf16>, %n: index):
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<512x44x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<512x44x?xf32>) -> tensor<512x44x?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (b, c, d)>], iterator_types = ["reduction", "parallel", "parallel", "parallel"]} ins(%a : tensor<4x512x44x?xf16>) outs(%f : tensor<512x44x?xf32>) {
  ^bb0(%x: f16, %o: f32):
    %w = arith.extf %x : f16 to f32
    %s = arith.addf %o, %w : f32
    linalg.yield %s : f32
  } -> tensor<512x44x?xf32>
  %r = tensor.empty(%n) : tensor<512x44x?xf16>
  %1 = linalg.generic {indexing_maps = [affine_map<(b, c, d) -> (b, c, d)>, affine_map<(b, c, d) -> (b, c, d)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%0 : tensor<512x44x?xf32>) outs(%r : tensor<512x44x?xf16>) {
  ^bb0(%x: f32, %o: f16):
    %h = arith.truncf %x : f32 to f16
    linalg.yield %h : f16
  } -> tensor<512x44x?xf16>
  kernel.yield %1 : tensor<512x44x?xf16>
}

// A sum that is scaled by something of the last dimension alone: neighbours of
// the last two dimensions are no run.
// CHECK: kernel.func @scaled reduce {{.*}} config = <grid = () -> (14, 1, 1), block = [256, 1, 1]
kernel.func @scaled reduce sizeArgs = [] : (tensor<4x24x37xf32>, tensor<37xf32>) -> tensor<24x37xf32> {
^bb0(%a: tensor<4x24x37xf32>, %b: tensor<37xf32>):
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24x37xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x37xf32>) -> tensor<24x37xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (c)>, affine_map<(a, b, c) -> (b, c)>], iterator_types = ["reduction", "parallel", "parallel"]} ins(%a, %b : tensor<4x24x37xf32>, tensor<37xf32>) outs(%f : tensor<24x37xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %w = arith.mulf %x, %y : f32
    %s = arith.addf %o, %w : f32
    linalg.yield %s : f32
  } -> tensor<24x37xf32>
  kernel.yield %0 : tensor<24x37xf32>
}

// Many outputs of four rows each: a thread has all of one, and none waits.
// CHECK: kernel.func @short reduce {{.*}} config = <grid = () -> (467, 1, 1), block = [256, 1, 1]
kernel.func @short reduce sizeArgs = [] : (tensor<2437x4x49xf32>) -> tensor<2437x49xf32> {
^bb0(%a: tensor<2437x4x49xf32>):
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2437x49xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<2437x49xf32>) -> tensor<2437x49xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, c)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%a : tensor<2437x4x49xf32>) outs(%f : tensor<2437x49xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.maximumf %o, %x : f32
    linalg.yield %s : f32
  } -> tensor<2437x49xf32>
  kernel.yield %0 : tensor<2437x49xf32>
}

// CHECK-LABEL: gpu.func @flat(
// CHECK-COUNT-4: ld.global.nc.L1::no_allocate.v4.b32
// CHECK-NOT: gpu.barrier
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
// CHECK-LABEL: gpu.func @scaled(
// CHECK-NOT: vector<4xf32>
// CHECK-LABEL: gpu.func @short(
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
