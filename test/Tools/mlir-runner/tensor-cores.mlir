// The same with wgmma: tensor maps by value, encoded when the program runs.
//
// RUN: tripy-opt %s --pass-pipeline='builtin.module(tripy-cuda{chip=sm_90a},device-code-to-binary{chip=sm_90a},kernel-to-gpu)' | FileCheck %s --check-prefix=LOWERED
// LOWERED: llvm.call @tripyEncodeTensorMap
// LOWERED: gpu.launch_func async [%{{.*}}] @device_code::@{{.*}}gemm{{.*}}dynamic_shared_memory_size %{{.*}} args({{.*}} : !llvm.array<16 x i64>
// LOWERED: llvm.func @tripyEncodeTensorMap
//
// RUN: %emulated %S/Inputs/run %bin/.. %llvm %s %S/Inputs/host-f16.mlir sm_90a 200 | FileCheck %s
// CHECK: sizes = [200, 64] strides = [64, 1] data =
// CHECK-NEXT: 0,   0,   0,   0,
// CHECK-NEXT: 1,   1,   1,   1,
// CHECK-NEXT: 2,   2,   2,   2,
// CHECK: 199,   199,   199,   199,

func.func @main(%x: tensor<?x64xf16> {tripy.profile = #tripy.profile<min = [1, 64], opt = [200, 64], max = [256, 64]>}, %w: tensor<64x64xf16>) -> tensor<?x64xf32> {
  %c = trace.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 30.0, 31.0, 32.0, 33.0, 34.0, 35.0, 36.0, 37.0, 38.0, 39.0, 40.0, 41.0, 42.0, 43.0, 44.0, 45.0, 46.0, 47.0, 48.0, 49.0, 50.0, 51.0, 52.0, 53.0, 54.0, 55.0, 56.0, 57.0, 58.0, 59.0, 60.0, 61.0, 62.0, 63.0]> : tensor<64xf32>
  %0 = trace.linear %x, %w : (tensor<?x64xf16>, tensor<64x64xf16>) -> tensor<?x64xf16>
  %1 = trace.cast %0 to f32 : (tensor<?x64xf16>) -> tensor<?x64xf32>
  %2 = trace.sub %1, %c : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  return %2 : tensor<?x64xf32>
}
