// Contractions on the tensor cores of warps: tiles, copies, and how fragments
// are read.
//
// RUN: tripy-opt %s --split-input-file --tripy-cuda=chip=sm_80 | FileCheck %s
// RUN: tripy-opt %s --split-input-file --tripy-cuda=chip=sm_89 | FileCheck %s --check-prefix=ADA
// RUN: tripy-opt %s --split-input-file --tripy-cuda=chip=sm_90 | FileCheck %s --check-prefix=HOPPER
// RUN: tripy-opt %s --split-input-file --tripy-cuda=chip=sm_90a | FileCheck %s --check-prefix=WGMMA
// RUN: tripy-opt %s --split-input-file --tripy-cuda=chip=sm_75 | FileCheck %s --check-prefix=OLDER
// RUN: tripy-opt %s --split-input-file --tripy-cuda="chip=sm_80 no-f32-tensor-cores" | FileCheck %s --check-prefix=CORES
// RUN: tripy-opt %s --split-input-file --tripy-cuda=chip=sm_80 --remark-format=emitRemark --remarks-filter=gemm 2>&1 | FileCheck %s --check-prefix=WHY

// WHY: remark: [Passed] tile | Category:gemm | Function=large_gemm_0_dot | Remark="tile 128x256 with mma.sync, 3 stages: by the model"

// Both operands are contiguous along K: nothing is transposed. Copies of 16
// bytes go past the L1 cache; 8 results of a row are stored at once.
// CHECK-LABEL: kernel.func @large_gemm_0_dot
// CHECK-SAME: grid = () -> (512, 1, 1), block = [256, 1, 1], cluster = [1, 1, 1], scratch = 147456
// CHECK: llvm.mlir.global external @large_gemm_0_dot_shared() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
// CHECK: gpu.func @large_gemm_0_dot
// CHECK-SAME: nvvm.minctasm = 1
// CHECK: nvvm.cp.async.shared.global {{.*}}, 16, cache = cg, %
// CHECK-NOT: cache = ca
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-NEXT: gpu.barrier
// CHECK-NOT: layout = #nvvm.mma_layout<col>
// CHECK: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>, num = 4
// CHECK: scf.for
// CHECK-COUNT-12: nvvm.cp.async.shared.global
// CHECK-NOT: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK-COUNT-128: nvvm.mma.sync {{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 16>
// CHECK-NOT: nvvm.mma.sync
// CHECK: nvvm.cp.async.wait.group 0
// CHECK: nvvm.bar.warp.sync
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
// CHECK-NOT: : f16, !llvm.ptr<1>
// Less shared memory: more and shorter k-blocks.
// ADA-LABEL: kernel.func @large_gemm_0_dot
// ADA-SAME: scratch = 98304
// ADA: scf.for
// ADA-COUNT-6: nvvm.cp.async.shared.global
// ADA-NOT: nvvm.cp.async.shared.global
// ADA: nvvm.mma.sync
// HOPPER-LABEL: kernel.func @large_gemm_0_dot
// HOPPER: nvvm.mma.sync
// WGMMA-LABEL: kernel.func @large_gemm_0_dot
// WGMMA-NOT: nvvm.mma.sync
// WGMMA: nvvm.wgmma.mma_async
// OLDER-LABEL: kernel.func @large_gemm_0_dot
// OLDER-NOT: nvvm.mma.sync
// OLDER: math.fma
func.func @large(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [1] : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  return %r : tensor<4096x4096xf16>
}

// -----

// K lies across the rows of both: they are transposed as they are read.
// CHECK-LABEL: kernel.func @across_gemm_0_dot
// CHECK: scf.for
// CHECK: cache = cg
// CHECK-NOT: layout = #nvvm.mma_layout<row>, num
// CHECK: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>, num = 4
// CHECK-NOT: layout = #nvvm.mma_layout<row>, num
// CHECK: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<bf16>
func.func @across(%a: tensor<1024x512xbf16>, %b: tensor<1024x512xbf16>) -> tensor<512x512xbf16> {
  %r = flatir.dot %a, %b batch = [] x [] contract = [0] x [0] : (tensor<1024x512xbf16>, tensor<1024x512xbf16>) -> tensor<512x512xbf16>
  return %r : tensor<512x512xbf16>
}

// -----

