// RUN: tripy-opt %s --kernel-emit-cuda --canonicalize --cse | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>

// A transpose goes through tiles of 64 x 64 in shared memory.
// CHECK: kernel.func @swap loop {{.*}} config = <grid = ()[s0] -> (s0 ceildiv 64, 1, 1), block = [256, 1, 1]
kernel.func @swap loop sizeArgs = [1, 1] : (tensor<64x?xf16>, index) -> tensor<?x64xf16> {
^bb0(%a: tensor<64x?xf16>, %n: index):
  %e = tensor.empty(%n) : tensor<?x64xf16>
  %0 = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<64x?xf16>) outs(%e : tensor<?x64xf16>) {
  ^bb0(%x: f16, %o: f16):
    linalg.yield %x : f16
  } -> tensor<?x64xf16>
  kernel.yield %0 : tensor<?x64xf16>
}

// Sizes that hold whole vectors: 16 bytes on both sides.
// CHECK: kernel.func @vectors loop {{.*}} config = <grid = () -> (256, 1, 1)
kernel.func @vectors loop sizeArgs = [] : (tensor<968x976xf16>) -> tensor<976x968xf16> {
^bb0(%a: tensor<968x976xf16>):
  %e = tensor.empty() : tensor<976x968xf16>
  %0 = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<968x976xf16>) outs(%e : tensor<976x968xf16>) {
  ^bb0(%x: f16, %o: f16):
    linalg.yield %x : f16
  } -> tensor<976x968xf16>
  kernel.yield %0 : tensor<976x968xf16>
}

// Rows of 964 elements hold vectors of 8 bytes.
// CHECK: kernel.func @narrow loop {{.*}} config = <grid = () -> (256, 1, 1)
kernel.func @narrow loop sizeArgs = [] : (tensor<964x976xf16>) -> tensor<976x964xf16> {
^bb0(%a: tensor<964x976xf16>):
  %e = tensor.empty() : tensor<976x964xf16>
  %0 = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<964x976xf16>) outs(%e : tensor<976x964xf16>) {
  ^bb0(%x: f16, %o: f16):
    linalg.yield %x : f16
  } -> tensor<976x964xf16>
  kernel.yield %0 : tensor<976x964xf16>
}

// Tiles of 32 x 32 where there are no 132 of 64 x 64.
// CHECK: kernel.func @small loop {{.*}} config = <grid = () -> (169, 1, 1)
kernel.func @small loop sizeArgs = [] : (tensor<392x400xf16>) -> tensor<400x392xf16> {
^bb0(%a: tensor<392x400xf16>):
  %e = tensor.empty() : tensor<400x392xf16>
  %0 = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<392x400xf16>) outs(%e : tensor<400x392xf16>) {
  ^bb0(%x: f16, %o: f16):
    linalg.yield %x : f16
  } -> tensor<400x392xf16>
  kernel.yield %0 : tensor<400x392xf16>
}

// Few elements: a thread has one, and no tile.
// CHECK: kernel.func @few loop {{.*}} config = <grid = () -> (23, 1, 1)
kernel.func @few loop sizeArgs = [] : (tensor<72x80xf16>) -> tensor<80x72xf16> {
^bb0(%a: tensor<72x80xf16>):
  %e = tensor.empty() : tensor<80x72xf16>
  %0 = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<72x80xf16>) outs(%e : tensor<80x72xf16>) {
  ^bb0(%x: f16, %o: f16):
    linalg.yield %x : f16
  } -> tensor<80x72xf16>
  kernel.yield %0 : tensor<80x72xf16>
}

