// The forms of tensor-core kernels, by what they read and write.
// RUN: split-file %s %t
// RUN: tripy-compile %t/split.mlir --target=cuda --gemm-tile=128x192,split=3 --stop-after=kernels -o - | FileCheck %t/split.mlir
// RUN: tripy-compile %t/split.mlir --target=cuda --gemm-tile=64x192,cluster=2x4 --stop-after=kernels -o - | FileCheck %t/split.mlir --check-prefix=SHARE
// RUN: tripy-compile %t/split.mlir --target=cuda --gemm-tile=160x128,cluster=2x4,swapAB --stop-after=kernels -o - | FileCheck %t/split.mlir --check-prefix=SWAP
// RUN: tripy-compile %t/split.mlir --target=cuda --stop-after=kernels -o - | FileCheck %t/split.mlir --check-prefix=MODEL
// RUN: tripy-compile %t/odd.mlir --target=cuda --gemm-tile=128x64 --stop-after=kernels -o - | FileCheck %t/odd.mlir
// RUN: tripy-compile %t/residual.mlir --target=cuda --stop-after=kernels -o - | FileCheck %t/residual.mlir
// RUN: tripy-compile %t/residuals.mlir --target=cuda --stop-after=kernels -o - | FileCheck %t/residuals.mlir
// RUN: tripy-compile %t/gated.mlir --target=cuda --stop-after=kernels -o - | FileCheck %t/gated.mlir
// RUN: tripy-compile %t/types.mlir --target=cuda --gemm-tile=64x64 --stop-after=kernels -o - | FileCheck %t/types.mlir
// RUN: tripy-compile %t/exact.mlir --target=cuda --stop-after=kernels -o - | FileCheck %t/exact.mlir
// RUN: tripy-compile %t/batch.mlir --target=cuda --stop-after=kernels -o - | FileCheck %t/batch.mlir
// RUN: tripy-compile %t/types.mlir --target=cuda --gemm-tile=64x64,split=2 --stop-after=kernels -o - | FileCheck %t/types.mlir --check-prefix=WANTED
// RUN: tripy-compile %t/words.mlir --target=cuda --stop-after=schedules -o - | FileCheck %t/words.mlir --check-prefix=WORDS
// RUN: not tripy-compile %t/types.mlir --target=cuda --gemm-tile=64x --stop-after=kernels -o - 2>&1 | FileCheck %t/types.mlir --check-prefix=BAD

//--- split.mlir
// Few tiles and a long K: three blocks have a part of K each. A block sends each
// other one the rows that it finishes, and adds up what it gets in one order.
// CHECK: grid = () -> (144, 1, 1), block = [384, 1, 1], cluster = [3, 1, 1]
// CHECK: nvvm.wgmma.mma_async
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-COUNT-3: cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes
// CHECK: mbarrier.try_wait
// CHECK-COUNT-6: llvm.load {{.*}}!llvm.ptr<3> -> vector<4xf32>
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
// CHECK: nvvm.cluster.arrive.relaxed
// Rows of 12432 bytes begin within lines: 2 x 4 blocks share the k-blocks of both
// operands, 64 / 4 and 192 / 2 rows of which each of them copies.
// SHARE: cluster = [8, 1, 1]
// SHARE-SAME: box = [64, 16]
// SHARE-SAME: box = [64, 96]
// SHARE: nvvm.cp.async.bulk.tensor{{.*}} multicast_mask
// SHARE: nvvm.cp.async.bulk.tensor{{.*}} multicast_mask
// SHARE: mbarrier.arrive.shared::cluster

// 300 rows are two tiles of 160 with swapAB, with hardly a row beyond
// the end: two consumers, 64 rows of the weight each.
// SWAP: block = [384, 1, 1], cluster = [8, 1, 1]
// SWAP-SAME: box = [64, 40]
// SWAP-SAME: box = [64, 64]
// SWAP: nvvm.wgmma.mma_async {{.*}}m = 64, n = 160, k = 16
// The model shares the k-blocks of such rows among eight blocks as well.
// MODEL: cluster = [8, 1, 1]
// MODEL-SAME: box = [64, 40]
// MODEL: nvvm.wgmma.mma_async {{.*}}m = 64, n = 160, k = 16
func.func @main(%x: tensor<300x6216xf16>, %w: tensor<3000x6216xf16>) -> tensor<300x3000xf16> {
  %y = trace.linear %x, %w : (tensor<300x6216xf16>, tensor<3000x6216xf16>) -> tensor<300x3000xf16>
  return %y : tensor<300x3000xf16>
}

//--- odd.mlir
// Rows of the result that are no multiple of 16 bytes: neighbouring threads
// store neighbouring elements.
// CHECK: tensor_maps = [<buffer = 0, {{.*}}>, <buffer = 1, {{.*}}>]>
// CHECK: nvvm.stmatrix
// CHECK: llvm.store {{.*}} {alignment = 2 : i64} : vector<1xf16>, !llvm.ptr<1>
func.func @main(%x: tensor<512x512xf16>, %w: tensor<511x512xf16>) -> tensor<512x511xf16> {
  %y = trace.linear %x, %w : (tensor<512x512xf16>, tensor<511x512xf16>) -> tensor<512x511xf16>
  return %y : tensor<512x511xf16>
}

