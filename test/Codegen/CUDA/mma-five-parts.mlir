// Five contractions side by side have one tile whose warps have columns of each, also where K is long and copies are short.
//
// RUN: tripy-opt %s --kernel-choose-schedules=chip=sm_90a | FileCheck %s
// CHECK: #kernel.mma_schedule<tile = [128, 256],
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#i = affine_map<(m, n) -> (m, n)>
kernel.func @dot gemm sizeArgs = [] : (tensor<130x1540xf16>, tensor<77x1540xf16>, tensor<77x1540xf16>, tensor<77x1540xf16>, tensor<77x1540xf16>, tensor<77x1540xf16>) -> tensor<130x77xf32> {
^bb0(%x: tensor<130x1540xf16>, %w0: tensor<77x1540xf16>, %w1: tensor<77x1540xf16>, %w2: tensor<77x1540xf16>, %w3: tensor<77x1540xf16>, %w4: tensor<77x1540xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<130x77xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e : tensor<130x77xf32>) -> tensor<130x77xf32>
  %p0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w0 : tensor<130x1540xf16>, tensor<77x1540xf16>) outs(%f0 : tensor<130x77xf32>) {
  ^bb0(%u: f16, %v: f16, %t: f32):
    %u1 = arith.extf %u : f16 to f32
    %v1 = arith.extf %v : f16 to f32
    %m = arith.mulf %u1, %v1 : f32
    %r = arith.addf %t, %m : f32
    linalg.yield %r : f32
  } -> tensor<130x77xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e : tensor<130x77xf32>) -> tensor<130x77xf32>
  %p1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w1 : tensor<130x1540xf16>, tensor<77x1540xf16>) outs(%f1 : tensor<130x77xf32>) {
  ^bb0(%u: f16, %v: f16, %t: f32):
    %u1 = arith.extf %u : f16 to f32
    %v1 = arith.extf %v : f16 to f32
    %m = arith.mulf %u1, %v1 : f32
    %r = arith.addf %t, %m : f32
    linalg.yield %r : f32
  } -> tensor<130x77xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e : tensor<130x77xf32>) -> tensor<130x77xf32>
  %p2 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w2 : tensor<130x1540xf16>, tensor<77x1540xf16>) outs(%f2 : tensor<130x77xf32>) {
  ^bb0(%u: f16, %v: f16, %t: f32):
    %u1 = arith.extf %u : f16 to f32
    %v1 = arith.extf %v : f16 to f32
    %m = arith.mulf %u1, %v1 : f32
    %r = arith.addf %t, %m : f32
    linalg.yield %r : f32
  } -> tensor<130x77xf32>
  %f3 = linalg.fill ins(%z : f32) outs(%e : tensor<130x77xf32>) -> tensor<130x77xf32>
  %p3 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w3 : tensor<130x1540xf16>, tensor<77x1540xf16>) outs(%f3 : tensor<130x77xf32>) {
  ^bb0(%u: f16, %v: f16, %t: f32):
    %u1 = arith.extf %u : f16 to f32
    %v1 = arith.extf %v : f16 to f32
    %m = arith.mulf %u1, %v1 : f32
    %r = arith.addf %t, %m : f32
    linalg.yield %r : f32
  } -> tensor<130x77xf32>
  %f4 = linalg.fill ins(%z : f32) outs(%e : tensor<130x77xf32>) -> tensor<130x77xf32>
  %p4 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w4 : tensor<130x1540xf16>, tensor<77x1540xf16>) outs(%f4 : tensor<130x77xf32>) {
  ^bb0(%u: f16, %v: f16, %t: f32):
    %u1 = arith.extf %u : f16 to f32
    %v1 = arith.extf %v : f16 to f32
    %m = arith.mulf %u1, %v1 : f32
    %r = arith.addf %t, %m : f32
    linalg.yield %r : f32
  } -> tensor<130x77xf32>
  %s1 = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel", "parallel"]} ins(%p0, %p1 : tensor<130x77xf32>, tensor<130x77xf32>) outs(%e : tensor<130x77xf32>) {
  ^bb0(%u: f32, %v: f32, %t: f32):
    %r = arith.maximumf %u, %v : f32
    linalg.yield %r : f32
  } -> tensor<130x77xf32>
  %s2 = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel", "parallel"]} ins(%s1, %p2 : tensor<130x77xf32>, tensor<130x77xf32>) outs(%e : tensor<130x77xf32>) {
  ^bb0(%u: f32, %v: f32, %t: f32):
    %r = arith.maximumf %u, %v : f32
    linalg.yield %r : f32
  } -> tensor<130x77xf32>
  %s3 = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel", "parallel"]} ins(%s2, %p3 : tensor<130x77xf32>, tensor<130x77xf32>) outs(%e : tensor<130x77xf32>) {
  ^bb0(%u: f32, %v: f32, %t: f32):
    %r = arith.maximumf %u, %v : f32
    linalg.yield %r : f32
  } -> tensor<130x77xf32>
  %s4 = linalg.generic {indexing_maps = [#i, #i, #i], iterator_types = ["parallel", "parallel"]} ins(%s3, %p4 : tensor<130x77xf32>, tensor<130x77xf32>) outs(%e : tensor<130x77xf32>) {
  ^bb0(%u: f32, %v: f32, %t: f32):
    %r = arith.maximumf %u, %v : f32
    linalg.yield %r : f32
  } -> tensor<130x77xf32>
  kernel.yield %s4 : tensor<130x77xf32>
}
