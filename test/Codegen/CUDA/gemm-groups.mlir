// RUN: tripy-opt %s --kernel-emit-cuda=chip=sm_80 --split-input-file --verify-diagnostics | FileCheck %s

// Kernels of several contractions, on CUDA cores.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// One result of two contractions: tiles side by side, slices of both weights.
// CHECK: kernel.func @together gemm
// CHECK-SAME: grid = ()[s0] -> (s0 ceildiv {{[0-9]+}}, 1, 1)
kernel.func @together gemm sizeArgs = [2, 2] : (tensor<?x16xf32>, tensor<8x16xf32>, index) -> tensor<?x4xf32> {
^bb0(%x: tensor<?x16xf32>, %w: tensor<8x16xf32>, %m: index):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : tensor<?x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %w0 = tensor.extract_slice %w[0, 0] [4, 16] [1, 1] : tensor<8x16xf32> to tensor<4x16xf32>
  %w1 = tensor.extract_slice %w[4, 0] [4, 16] [1, 1] : tensor<8x16xf32> to tensor<4x16xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w0 : tensor<?x16xf32>, tensor<4x16xf32>) outs(%f : tensor<?x4xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %3 = arith.mulf %l, %r : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<?x4xf32>
  %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w1 : tensor<?x16xf32>, tensor<4x16xf32>) outs(%f : tensor<?x4xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %3 = arith.mulf %l, %r : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<?x4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %1 : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %3 = arith.mulf %l, %r : f32
    linalg.yield %3 : f32
  } -> tensor<?x4xf32>
  kernel.yield %2 : tensor<?x4xf32>
}

// Two results of a contraction each, of different widths: blocks of their own.
// CHECK: kernel.func @apart gemm
// CHECK-SAME: grid = ()[s0] -> ({{.*}}s0 ceildiv {{.*}}, 1, 1)
kernel.func @apart gemm sizeArgs = [3, 3, 3] : (tensor<?x16xf32>, tensor<100x16xf32>, tensor<8x16xf32>, index) -> (tensor<?x100xf32>, tensor<?x8xf32>) {
^bb0(%x: tensor<?x16xf32>, %v: tensor<100x16xf32>, %w: tensor<8x16xf32>, %m: index):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : tensor<?x100xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x100xf32>) -> tensor<?x100xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %v : tensor<?x16xf32>, tensor<100x16xf32>) outs(%f : tensor<?x100xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %3 = arith.mulf %l, %r : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<?x100xf32>
  %g = tensor.empty(%m) : tensor<?x8xf32>
  %h = linalg.fill ins(%z : f32) outs(%g : tensor<?x8xf32>) -> tensor<?x8xf32>
  %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x16xf32>, tensor<8x16xf32>) outs(%h : tensor<?x8xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %3 = arith.mulf %l, %r : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<?x8xf32>
  kernel.yield %0, %1 : tensor<?x100xf32>, tensor<?x8xf32>
}

// CHECK: gpu.func @together
// CHECK: gpu.func @apart

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// Contractions that meet must iterate alike over one first operand.
kernel.func @differ gemm sizeArgs = [] : (tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x4xf32> {
^bb0(%x: tensor<4x16xf32>, %y: tensor<4x16xf32>, %w: tensor<4x16xf32>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<4x16xf32>, tensor<4x16xf32>) outs(%f : tensor<4x4xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %3 = arith.mulf %l, %r : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<4x4xf32>
  // expected-error@+1 {{contractions that one result depends on must have the same loops and first operand}}
  %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y, %w : tensor<4x16xf32>, tensor<4x16xf32>) outs(%f : tensor<4x4xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %3 = arith.mulf %l, %r : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<4x4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %1 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %3 = arith.mulf %l, %r : f32
    linalg.yield %3 : f32
  } -> tensor<4x4xf32>
  kernel.yield %2 : tensor<4x4xf32>
}