// Rows of 8 bytes' alignment, and of 4: as wide as they allow.
// Programs for sm_80 run on cards with less shared memory: a block asks for its
// ring. Those for sm_90a know theirs: of a few blocks, for 132 multiprocessors
// with 233472 bytes each, a block asks for 16 bytes more than half of them.
// Otherwise two blocks could share a multiprocessor while others have none.
// CHECK-LABEL: kernel.func @aligned8_gemm_0_dot
// CHECK-SAME: grid = () -> (4, 1, 1), block = [128, 1, 1], cluster = [1, 1, 1], scratch = 18432>
// CHECK-SAME: tile = [32, 64], stages = 3, kBytes = 64,
// CHECK: nvvm.cp.async.shared.global {{.*}}, 8, cache = ca, %
// CHECK: nvvm.cp.async.shared.global {{.*}}, 4, cache = ca, %
// CHECK-NOT: cache = cg
// CHECK: nvvm.mma.sync
// WGMMA-LABEL: kernel.func @aligned8_gemm_0_dot
// WGMMA-SAME: grid = () -> (4, 1, 1), block = [128, 1, 1], cluster = [1, 1, 1], scratch = 116752>
// HOPPER-LABEL: kernel.func @aligned8_gemm_0_dot
// HOPPER-NOT: scratch = 116752
func.func @aligned8(%a: tensor<60x68xf16>, %b: tensor<68x66xf16>) -> tensor<60x66xf16> {
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [0] : (tensor<60x68xf16>, tensor<68x66xf16>) -> tensor<60x66xf16>
  return %r : tensor<60x66xf16>
}

// -----

// Odd rows of 16-bit numbers pass through registers, also where wgmma is for
// others: in words, which are shifted on the way to shared memory. At the end of
// K, a word is read by half. Results are stored one by one.
// CHECK-LABEL: kernel.func @odd_gemm_0_dot
// CHECK-NOT: nvvm.cp.async
// CHECK: ld.global.nc.b32 $0, [$1+16];", "=r,l,b"
// CHECK: ld.global.nc.b32 $0, [$1+16];", "=r,l,b,0"
// CHECK: ld.global.nc.b16 $0, [$1+0];", "=h,l,b,0"
// CHECK: llvm.intr.fshr
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// CHECK: nvvm.ldmatrix
// CHECK: nvvm.mma.sync
// CHECK: llvm.store {{.*}} : f16, !llvm.ptr<1>
// WGMMA-LABEL: kernel.func @odd_gemm_0_dot
// WGMMA: nvvm.mma.sync
func.func @odd(%a: tensor<63x65xf16>, %b: tensor<65x67xf16>) -> tensor<63x67xf16> {
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [0] : (tensor<63x65xf16>, tensor<65x67xf16>) -> tensor<63x67xf16>
  return %r : tensor<63x67xf16>
}

// -----

// TF32 where it is allowed: numbers are copied as they are. Those that lie
// across K are read one by one.
// CHECK-LABEL: kernel.func @tf32_gemm_0_dot
// CHECK: cache = cg
// CHECK: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>, num = 4
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> i32
// CHECK: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<tf32>{{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 8>
func.func @tf32(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [0] allow_tf32 : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}

// -----

// f32 that may not be rounded is a sum of two numbers of TF32 (mma-f32.mlir).
// GPUs without mma.sync of TF32 multiply on CUDA cores, and so do others on
// request. On sm_89, three instructions take longer than the multiply-adds that
// they replace.
// CHECK-LABEL: kernel.func @exact_gemm_0_dot
// CHECK-SAME: #kernel.mma_schedule<
// CHECK: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<tf32>{{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 8>
// ADA-LABEL: kernel.func @exact_gemm_0_dot
// ADA-SAME: #kernel.simt_schedule<
// OLDER-LABEL: kernel.func @exact_gemm_0_dot
// OLDER-SAME: #kernel.simt_schedule<
// OLDER-NOT: nvvm.mma.sync
// OLDER: math.fma
// OLDER-LABEL: kernel.func @bytes_gemm_0_dot
// CORES-LABEL: kernel.func @tf32_gemm_0_dot
// CORES: nvvm.mma.sync
// CORES-LABEL: kernel.func @exact_gemm_0_dot
// CORES-SAME: #kernel.simt_schedule<
// CORES-NOT: nvvm.mma.sync
// CORES: math.fma
// CORES-LABEL: kernel.func @bytes_gemm_0_dot
func.func @exact(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}

// -----

// sm_80 does not multiply f8.
// CHECK-LABEL: kernel.func @bytes_gemm_0_dot
// CHECK-NOT: mma.sync
// CHECK: math.fma
// ADA-LABEL: kernel.func @bytes_gemm_0_dot
// ADA: cache = cg
// ADA: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>, num = 4
// ADA: mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32
func.func @bytes(%a: tensor<256x256xf8E4M3FN>, %b: tensor<256x256xf8E4M3FN>) -> tensor<256x256xf32> {
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [1] : (tensor<256x256xf8E4M3FN>, tensor<256x256xf8E4M3FN>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}
