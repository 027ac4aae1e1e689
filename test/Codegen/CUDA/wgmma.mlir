// RUN: tripy-opt %s --kernel-emit-cuda | FileCheck %s
// RUN: tripy-opt %s --kernel-emit-cuda=chip=sm_80 | FileCheck %s --check-prefix=OLDER

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// Large: a tile of 128 x 256 for two consumers; the tensor maps follow the
// dynamic size, the result's too, and there is one for each multiple of 32
// rows that may be left, and for 8, 16 and 24 of the rest. The older card's kernel is that of mma.sync.
// CHECK: kernel.func @large gemm
// CHECK-SAME: grid = ()[s0] -> (132, 1, 1), block = [384, 1, 1], cluster = [1, 1, 1]
// CHECK-SAME: tensor_maps = [<buffer = 0, dims = ()[s0] -> (4096, s0), strides = ()[s0] -> (8192), box = [64, 128], swizzle = 128>, <buffer = 1, dims = ()[s0] -> (4096, 4096), strides = ()[s0] -> (8192), box = [64, 256], swizzle = 128>, <buffer = 0, dims = ()[s0] -> (4096, s0), strides = ()[s0] -> (8192), box = [64, 8], swizzle = 128>, <buffer = 0, dims = ()[s0] -> (4096, s0), strides = ()[s0] -> (8192), box = [64, 16], swizzle = 128>, <buffer = 0, dims = ()[s0] -> (4096, s0), strides = ()[s0] -> (8192), box = [64, 24], swizzle = 128>, <buffer = 0, dims = ()[s0] -> (4096, s0), strides = ()[s0] -> (8192), box = [64, 32], swizzle = 128>, <buffer = 0, dims = ()[s0] -> (4096, s0), strides = ()[s0] -> (8192), box = [64, 64], swizzle = 128>, <buffer = 0, dims = ()[s0] -> (4096, s0), strides = ()[s0] -> (8192), box = [64, 96], swizzle = 128>, <buffer = 2, dims = ()[s0] -> (4096, s0), strides = ()[s0] -> (8192), box = [64, 64], swizzle = 128>]
// OLDER: kernel.func @large gemm
// OLDER-SAME: block = [256, 1, 1], cluster = [1, 1, 1], scratch = 81920 workspace = [28180480, 860]>
kernel.func @large gemm sizeArgs = [2, 2] : (tensor<?x4096xf16>, tensor<4096x4096xf16>, index) -> tensor<?x4096xf16> {
^bb0(%x: tensor<?x4096xf16>, %w: tensor<4096x4096xf16>, %n: index):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x4096xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x4096xf32>) -> tensor<?x4096xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x4096xf16>, tensor<4096x4096xf16>) outs(%f : tensor<?x4096xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<?x4096xf32>
  %h = tensor.empty(%n) : tensor<?x4096xf16>
  %5 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<?x4096xf32>) outs(%h : tensor<?x4096xf16>) {
  ^bb0(%l: f32, %o: f16):
    %6 = arith.truncf %l : f32 to f16
    linalg.yield %6 : f16
  } -> tensor<?x4096xf16>
  kernel.yield %5 : tensor<?x4096xf16>
}

// Few rows: swapAB, 64 tiles of 64 columns, and for each
// two blocks with a half of K.
// CHECK: kernel.func @few gemm
// CHECK-SAME: grid = () -> (128, 1, 1), block = [256, 1, 1], cluster = [2, 1, 1]
// CHECK-SAME: <buffer = 0, {{.*}} box = [64, 16], swizzle = 128>, <buffer = 1, {{.*}} box = [64, 64], swizzle = 128>]
kernel.func @few gemm sizeArgs = [] : (tensor<16x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<16x4096xf32> {
^bb0(%x: tensor<16x4096xbf16>, %w: tensor<4096x4096xbf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x4096xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x4096xf32>) -> tensor<16x4096xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<16x4096xbf16>, tensor<4096x4096xbf16>) outs(%f : tensor<16x4096xf32>) {
  ^bb0(%l: bf16, %r: bf16, %o: f32):
    %1 = arith.extf %l : bf16 to f32
    %2 = arith.extf %r : bf16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<16x4096xf32>
  kernel.yield %0 : tensor<16x4096xf32>
}

// Rows that are no multiple of 16 bytes are for mma.sync.
// CHECK: kernel.func @odd gemm
// CHECK-SAME: block = [128, 1, 1]
// CHECK-NOT: tensor_maps
kernel.func @odd gemm sizeArgs = [] : (tensor<256x4095xf16>, tensor<4096x4095xf16>) -> tensor<256x4096xf32> {
^bb0(%x: tensor<256x4095xf16>, %w: tensor<4096x4095xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x4096xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<256x4096xf32>) -> tensor<256x4096xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<256x4095xf16>, tensor<4096x4095xf16>) outs(%f : tensor<256x4096xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<256x4096xf32>
  kernel.yield %0 : tensor<256x4096xf32>
}

// CHECK: llvm.func @large
// CHECK-SAME: llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant
// CHECK: nvvm.setmaxregister decrease 56
// CHECK: nvvm.cp.async.bulk.tensor
// CHECK: nvvm.setmaxregister increase 224
// CHECK-COUNT-4: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 256, k = 16>
// CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK: nvvm.stmatrix
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK: llvm.func @few
// CHECK: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 16, k = 16>
// CHECK: cp.async.bulk.shared::cluster.shared::cta
// CHECK: gpu.func @odd
// CHECK: nvvm.mma.sync
// OLDER-NOT: wgmma
