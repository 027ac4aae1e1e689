// Which contractions of few rows run on tensor cores, and how many of their
// blocks share a multiprocessor.
// RUN: split-file %s %t
// RUN: tripy-compile %t/decode.mlir --target=cuda --stop-after=kernels -o - | FileCheck %t/decode.mlir
// RUN: tripy-compile %t/decode.mlir --target=cuda:sm_80 --stop-after=kernels -o - | FileCheck %t/decode.mlir --check-prefix=OLD
// RUN: tripy-compile %t/rings.mlir --target=cuda --stop-after=kernels -o - | FileCheck %t/rings.mlir
// RUN: tripy-compile %t/gated.mlir --target=cuda --stop-after=kernels -o - | FileCheck %t/gated.mlir
// RUN: tripy-compile %t/computed.mlir --target=cuda --stop-after=kernels -o - | FileCheck %t/computed.mlir
// RUN: tripy-compile %t/prologue.mlir --target=cuda --stop-after=kernels -o - | FileCheck %t/prologue.mlir
// RUN: tripy-compile %t/empty.mlir --target=cuda -o %t/empty.tpx
// RUN: tripy-compile %t/parts.mlir --target=cuda --stop-after=kernels -o - | FileCheck %t/parts.mlir
// RUN: tripy-compile %t/parts.mlir --target=cuda -o %t/parts.tpx

