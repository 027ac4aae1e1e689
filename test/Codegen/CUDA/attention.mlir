// The forms of attention on GPUs: with mma.sync for 16-bit floats from sm_80 on, on CUDA cores for all others.
//
// RUN: tripy-opt %s --split-input-file --tripy-cuda=chip=sm_80 | FileCheck %s
// RUN: tripy-opt %s --split-input-file --tripy-cuda=chip=sm_75 | FileCheck %s --check-prefix=OLDER

// 64 queries of a block: 2 x 4 heads of 100 x 2 rows, as two heads of the query share one of the key. In a block of 64
// keys a warp multiplies 4 steps x 8 instructions for scores, and as many for the values. Views are read through: copies
// are as wide as for operands in memory.
// CHECK-LABEL: kernel.func @grouped_attention
// CHECK-SAME: grid = () -> (32, 1, 1), block = [128, 1, 1], cluster = [1, 1, 1], scratch = 40960
// CHECK: scf.for
// CHECK-COUNT-8: nvvm.cp.async.shared.global {{.*}}, 16, cache = cg, %
// CHECK-NOT: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK-COUNT-64: nvvm.mma.sync {{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 16>
// The last 44 of 300 keys are 64, of which some are hidden: a loop of its own.
// CHECK: scf.for
// CHECK-COUNT-32: nvvm.mma.sync
// CHECK: arith.select {{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK-COUNT-32: nvvm.mma.sync
// CHECK-NOT: nvvm.mma.sync
// CHECK: nvvm.cp.async.wait.group 0
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
// OLDER-LABEL: kernel.func @grouped_attention
// OLDER-SAME: grid = () -> (56, 1, 1), block = [128, 1, 1]
// OLDER-NOT: nvvm.mma.sync
func.func @grouped(%q: tensor<2x100x8x64xf16>, %k: tensor<2x300x512xf16>, %v: tensor<2x4x300x64xf16>) -> tensor<2x8x100x64xf16> {
  %0 = trace.permute %q [0, 2, 1, 3] : (tensor<2x100x8x64xf16>) -> tensor<2x8x100x64xf16>
  %1 = trace.slice %k [0, 0, 256] to [2, 300, 512] by [1, 1, 1] : (tensor<2x300x512xf16>) -> tensor<2x300x256xf16>
  %2 = trace.reshape %1 to [2, 300, 4, 64] : (tensor<2x300x256xf16>) -> tensor<2x300x4x64xf16>
  %3 = trace.permute %2 [0, 2, 1, 3] : (tensor<2x300x4x64xf16>) -> tensor<2x4x300x64xf16>
  %r = trace.attention %0, %3, %v : (tensor<2x8x100x64xf16>, tensor<2x4x300x64xf16>, tensor<2x4x300x64xf16>) -> tensor<2x8x100x64xf16>
  return %r : tensor<2x8x100x64xf16>
}

// -----

// Rows for 132 multiprocessors (here 108): warps of 32 rows, so that shared memory is read half as often. No key of the
// 128 is hidden: one loop, without a comparison of keys.
// CHECK-LABEL: kernel.func @many_attention
// CHECK-SAME: grid = () -> (144, 1, 1), block = [128, 1, 1], cluster = [1, 1, 1], scratch = 49152
// CHECK: scf.for
// CHECK-COUNT-128: nvvm.mma.sync
// CHECK-NOT: nvvm.mma.sync
// CHECK-NOT: scf.for
// CHECK: nvvm.cp.async.wait.group 0
func.func @many(%q: tensor<72x200x64xf16>, %k: tensor<72x128x64xf16>) -> tensor<72x200x64xf16> {
  %r = trace.attention %q, %k, %k : (tensor<72x200x64xf16>, tensor<72x128x64xf16>, tensor<72x128x64xf16>) -> tensor<72x200x64xf16>
  return %r : tensor<72x200x64xf16>
}

// -----

// Large heads: 32 keys at a time. Rows of 160 numbers are 10 steps of K, in lines of 24 pieces.
// CHECK-LABEL: kernel.func @large_attention
// CHECK-SAME: block = [128, 1, 1], cluster = [1, 1, 1], scratch = 73728
// CHECK: scf.for
// CHECK-COUNT-80: nvvm.mma.sync
// CHECK-NOT: nvvm.mma.sync
func.func @large(%q: tensor<300x64x160xbf16>, %k: tensor<300x64x160xbf16>) -> tensor<300x64x160xbf16> {
  %r = trace.attention %q, %k, %k : (tensor<300x64x160xbf16>, tensor<300x64x160xbf16>, tensor<300x64x160xbf16>) -> tensor<300x64x160xbf16>
  return %r : tensor<300x64x160xbf16>
}

// -----

// Rows of 40 bytes are aligned to 8, and odd ones to none: those pass through registers.
// CHECK-LABEL: kernel.func @narrow_attention
// CHECK: nvvm.cp.async.shared.global {{.*}}, 8, cache = ca, %
// CHECK-NOT: , 16, cache = cg
// CHECK: nvvm.mma.sync
func.func @narrow(%q: tensor<2x64x20xf16>) -> tensor<2x64x20xf16> {
  %r = trace.attention %q, %q, %q : (tensor<2x64x20xf16>, tensor<2x64x20xf16>, tensor<2x64x20xf16>) -> tensor<2x64x20xf16>
  return %r : tensor<2x64x20xf16>
}

// -----

// CHECK-LABEL: kernel.func @odd_attention
// CHECK-NOT: nvvm.cp.async.shared.global
// CHECK: nvvm.mma.sync
func.func @odd(%q: tensor<2x64x33xf16>) -> tensor<2x64x33xf16> {
  %r = trace.attention %q, %q, %q : (tensor<2x64x33xf16>, tensor<2x64x33xf16>, tensor<2x64x33xf16>) -> tensor<2x64x33xf16>
  return %r : tensor<2x64x33xf16>
}

// -----

// f32 is multiplied on CUDA cores: 32 queries of a block.
// CHECK-LABEL: kernel.func @wide_attention
// CHECK-SAME: grid = () -> (14, 1, 1), block = [128, 1, 1]
// CHECK-NOT: nvvm.mma.sync
// CHECK: math.fma
func.func @wide(%q: tensor<2x200x64xf32>) -> tensor<2x200x64xf32> {
  %r = trace.attention %q, %q, %q : (tensor<2x200x64xf32>, tensor<2x200x64xf32>, tensor<2x200x64xf32>) -> tensor<2x200x64xf32>
  return %r : tensor<2x200x64xf32>
}
