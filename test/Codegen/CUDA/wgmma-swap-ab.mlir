// Few rows: the weight's rows are the instruction's 64 rows, those of the
// activations its columns.
// RUN: split-file %s %t
// RUN: tripy-compile %t/few.mlir --target=cuda --stop-after=kernels -o - | FileCheck %t/few.mlir
// RUN: tripy-compile %t/few.mlir --target=cuda --stop-after=ptx -o - | FileCheck %t/few.mlir --check-prefix=PTX
// RUN: tripy-compile %t/few.mlir --target=cuda --gemm-tile=64x64,cluster=1x4 --stop-after=kernels -o - | FileCheck %t/few.mlir --check-prefix=SHARED
// RUN: tripy-compile %t/few.mlir --target=cuda --gemm-tile=16x64,swapAB,stream --stop-after=kernels -o - | FileCheck %t/few.mlir --check-prefix=STREAM
// RUN: not tripy-compile %t/few.mlir --target=cuda --gemm-tile=16x96,swapAB --stop-after=kernels -o - 2>&1 | FileCheck %t/few.mlir --check-prefix=BAD
// RUN: tripy-compile %t/gated.mlir --target=cuda --gemm-tile=24x128,swapAB --stop-after=kernels -o - | FileCheck %t/gated.mlir
// RUN: tripy-compile %t/transposed.mlir --target=cuda --stop-after=kernels -o - | FileCheck %t/transposed.mlir
// RUN: not tripy-compile %t/transposed.mlir --target=cuda --gemm-tile=16x64,swapAB --stop-after=kernels -o - 2>&1 | FileCheck %t/transposed.mlir --check-prefix=ILLEGAL

//--- few.mlir
// 64 tiles for 132 multiprocessors: two blocks have a half of K each. Stages of
// the ring have 16 rows of A and 64 of B.
// CHECK: grid = () -> (128, 1, 1), block = [256, 1, 1], cluster = [2, 1, 1]
// CHECK-SAME: <buffer = 0, {{.*}} box = [64, 16], swizzle = 128>, <buffer = 1, {{.*}} box = [64, 64], swizzle = 128>]>
// CHECK: nvvm.wgmma.mma_async {{.*}}m = 64, n = 16, k = 16

// The tile is turned round in shared memory: sums of both blocks are read, and
// results written, 16 bytes at a time.
// PTX: wgmma.mma_async.sync.aligned.m64n16k16
// PTX: cp.async.bulk.shared::cluster.shared::cta
// PTX: ld.shared.v4
// PTX: st.global.v4
// PTX-NOT: .local

// What was there before: blocks share A, and no more clusters than run at the
// same time take tiles.
// SHARED: grid = () -> (112, 1, 1), block = [256, 1, 1], cluster = [4, 1, 1]
// SHARED-SAME: box = [64, 8]
// SHARED: nvvm.cp.async.bulk.tensor{{.*}} multicast_mask
// SHARED: mbarrier.arrive.shared::cluster

// STREAM: grid = () -> (132, 1, 1), block = [256, 1, 1], cluster = [1, 1, 1], {{.*}} workspace = [540672, 528]
// BAD: error: a tile must be such as
func.func @main(%x: tensor<16x4096xf16>, %w: tensor<4096x4096xf16>, %c: tensor<4096xf16>) -> tensor<16x4096xf16> {
  %y = trace.linear %x, %w, %c : (tensor<16x4096xf16>, tensor<4096x4096xf16>, tensor<4096xf16>) -> tensor<16x4096xf16>
  return %y : tensor<16x4096xf16>
}

//--- gated.mlir
// Value and gate: 64 columns of each, which a thread has at the same place.
// CHECK: <buffer = 1, {{.*}} box = [64, 24], swizzle = 128>, <buffer = 0, {{.*}} box = [64, 64], swizzle = 128>, <buffer = 0, {{.*}} box = [64, 64], swizzle = 128>]>
// CHECK-COUNT-8: nvvm.wgmma.mma_async {{.*}}m = 64, n = 24, k = 16
func.func @main(%x: tensor<20x512xf16>, %w: tensor<2048x512xf16>) -> tensor<20x1024xf16> {
  %p = trace.linear %x, %w : (tensor<20x512xf16>, tensor<2048x512xf16>) -> tensor<20x2048xf16>
  %h, %g = trace.split %p dim = 1 sizes = [1024, 1024] : (tensor<20x2048xf16>) -> (tensor<20x1024xf16>, tensor<20x1024xf16>)
  %a = trace.silu %g : (tensor<20x1024xf16>) -> tensor<20x1024xf16>
  %y = trace.mul %h, %a : (tensor<20x1024xf16>, tensor<20x1024xf16>) -> tensor<20x1024xf16>
  return %y : tensor<20x1024xf16>
}

//--- transposed.mlir
// Copies of an A that is contiguous along M have 64 rows: not this way.
// CHECK: nvvm.wgmma.mma_async
// CHECK-NOT: n = 16, k = 16
// ILLEGAL: error: the tile that is asked for, 16x64,swapAB, is illegal: with swapAB, A is contiguous along K: other copies have 64 rows
func.func @main(%x: tensor<4096x16xf16>, %w: tensor<4096x4096xf16>) -> tensor<16x4096xf16> {
  %t = trace.permute %x [1, 0] : (tensor<4096x16xf16>) -> tensor<16x4096xf16>
  %y = trace.linear %t, %w : (tensor<16x4096xf16>, tensor<4096x4096xf16>) -> tensor<16x4096xf16>
  return %y : tensor<16x4096xf16>
}