//--- decode.mlir
// TMA copies what tensor cores multiply. On other chips CUDA cores compute all.
// OLD-NOT: tensor_maps
func.func @main(
    %x0: tensor<3x4096xf16>, %w0: tensor<4096x4096xf16>,
    %x1: tensor<4x4096xf16>, %w1: tensor<2048x4096xf16>,
    %x2: tensor<4x4096xf16>, %w2: tensor<2040x4096xf16>,
    %x3: tensor<1x1024xbf16>, %w3: tensor<1024x1024xbf16>,
    %x4: tensor<1x1024xbf16>, %w4: tensor<1024x1016xbf16>,
    %x5: tensor<8x512xf16>, %w5: tensor<512x256xf16>,
    %x6: tensor<8x4096xf16>, %w6: tensor<4096x1023xf16>,
    %x7: tensor<2x8x1024xf16>, %w7: tensor<2x1024x1024xf16>,
    %x8: tensor<1024x1024xf16>, %w8: tensor<1024x8xf16>,
    %x9: tensor<8x4096xf32>, %w9: tensor<4096x4096xf32>,
    %x10: tensor<1x256xf8E4M3FN>, %w10: tensor<128x256xf8E4M3FN>)
    -> (tensor<3x4096xf16>, tensor<4x2048xf16>, tensor<4x2040xf16>, tensor<1x1024xbf16>, tensor<1x1016xbf16>, tensor<8x256xf16>, tensor<8x1023xf16>, tensor<2x8x1024xf16>, tensor<1024x8xf16>, tensor<8x4096xf32>, tensor<1x128xf16>) {
  // Three rows, a matrix that lies along K; four of a large one, and of a small one.
  %y0 = trace.linear %x0, %w0 : (tensor<3x4096xf16>, tensor<4096x4096xf16>) -> tensor<3x4096xf16>
  // CHECK: kernel.func @main_gemm_0_dot {{ *}}gemm {{.*}}scratch = {{[0-9]+}}> {schedule = #kernel.gemv_schedule<
  %y1 = trace.linear %x1, %w1 : (tensor<4x4096xf16>, tensor<2048x4096xf16>) -> tensor<4x2048xf16>
  // CHECK: kernel.func @main_gemm_1_dot {{ *}}gemm {{.*}}scratch = {{[0-9]+}}, tensor_maps
  %y2 = trace.linear %x2, %w2 : (tensor<4x4096xf16>, tensor<2040x4096xf16>) -> tensor<4x2040xf16>
  // CHECK: kernel.func @main_gemm_2_dot {{ *}}gemm {{.*}}scratch = {{[0-9]+}}> {schedule = #kernel.gemv_schedule<
  // A matrix that lies along the columns: from 2^20 elements times rows on.
  %y3 = trace.matmul %x3, %w3 : (tensor<1x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1x1024xbf16>
  // CHECK: kernel.func @main_gemm_3_dot {{ *}}gemm {{.*}}scratch = {{[0-9]+}}, tensor_maps
  %y4 = trace.matmul %x4, %w4 : (tensor<1x1024xbf16>, tensor<1024x1016xbf16>) -> tensor<1x1016xbf16>
  // CHECK: kernel.func @main_gemm_4_dot {{ *}}gemm {{.*}}scratch = {{[0-9]+}}> {schedule = #kernel.gemv_schedule<
  %y5 = trace.matmul %x5, %w5 : (tensor<8x512xf16>, tensor<512x256xf16>) -> tensor<8x256xf16>
  // CHECK: kernel.func @main_gemm_5_dot {{ *}}gemm {{.*}}scratch = {{[0-9]+}}, tensor_maps
  // Rows that TMA cannot copy.
  %y6 = trace.matmul %x6, %w6 : (tensor<8x4096xf16>, tensor<4096x1023xf16>) -> tensor<8x1023xf16>
  // CHECK: kernel.func @main_gemm_6_dot {{ *}}gemm {{.*}}scratch = {{[0-9]+}}> {schedule = #kernel.gemv_schedule<
  // A batch counts as one matrix.
  %y7 = trace.matmul %x7, %w7 : (tensor<2x8x1024xf16>, tensor<2x1024x1024xf16>) -> tensor<2x8x1024xf16>
  // CHECK: kernel.func @main_gemm_7_dot {{ *}}gemm {{.*}}scratch = {{[0-9]+}}, tensor_maps
  // A matrix on the left; numbers of 32 bits.
  %y8 = trace.matmul %x8, %w8 : (tensor<1024x1024xf16>, tensor<1024x8xf16>) -> tensor<1024x8xf16>
  // CHECK: kernel.func @main_gemm_8_dot {{ *}}gemm {{.*}}scratch = {{[0-9]+}}> {schedule = #kernel.gemv_schedule<
  %y9 = trace.linear %x9, %w9 : (tensor<8x4096xf32>, tensor<4096x4096xf32>) -> tensor<8x4096xf32>
  // CHECK: kernel.func @main_gemm_9_dot {{ *}}gemm {{.*}}scratch = {{[0-9]+}}> {schedule = #kernel.gemv_schedule<
  // f8, whose conversion is what takes time.
  %y10 = trace.linear %x10, %w10 dtype = f16 : (tensor<1x256xf8E4M3FN>, tensor<128x256xf8E4M3FN>) -> tensor<1x128xf16>
  // CHECK: kernel.func @main_gemm_10_dot {{ *}}gemm {{.*}}scratch = {{[0-9]+}}, tensor_maps
  return %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7, %y8, %y9, %y10 : tensor<3x4096xf16>, tensor<4x2048xf16>, tensor<4x2040xf16>, tensor<1x1024xbf16>, tensor<1x1016xbf16>, tensor<8x256xf16>, tensor<8x1023xf16>, tensor<2x8x1024xf16>, tensor<1024x8xf16>, tensor<8x4096xf32>, tensor<1x128xf16>
}

//--- rings.mlir
// 128 blocks, all at the same time: 16 stages of 9 KB leave no room for another.
// CHECK: kernel.func @main_gemm_0_dot {{ *}}gemm {{.*}}grid = () -> (128, 1, 1), block = [256, 1, 1], cluster = [2, 1, 1], scratch = 149904
// 192 blocks of two tiles share multiprocessors in pairs: at most 113 KB each.
// CHECK: kernel.func @main_gemm_1_dot {{ *}}gemm {{.*}}grid = () -> (192, 1, 1), block = [256, 1, 1], cluster = [2, 1, 1], scratch = 112976, tensor_maps
// 172 tiles in equal shares.
// CHECK: kernel.func @main_gemm_2_dot {{ *}}gemm {{.*}}grid = () -> (132, 1, 1), block = [256, 1, 1], cluster = [1, 1, 1], scratch = 112976 workspace
// As many of a matrix that lies along the columns: such shares would read 128
// bytes here and there.
// CHECK: kernel.func @main_gemm_3_dot {{ *}}gemm {{.*}}grid = () -> (344, 1, 1), block = [256, 1, 1], cluster = [2, 1, 1], scratch = 112976, tensor_maps
func.func @main(%x: tensor<8x4096xf16>, %x2: tensor<8x4096xf16>, %x3: tensor<8x4096xf16>, %x4: tensor<8x4096xf16>,
    %w: tensor<4096x4096xf16>, %w2: tensor<6144x4096xf16>, %w3: tensor<11008x4096xf16>, %w4: tensor<4096x11008xf16>)
    -> (tensor<8x4096xf16>, tensor<8x6144xf16>, tensor<8x11008xf16>, tensor<8x11008xf16>) {
  %y = trace.linear %x, %w : (tensor<8x4096xf16>, tensor<4096x4096xf16>) -> tensor<8x4096xf16>
  %y2 = trace.linear %x2, %w2 : (tensor<8x4096xf16>, tensor<6144x4096xf16>) -> tensor<8x6144xf16>
  %y3 = trace.linear %x3, %w3 : (tensor<8x4096xf16>, tensor<11008x4096xf16>) -> tensor<8x11008xf16>
  %y4 = trace.matmul %x4, %w4 : (tensor<8x4096xf16>, tensor<4096x11008xf16>) -> tensor<8x11008xf16>
  return %y, %y2, %y3, %y4 : tensor<8x4096xf16>, tensor<8x6144xf16>, tensor<8x11008xf16>, tensor<8x11008xf16>
}

//--- gated.mlir
// Gate and value of a feed-forward layer: one kernel.
// CHECK: kernel.func @main_gemm_0_dot_silu_mul {{ *}}gemm {{.*}} cluster = [2, 1, 1]
// CHECK-SAME: box = [64, 8]
// CHECK: nvvm.wgmma.mma_async {{.*}}m = 64, n = 8, k = 16
// CHECK-NOT: kernel.func
func.func @main(%x: tensor<4x4096xf16>, %w: tensor<22016x4096xf16>) -> tensor<4x11008xf16> {
  %p = trace.linear %x, %w : (tensor<4x4096xf16>, tensor<22016x4096xf16>) -> tensor<4x22016xf16>
  %g, %v = trace.split %p dim = -1 sizes = [11008, 11008] : (tensor<4x22016xf16>) -> (tensor<4x11008xf16>, tensor<4x11008xf16>)
  %a = trace.silu %g : (tensor<4x11008xf16>) -> tensor<4x11008xf16>
  %y = trace.mul %a, %v : (tensor<4x11008xf16>, tensor<4x11008xf16>) -> tensor<4x11008xf16>
  return %y : tensor<4x11008xf16>
}

//--- computed.mlir
// CUDA cores read a matrix as it is stored, whatever is done with it on the
// way; tensor cores would need a copy. They have the blocks for a long K of few
// columns, and for small matrices. And A is transposed once.
// CHECK-NOT: kernel.func @main_loop
// CHECK-NOT: tensor_maps
// CHECK-COUNT-6: kernel.func @main_gemm
// CHECK-NOT: kernel.func @main_loop
// CHECK-NOT: tensor_maps
func.func @main(%x0: tensor<4x4096xf16>, %w0: tensor<4096x4096xf8E4M3FN>, %x1: tensor<8x4x1x4096xf16>, %w1: tensor<8x1x4096x128xf16>,
    %x2: tensor<8x4096xf16>, %w2: tensor<4096x4097xf16>, %x3: tensor<8x131072xf16>, %w3: tensor<64x131072xf16>,
    %x4: tensor<65536x1x8xf16>, %w4: tensor<65536x8x8xf16>, %x5: tensor<4096x8xf16>, %w5: tensor<4096x4096xf16>)
    -> (tensor<4x4096xf16>, tensor<8x4x1x128xf16>, tensor<8x4096xf16>, tensor<8x64xf16>, tensor<65536x1x8xf16>, tensor<8x4096xf16>) {
  %c = trace.cast %w0 to f16 : (tensor<4096x4096xf8E4M3FN>) -> tensor<4096x4096xf16>
  %y0 = trace.linear %x0, %c : (tensor<4x4096xf16>, tensor<4096x4096xf16>) -> tensor<4x4096xf16>
  %y1 = trace.matmul %x1, %w1 : (tensor<8x4x1x4096xf16>, tensor<8x1x4096x128xf16>) -> tensor<8x4x1x128xf16>
  %a, %b = trace.split %w2 dim = -1 sizes = [4096, 1] : (tensor<4096x4097xf16>) -> (tensor<4096x4096xf16>, tensor<4096x1xf16>)
  %y2 = trace.linear %x2, %a : (tensor<8x4096xf16>, tensor<4096x4096xf16>) -> tensor<8x4096xf16>
  %y3 = trace.linear %x3, %w3 : (tensor<8x131072xf16>, tensor<64x131072xf16>) -> tensor<8x64xf16>
  %y4 = trace.matmul %x4, %w4 : (tensor<65536x1x8xf16>, tensor<65536x8x8xf16>) -> tensor<65536x1x8xf16>
  %t = trace.permute %x5 [1, 0] : (tensor<4096x8xf16>) -> tensor<8x4096xf16>
  %y5 = trace.linear %t, %w5 : (tensor<8x4096xf16>, tensor<4096x4096xf16>) -> tensor<8x4096xf16>
  return %y0, %y1, %y2, %y3, %y4, %y5 : tensor<4x4096xf16>, tensor<8x4x1x128xf16>, tensor<8x4096xf16>, tensor<8x64xf16>, tensor<65536x1x8xf16>, tensor<8x4096xf16>
}

//--- prologue.mlir
// A function of few rows is a kernel of its own, which is small; computed within the
// tensor cores' kernel it would cost the swap.
// CHECK: kernel.func @main_loop_0_silu
// CHECK: kernel.func @main_gemm_1_dot {{.*}} box = [64, 8]
// CHECK: kernel.func @main_loop_2_silu
// CHECK: kernel.func @main_gemm_3_dot {{.*}} box = [64, 8]
// CHECK: kernel.func @main_loop_4_silu
// CHECK: kernel.func @main_gemm_5_dot {{.*}} box = [64, 16]
func.func @main(%x0: tensor<1x4096xf16>, %w0: tensor<4096x4096xf16>, %x1: tensor<4x4096xf16>, %w1: tensor<4096x4096xf16>, %x2: tensor<16x4096xf16>, %w2: tensor<4096x4096xf16>)
    -> (tensor<1x4096xf16>, tensor<4x4096xf16>, tensor<16x4096xf16>) {
  %0 = trace.silu %x0 : (tensor<1x4096xf16>) -> tensor<1x4096xf16>
  %y0 = trace.matmul %0, %w0 : (tensor<1x4096xf16>, tensor<4096x4096xf16>) -> tensor<1x4096xf16>
  %1 = trace.silu %x1 : (tensor<4x4096xf16>) -> tensor<4x4096xf16>
  %y1 = trace.linear %1, %w1 : (tensor<4x4096xf16>, tensor<4096x4096xf16>) -> tensor<4x4096xf16>
  %2 = trace.silu %x2 : (tensor<16x4096xf16>) -> tensor<16x4096xf16>
  %y2 = trace.linear %2, %w2 : (tensor<16x4096xf16>, tensor<4096x4096xf16>) -> tensor<16x4096xf16>
  return %y0, %y1, %y2 : tensor<1x4096xf16>, tensor<4x4096xf16>, tensor<16x4096xf16>
}

//--- empty.mlir
// Nothing to compute, and nothing to divide by.
func.func @main(%x: tensor<0x4096xf16>, %w: tensor<4096x4096xf16>, %a: tensor<0x100x1024xf16>, %b: tensor<0x1024x1024xf16>,
    %c: tensor<0x256xf8E4M3FN>, %d: tensor<128x256xf8E4M3FN>) -> (tensor<0x4096xf16>, tensor<0x100x1024xf16>, tensor<0x128xf16>) {
  %y = trace.linear %x, %w : (tensor<0x4096xf16>, tensor<4096x4096xf16>) -> tensor<0x4096xf16>
  %z = trace.matmul %a, %b : (tensor<0x100x1024xf16>, tensor<0x1024x1024xf16>) -> tensor<0x100x1024xf16>
  %v = trace.linear %c, %d dtype = f16 : (tensor<0x256xf8E4M3FN>, tensor<128x256xf8E4M3FN>) -> tensor<0x128xf16>
  return %y, %z, %v : tensor<0x4096xf16>, tensor<0x100x1024xf16>, tensor<0x128xf16>
}

//--- parts.mlir
// The sums of 64 parts of K of three contractions would be 48 KB, beside those
// of the cluster: more than a block has. 32 parts of 8 threads each.
// CHECK: kernel.func @main_gemm_0_{{.*}} block = [256, 1, 1], cluster = [8, 1, 1]
func.func @main(%x: tensor<1x8736xf16>, %a: tensor<8736x72xf16>, %b: tensor<8736x72xf16>, %c: tensor<8736x72xf16>) -> tensor<1x72xf16> {
  %0 = trace.matmul %x, %a : (tensor<1x8736xf16>, tensor<8736x72xf16>) -> tensor<1x72xf16>
  %1 = trace.matmul %x, %b : (tensor<1x8736xf16>, tensor<8736x72xf16>) -> tensor<1x72xf16>
  %2 = trace.matmul %x, %c : (tensor<1x8736xf16>, tensor<8736x72xf16>) -> tensor<1x72xf16>
  %3 = trace.sub %0, %1 : (tensor<1x72xf16>, tensor<1x72xf16>) -> tensor<1x72xf16>
  %y = trace.sub %3, %2 : (tensor<1x72xf16>, tensor<1x72xf16>) -> tensor<1x72xf16>
  return %y : tensor<1x72xf16>
}
