// Tiles that measurements chose (bench/results/notes-gemm.md, 22, and tiles on CUDA cores).
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %s --check-prefixes=CHECK,F32
// RUN: tripy-compile %s --target=cuda:sm_90a --no-f32-tensor-cores --stop-after=schedules -o - | FileCheck %s --check-prefixes=CHECK,CORES

// A residual is read faster in boxes of 64 columns than of 32: no tile of 160.
// CHECK: @main_gemm_0_dot_add gemm {{.*}}#kernel.wgmma_schedule<tile = [128, 192], stages = 4, consumers = pingpong,
// K is short: tiles of 128 x 64 in turns.
// CHECK: #kernel.wgmma_schedule<tile = [128, 64], stages = 8, consumers = pingpong,
// Two tiles have all columns: blocks of a cluster read A once.
// CHECK: #kernel.wgmma_schedule<tile = [128, 128], stages = 6, consumers = pingpong, clusterN = 2,
// Rows of 74 bytes, and few tiles with a long K: mma.sync, where blocks share K.
// CHECK: #kernel.mma_schedule<tile = [32, 64], stages = 5, kBytes = 64, tailSplitK = 12,
// f32 on tensor cores: two blocks of 128 threads hide each other's latencies. 2048 tiles leave a tail behind whole waves of
// 264, 768 do not.
// F32: #kernel.mma_schedule<tile = [64, 128], stages = 3, kBytes = 64, resident = 2,
// F32: #kernel.mma_schedule<tile = [64, 128], stages = 3, kBytes = 64, tailSplitK = 5, resident = 2,
// On CUDA cores, three wide tiles for each multiprocessor are too few.
// CORES: #kernel.simt_schedule<tile = [128, 128], threads = 256,
// CORES: #kernel.simt_schedule<tile = [128, 128], threads = 128,
func.func @main(%a: tensor<4096x640xf16>, %b: tensor<5120x640xf16>, %r: tensor<4096x5120xf16>,
    %c: tensor<401408x32xf16>, %d: tensor<32x32xf16>, %e: tensor<32x2048x2048xbf16>, %f: tensor<32x2048x256xbf16>,
    %g: tensor<139x3072xbf16>, %h: tensor<3072x37xbf16>, %i: tensor<8192x3072xf32>, %j: tensor<768x3072xf32>,
    %k: tensor<4096x4096xf32>, %l: tensor<4096x4096xf32>)
    -> (tensor<4096x5120xf16>, tensor<401408x32xf16>, tensor<32x2048x256xbf16>, tensor<139x37xbf16>, tensor<8192x768xf32>, tensor<4096x4096xf32>) {
  %0 = trace.linear %a, %b : (tensor<4096x640xf16>, tensor<5120x640xf16>) -> tensor<4096x5120xf16>
  %1 = trace.add %0, %r : (tensor<4096x5120xf16>, tensor<4096x5120xf16>) -> tensor<4096x5120xf16>
  %2 = trace.linear %c, %d : (tensor<401408x32xf16>, tensor<32x32xf16>) -> tensor<401408x32xf16>
  %3 = trace.matmul %e, %f : (tensor<32x2048x2048xbf16>, tensor<32x2048x256xbf16>) -> tensor<32x2048x256xbf16>
  %4 = trace.matmul %g, %h : (tensor<139x3072xbf16>, tensor<3072x37xbf16>) -> tensor<139x37xbf16>
  %5 = trace.linear %i, %j : (tensor<8192x3072xf32>, tensor<768x3072xf32>) -> tensor<8192x768xf32>
  %6 = trace.linear %k, %l : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %1, %2, %3, %4, %5, %6 : tensor<4096x5120xf16>, tensor<401408x32xf16>, tensor<32x2048x256xbf16>, tensor<139x37xbf16>, tensor<8192x768xf32>, tensor<4096x4096xf32>
}