// A tensor that is read both ways is not taken from a tile.
// CHECK: kernel.func @both loop {{.*}} config = <grid = () -> (2, 1, 1)
kernel.func @both loop sizeArgs = [] : (tensor<64x64xf16>) -> tensor<64x64xf16> {
^bb0(%a: tensor<64x64xf16>):
  %e = tensor.empty() : tensor<64x64xf16>
  %0 = linalg.generic {indexing_maps = [#swap, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %a : tensor<64x64xf16>, tensor<64x64xf16>) outs(%e : tensor<64x64xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %s = arith.addf %x, %y : f16
    linalg.yield %s : f16
  } -> tensor<64x64xf16>
  kernel.yield %0 : tensor<64x64xf16>
}

// Nor is one whose other dimension is short.
// CHECK: kernel.func @short loop {{.*}} config = <grid = () -> (4, 1, 1)
kernel.func @short loop sizeArgs = [] : (tensor<3x320xf16>) -> tensor<320x3xf16> {
^bb0(%a: tensor<3x320xf16>):
  %e = tensor.empty() : tensor<320x3xf16>
  %0 = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<3x320xf16>) outs(%e : tensor<320x3xf16>) {
  ^bb0(%x: f16, %o: f16):
    linalg.yield %x : f16
  } -> tensor<320x3xf16>
  kernel.yield %0 : tensor<320x3xf16>
}

// 7 x 7 elements of a channel are 49 of one dimension, which a tile takes.
// CHECK: kernel.func @joined loop {{.*}} config = <grid = () -> (320, 1, 1), block = [256, 1, 1]
kernel.func @joined loop sizeArgs = [] : (tensor<64x320x7x7xf16>) -> tensor<64x7x7x320xf16> {
^bb0(%a: tensor<64x320x7x7xf16>):
  %e = tensor.empty() : tensor<64x7x7x320xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a : tensor<64x320x7x7xf16>) outs(%e : tensor<64x7x7x320xf16>) {
  ^bb0(%x: f16, %o: f16):
    linalg.yield %x : f16
  } -> tensor<64x7x7x320xf16>
  kernel.yield %0 : tensor<64x7x7x320xf16>
}

// Large tensors: tiles of 128 x 128 and 512 threads, whose lines leave the
// caches first.
// CHECK: kernel.func @large loop {{.*}} config = <grid = () -> (1024, 1, 1), block = [512, 1, 1]
kernel.func @large loop sizeArgs = [] : (tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
^bb0(%a: tensor<4096x4096xf16>):
  %e = tensor.empty() : tensor<4096x4096xf16>
  %0 = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4096x4096xf16>) outs(%e : tensor<4096x4096xf16>) {
  ^bb0(%x: f16, %o: f16):
    linalg.yield %x : f16
  } -> tensor<4096x4096xf16>
  kernel.yield %0 : tensor<4096x4096xf16>
}

// A row of 66 elements in the tile where threads read single elements down a
// column; 64, permuted, where they write vectors.
// CHECK-DAG: llvm.mlir.global internal @swap.tile0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4096 x f16>
// CHECK-DAG: llvm.mlir.global internal @vectors.tile0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4096 x f16>
// Rows of whole vectors, of words, and of any size.
// CHECK-LABEL: gpu.func @swap(
// CHECK: scf.if
// CHECK-COUNT-2: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK: gpu.barrier
// CHECK: } else {
// CHECK-COUNT-8: llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xf16>
// CHECK: gpu.barrier
// CHECK: } else {
// CHECK-COUNT-16: llvm.load %{{.*}} invariant {alignment = 2 : i64} : !llvm.ptr<1> -> f16
// CHECK: gpu.barrier
// CHECK-LABEL: gpu.func @vectors(
// CHECK-COUNT-2: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK: arith.xori
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK-COUNT-16: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<3> -> f16
// CHECK: scf.if
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
// CHECK-LABEL: gpu.func @narrow(
// CHECK-COUNT-2: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK: gpu.barrier
// CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 8 : i64} : vector<4xf16>, !llvm.ptr<1>
// CHECK-LABEL: gpu.func @few(
// CHECK-NOT: gpu.barrier
// CHECK: llvm.store %{{.*}} {alignment = 2 : i64} : f16, !llvm.ptr<1>
// CHECK-LABEL: gpu.func @both(
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
// CHECK-LABEL: gpu.func @large(
// CHECK-COUNT-4: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK: gpu.barrier
// CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
// CHECK: gpu.return
