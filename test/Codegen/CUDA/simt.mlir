// Contractions on CUDA cores: tiles, copies, and what the blocks of a cluster
// share.
//
// RUN: tripy-opt %s --split-input-file --tripy-cuda=no-f32-tensor-cores | FileCheck %s
// RUN: tripy-opt %s --split-input-file --tripy-cuda="chip=sm_80 no-f32-tensor-cores" | FileCheck %s --check-prefix=OLDER

// Large: 128 x 128 by 128 threads with 8 x 16 each, two blocks a
// multiprocessor, two k-blocks of 16 k in the ring. What is contiguous along K is
// copied number by number, 8 of a row. Blocks follow each other, and the first
// may start early.
// CHECK: kernel.launch @large_gemm_0_dot {{.*}} overlaps
// CHECK-LABEL: kernel.func @large_gemm_0_dot
// CHECK-SAME: grid = () -> (1024, 1, 1), block = [128, 1, 1], cluster = [1, 1, 1]
// CHECK: llvm.mlir.global internal @large_gemm_0_dot.ring() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<8448 x f32>
// CHECK: gpu.func @large_gemm_0_dot
// CHECK-SAME: nvvm.minctasm = 2
// CHECK: nvvm.cp.async.shared.global {{.*}}, 4, cache = ca, %
// CHECK: nvvm.cp.async.wait.group 0
// CHECK: gpu.barrier
// CHECK: scf.for {{.*}} step %c16
// CHECK-COUNT-32: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK-NOT: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NEXT: gpu.barrier
// CHECK-COUNT-6: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-COUNT-128: math.fma
// CHECK-NOT: math.fma
// CHECK-COUNT-32: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
func.func @large(%a: tensor<4096x4096xf32>, %b: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [1] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %r : tensor<4096x4096xf32>
}

// -----

// One block a multiprocessor: 256 threads with 8 x 8 each, k-blocks of 16 k. Two
// would find room on a multiprocessor, so that all start at once.
// CHECK: kernel.launch @alone_gemm_0_dot
// CHECK-NOT: overlaps
// CHECK-LABEL: kernel.func @alone_gemm_0_dot
// CHECK-SAME: grid = () -> (132, 1, 1), block = [256, 1, 1], cluster = [1, 1, 1]
// CHECK: gpu.func @alone_gemm_0_dot
// CHECK-SAME: nvvm.minctasm = 2
// CHECK: scf.for {{.*}} step %c16
func.func @alone(%a: tensor<1408x4096xf32>, %b: tensor<1536x4096xf32>) -> tensor<1408x1536xf32> {
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [1] : (tensor<1408x4096xf32>, tensor<1536x4096xf32>) -> tensor<1408x1536xf32>
  return %r : tensor<1408x1536xf32>
}

// -----

// Contiguous along the columns: 16 bytes at a time, past the L1 cache.
// CHECK-LABEL: kernel.func @plain_gemm_0_dot
// CHECK: scf.for
// CHECK-COUNT-2: nvvm.cp.async.shared.global {{.*}}, 16, cache = cg, %
// CHECK-NOT: cache = cg
// CHECK: nvvm.cp.async.commit.group
func.func @plain(%a: tensor<4096x4096xf32>, %b: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [0] : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %r : tensor<4096x4096xf32>
}

// -----

// Rows of 4 bytes' alignment: number by number too; results one by one.
// CHECK-LABEL: kernel.func @odd_gemm_0_dot
// CHECK-NOT: cache = cg
// CHECK: nvvm.cp.async.shared.global {{.*}}, 4, cache = ca, %
// CHECK-NOT: cache = cg
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<1>
// CHECK-NOT: llvm.store {{.*}} : vector<4xf32>, !llvm.ptr<1>
func.func @odd(%a: tensor<4093x4093xf32>, %b: tensor<4093x4093xf32>) -> tensor<4093x4093xf32> {
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [0] : (tensor<4093x4093xf32>, tensor<4093x4093xf32>) -> tensor<4093x4093xf32>
  return %r : tensor<4093x4093xf32>
}

// -----

// 12 tiles of 64 x 64 are all behind whole waves: blocks divide K, and leave
// their sums in memory (simt-tail.mlir).
// CHECK-LABEL: kernel.func @few_gemm_0_dot
// CHECK-SAME: grid = () -> (132, 1, 1), block = [128, 1, 1], cluster = [1, 1, 1]
// CHECK: atom.acq_rel.gpu.global.inc.u32
// OLDER-LABEL: kernel.func @few_gemm_0_dot
// OLDER-SAME: grid = () -> (108, 1, 1), block = [128, 1, 1], cluster = [1, 1, 1]
func.func @few(%a: tensor<192x4096xf32>, %b: tensor<256x4096xf32>) -> tensor<192x256xf32> {
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [1] : (tensor<192x4096xf32>, tensor<256x4096xf32>) -> tensor<192x256xf32>
  return %r : tensor<192x256xf32>
}

// -----

// What is converted passes through registers, 4 numbers of a row at a time.
// OLDER-LABEL: kernel.func @converted_gemm_0_dot
// OLDER-NOT: nvvm.cp.async
// OLDER: scf.for {{.*}} step %c8
// OLDER: llvm.load {{.*}} : !llvm.ptr<1> -> vector<4xi8>
// OLDER-NOT: nvvm.cp.async
// OLDER: llvm.store {{.*}} : vector<4xf16>, !llvm.ptr<1>
func.func @converted(%a: tensor<4096x4096xf8E4M3FN>, %b: tensor<4096x4096xf8E4M3FN>) -> tensor<4096x4096xf16> {
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [1] : (tensor<4096x4096xf8E4M3FN>, tensor<4096x4096xf8E4M3FN>) -> tensor<4096x4096xf16>
  return %r : tensor<4096x4096xf16>
}

// -----

// 64-bit numbers: half as many in registers.
// CHECK-LABEL: kernel.func @wide_gemm_0_dot
// CHECK-SAME: block = [128, 1, 1]
// CHECK: nvvm.cp.async.shared.global {{.*}}, 8, cache = ca, %
func.func @wide(%a: tensor<2048x2048xi64>, %b: tensor<2048x2048xi64>) -> tensor<2048x2048xi64> {
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [1] : (tensor<2048x2048xi64>, tensor<2048x2048xi64>) -> tensor<2048x2048xi64>
  return %r : tensor<2048x2048xi64>
}