//--- residual.mlir
// A tensor like the result comes in the result's boxes, which it leaves for the
// sums.
// CHECK: tensor_maps = [<buffer = 0, {{.*}}>, <buffer = 1, {{.*}}>, <buffer = 3, {{.*}}>, <buffer = 2, {{.*}}>]>
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK: nvvm.wgmma.mma_async
// CHECK: llvm.load {{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<2xf16>
// CHECK: nvvm.stmatrix
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
func.func @main(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>, %r: tensor<512x512xf16>) -> tensor<512x512xf16> {
  %y = trace.linear %x, %w : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
  %z = trace.add %y, %r : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
  return %z : tensor<512x512xf16>
}

//--- residuals.mlir
// Two of them, or one that is read at other places, are read in runs of a row.
// CHECK: tensor_maps = [<buffer = 0, {{.*}}>, <buffer = 1, {{.*}}>]>
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
func.func @main(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>, %r: tensor<512x512xf16>, %s: tensor<512x512xf16>) -> tensor<512x512xf16> {
  %y = trace.linear %x, %w : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
  %z = trace.add %y, %r : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
  %t = trace.mul %z, %s : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
  return %t : tensor<512x512xf16>
}

//--- gated.mlir
// Both halves of a weight are columns of one tile: maps of its rows from 0 and
// from 1024 on.
// CHECK: kernel.func @main_gemm
// CHECK-SAME: tensor_maps = [<buffer = 1, {{.*}}>, <buffer = 0, dims = () -> (512, 1024), {{[^>]*->[^>]*}}>, <buffer = 0, dims = () -> (512, 2048), {{[^>]*->[^>]*}}>, <buffer = 2, dims = () -> (1024, 4096)
// CHECK-NOT: kernel.func
func.func @main(%x: tensor<4096x512xf16>, %w: tensor<2048x512xf16>) -> tensor<4096x1024xf16> {
  %p = trace.linear %x, %w : (tensor<4096x512xf16>, tensor<2048x512xf16>) -> tensor<4096x2048xf16>
  %h, %g = trace.split %p dim = 1 sizes = [1024, 1024] : (tensor<4096x2048xf16>) -> (tensor<4096x1024xf16>, tensor<4096x1024xf16>)
  %a = trace.silu %g : (tensor<4096x1024xf16>) -> tensor<4096x1024xf16>
  %y = trace.mul %h, %a : (tensor<4096x1024xf16>, tensor<4096x1024xf16>) -> tensor<4096x1024xf16>
  return %y : tensor<4096x1024xf16>
}

//--- types.mlir
// TF32 on request: k-blocks of 32 elements, results of 32 bits in boxes.
// CHECK: box = [32, {{.*}} box = [32, {{.*}} <buffer = 2, {{.*}} box = [32, 64]
// CHECK: nvvm.wgmma.mma_async {{.*}}k = 8>{{.*}}tf32
// WANTED: grid = () -> (128, 1, 1), block = [256, 1, 1], cluster = [2, 1, 1]
// BAD: error: a tile must be such as 128x256 or 64x64 with ',pingpong', ',cluster=2', ',split=2', ',stream' or ',swapAB'; found '64x'
func.func @main(%x: tensor<512x512xf32>, %w: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %y = trace.linear %x, %w allow_tf32 : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %y : tensor<512x512xf32>
}

//--- exact.mlir
// f32 that nobody allowed to be rounded is exact.
// CHECK-NOT: nvvm.wgmma
// CHECK: gpu.func @main_gemm
// CHECK-NOT: nvvm.wgmma
func.func @main(%x: tensor<512x512xf32>, %w: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %y = trace.linear %x, %w : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  return %y : tensor<512x512xf32>
}

//--- batch.mlir
// Several batch dimensions are one of the tensor maps'; 8-bit floats have
// k-blocks of 128 elements.
// CHECK: <buffer = 0, dims = () -> (256, 64, 6), strides = () -> (256, 16384), box = [128, 64, 1], swizzle
// CHECK: nvvm.wgmma.mma_async {{.*}}k = 32>{{.*}}e4m3
func.func @main(%x: tensor<2x3x64x256xf8E4M3FN>, %w: tensor<2x3x64x256xf8E4M3FN>) -> tensor<2x3x64x64xf16> {
  %t = trace.permute %w [0, 1, 3, 2] : (tensor<2x3x64x256xf8E4M3FN>) -> tensor<2x3x256x64xf8E4M3FN>
  %y = trace.matmul %x, %t dtype = f16 : (tensor<2x3x64x256xf8E4M3FN>, tensor<2x3x256x64xf8E4M3FN>) -> tensor<2x3x64x64xf16>
  return %y : tensor<2x3x64x64xf16>
}

//--- words.mlir
// 377 rows, which swapAB would divide, and rows of the result that are no multiple of 16 bytes: it would store them word by word.
// WORDS-NOT: swapAB
// WORDS: #kernel.wgmma_schedule<tile = [64, 256]
// WORDS-NOT: swapAB
func.func @main(%x: tensor<377x40xf16>, %w: tensor<15234x40xf16>, %r: tensor<377x15234xf16>) -> tensor<377x15234xf16> {
  %y = trace.linear %x, %w : (tensor<377x40xf16>, tensor<15234x40xf16>) -> tensor<377x15234xf16>
  %z = trace.add %r, %y : (tensor<377x15234xf16>, tensor<377x15234xf16>) -> tensor<377x15234xf16>
  return %z : tensor<377x15234xf16>
}
