// RUN: tripy-opt %s --split-input-file --kernel-emit-cuda --canonicalize --cse | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// A short row is a warp's: it is loaded once, and both passes use the
// registers.
// CHECK: kernel.func @short row {{.*}} config = <grid = ()[s0] -> (s0 ceildiv 4, 1, 1), block = [128, 1, 1]
// CHECK: gpu.func @short
// CHECK-COUNT-1: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-NOT: llvm.load
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: gpu.barrier
// CHECK-NOT: llvm.load
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>
kernel.func @short row sizeArgs = [1, 1] : (tensor<?x128xf32>, index) -> tensor<?x128xf32> {
^bb0(%a: tensor<?x128xf32>, %n: index):
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<?x128xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.addf %o, %x : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?x128xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %s : tensor<?x128xf32>, tensor<?xf32>) outs(%e : tensor<?x128xf32>) {
  ^bb0(%x: f32, %t: f32, %o: f32):
    %y = arith.divf %x, %t : f32
    linalg.yield %y : f32
  } -> tensor<?x128xf32>
  kernel.yield %r : tensor<?x128xf32>
}

// -----

// A row of dynamic length: a block's threads loop over it.
// CHECK: kernel.func @dynamic row {{.*}} config = <grid = ()[s0, s1] -> (s0, 1, 1), block = [256, 1, 1]
// CHECK: gpu.func @dynamic
// CHECK: scf.for
// CHECK: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK: gpu.shuffle xor
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<1>
kernel.func @dynamic row sizeArgs = [1, 2, 1] : (tensor<?x?xf32>, index, index) -> tensor<?xf32> {
^bb0(%a: tensor<?x?xf32>, %n: index, %m: index):
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.addf %o, %x : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  kernel.yield %s : tensor<?xf32>
}

// -----

// A row of more than 32768 columns belongs to a cluster, whose blocks keep 32
// columns for each thread and join through each other's shared memory.
// CHECK: kernel.func @long row {{.*}} config = <grid = () -> (28, 1, 1), block = [512, 1, 1], cluster = [4, 1, 1]
kernel.func @long row sizeArgs = [] : (tensor<7x50000xf32>) -> tensor<7xf32> {
^bb0(%a: tensor<7x50000xf32>):
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<7xf32>) -> tensor<7xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<7x50000xf32>) outs(%f : tensor<7xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %o, %x : f32
    linalg.yield %s : f32
  } -> tensor<7xf32>
  kernel.yield %0 : tensor<7xf32>
}
// CHECK: gpu.func @long
// CHECK-NOT: scf.for
// CHECK: nvvm.cluster.arrive
// CHECK: nvvm.cluster.wait
// CHECK-COUNT-4: nvvm.mapa
// CHECK: nvvm.cluster.arrive
// CHECK: nvvm.cluster.wait
// CHECK: gpu.return
