// Tiles on CUDA cores that are left behind whole waves are split along K: their
// blocks leave sums in memory, and the last one of a tile adds all of them.
//
// RUN: tripy-opt %s --split-input-file --kernel-emit-cuda | FileCheck %s
// RUN: tripy-opt %s --split-input-file --kernel-emit-cuda=chip=sm_80 | FileCheck %s --check-prefix=OLDER

// 300 tiles: 264 that all run at once, two on each of 132 multiprocessors, and
// 36 in 5 parts each. A part has 64 KB.
// CHECK-LABEL: kernel.func @static
// CHECK-SAME: grid = () -> (444, 1, 1), block = [256, 1, 1], cluster = [1, 1, 1], scratch = 0 workspace = [11796480, 144]
// CHECK: gpu.func @static
// CHECK: %[[IS_PART:.*]] = arith.cmpi uge, %{{.*}}, %c264
// CHECK: scf.for {{.*}} step %c16
// CHECK: math.fma
// One epilogue, for whole tiles and for the last parts.
// CHECK: %[[JOINED:.*]]:65 = scf.if %[[IS_PART]] -> ({{.*}}, i1)
// CHECK-COUNT-16: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK: gpu.barrier
// CHECK: atom.acq_rel.gpu.global.inc.u32
// CHECK: gpu.barrier
// CHECK: scf.for
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-COUNT-4: arith.addf
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: scf.if %[[JOINED]]#64
// CHECK-NOT: scf.if %[[IS_PART]]

// On a GPU with 108 multiprocessors, 216 tiles and 84 of 5 parts.
// OLDER-LABEL: kernel.func @static
// OLDER-SAME: grid = () -> (636, 1, 1)
kernel.func @static gemm sizeArgs = [] {schedule = #kernel.simt_schedule<tile = [128, 128], threads = 256, stages = 2, k = 16, tailSplitK = 5, resident = 512>} : (tensor<1907x10240xf32>, tensor<2560x10240xf32>) -> tensor<1907x2560xf32> {
^bb0(%a: tensor<1907x10240xf32>, %b: tensor<2560x10240xf32>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1907x2560xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1907x2560xf32>) -> tensor<1907x2560xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<1907x10240xf32>, tensor<2560x10240xf32>) outs(%f : tensor<1907x2560xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<1907x2560xf32>
  kernel.yield %r : tensor<1907x2560xf32>
}

// -----

// Sizes that are not known: what is left is computed, and there is memory for
// all that may be, 527 tiles of 3 parts of 16 KB.
// CHECK-LABEL: kernel.func @dynamic
// CHECK-SAME: mod 528
// CHECK-SAME: workspace = [25903104, 2108]
kernel.func @dynamic gemm sizeArgs = [2, 2] {schedule = #kernel.simt_schedule<tile = [64, 64], threads = 128, stages = 4, k = 16, tailSplitK = 3, resident = 512>} : (tensor<?x512xf32>, tensor<256x512xf32>, index) -> tensor<?x256xf32> {
^bb0(%a: tensor<?x512xf32>, %b: tensor<256x512xf32>, %rows: index):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty(%rows) : tensor<?x256xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x256xf32>) -> tensor<?x256xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<?x512xf32>, tensor<256x512xf32>) outs(%f : tensor<?x256xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x256xf32>
  kernel.yield %r : tensor<?x256xf32>
}
