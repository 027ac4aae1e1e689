// Blocks of a cluster on CUDA cores divide K, and then the rows that they add up.
//
// RUN: tripy-opt %s --kernel-emit-cuda | FileCheck %s

// CHECK-LABEL: kernel.func @few
// CHECK-SAME: grid = () -> (96, 1, 1), block = [128, 1, 1], cluster = [8, 1, 1]
// CHECK: scf.for
// CHECK: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
// CHECK: nvvm.mapa
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<7> -> vector<4xf32>
// CHECK: nvvm.cluster.arrive
// CHECK: llvm.store {{.*}} : vector<4xf32>, !llvm.ptr<1>
// CHECK: nvvm.cluster.wait
kernel.func @few gemm sizeArgs = [] {schedule = #kernel.simt_schedule<tile = [64, 64], threads = 128, stages = 4, k = 16, splitK = 8, resident = 512>} : (tensor<192x4096xf32>, tensor<256x4096xf32>) -> tensor<192x256xf32> {
^bb0(%a: tensor<192x4096xf32>, %b: tensor<256x4096xf32>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<192x256xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<192x256xf32>) -> tensor<192x256xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<192x4096xf32>, tensor<256x4096xf32>) outs(%f : tensor<192x256xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<192x256xf32>
  kernel.yield %r : tensor<192x256xf32>
}
