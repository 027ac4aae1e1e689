// A compiled program as gpu operations, run by a stock mlir-runner: inputs,
// constants and an arena, a dynamic size, five kernels,
// of which three are for other sizes. Row i of the result is
// i * (i + 1) / 2 + i * j.
//
// RUN: tripy-opt %s --pass-pipeline='builtin.module(tripy-cuda{chip=sm_80},device-code-to-binary{chip=sm_80},kernel-to-gpu)' | FileCheck %s --check-prefix=LOWERED
// LOWERED-DAG: dimension 0 of input {{.*}} must be within its profile, 1 to 16
// LOWERED-DAG: dimension 0 of output 0 must have the size that main_output_sizes returns
// LOWERED: memref.global "private" constant @main_constant_0 : memref<64xf32>
// LOWERED: func.func @main_constants() -> memref<64xf32>
// LOWERED: func.func @main_output_sizes(%{{.*}}: memref<?x64xf32>, %{{.*}}: memref<64x64xf32>) -> index
// LOWERED: func.func @main(%{{.*}}: memref<?x64xf32>, %{{.*}}: memref<64x64xf32>, %{{.*}}: memref<64xf32>, %{{.*}}: memref<?x64xf32>)
// LOWERED: %[[OWN:.*]] = gpu.launch_func async [%{{.*}}] @device_code::@main_gemm_0_dot blocks
// LOWERED: %[[TWO:.*]] = gpu.launch_func async [%[[OWN]]] @device_code::@main_gemm_0_dot_1_to_2
// LOWERED: %[[FOUR:.*]] = gpu.launch_func async [%[[TWO]]] @device_code::@main_gemm_0_dot_3_to_4
// LOWERED: %[[FIRST:.*]] = gpu.launch_func async [%[[FOUR]]] @device_code::@main_gemm_0_dot_9_to_16
// LOWERED: %[[SECOND:.*]] = gpu.launch_func async [%[[FIRST]]] @device_code::@main_scan_1_scan_sub
// LOWERED: gpu.dealloc async [%[[SECOND]]]
// LOWERED: gpu.binary @device_code [#gpu.object<#nvvm.target<{{.*}}chip = "sm_80"
// LOWERED-NOT: kernel.func
//
// RUN: %emulated TRIPY_EMULATOR_ARCH=80 %S/Inputs/run %bin/.. %llvm %s %S/Inputs/host.mlir sm_80 | FileCheck %s
// CHECK: sizes = [5, 64] strides = [64, 1] data =
// CHECK-NEXT: 0,   0,   0,   0,
// CHECK-NEXT: 1,   2,   3,   4,
// CHECK-NEXT: 3,   5,   7,   9,
// CHECK-NEXT: 6,   9,   12,   15,
// CHECK-NEXT: 10,   14,   18,   22,
//
// Sizes outside of the profile end the process before anything is launched.
// RUN: not %emulated TRIPY_EMULATOR_ARCH=80 %S/Inputs/run %bin/.. %llvm %s %S/Inputs/host.mlir sm_80 17 2>&1 | FileCheck %s --check-prefix=PROFILE
// PROFILE: TripyCudaWrappers: error: tripyRequire: dimension 0 of input {{.*}} must be within its profile, 1 to 16
//
// A machine without a GPU: one sentence.
// RUN: not env CUDA_VISIBLE_DEVICES= %S/Inputs/run %bin/.. %llvm %s %S/Inputs/host.mlir sm_80 2>&1 | FileCheck %s --check-prefix=DRIVER
// DRIVER: TripyCudaWrappers: error: mgpu{{[A-Za-z]+}}: {{.+}}
// DRIVER-NOT: {{.}}

func.func @main(%x: tensor<?x64xf32> {tripy.profile = #tripy.profile<min = [1, 64], opt = [5, 64], max = [16, 64]>}, %w: tensor<64x64xf32>) -> tensor<?x64xf32> {
  %c = trace.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 30.0, 31.0, 32.0, 33.0, 34.0, 35.0, 36.0, 37.0, 38.0, 39.0, 40.0, 41.0, 42.0, 43.0, 44.0, 45.0, 46.0, 47.0, 48.0, 49.0, 50.0, 51.0, 52.0, 53.0, 54.0, 55.0, 56.0, 57.0, 58.0, 59.0, 60.0, 61.0, 62.0, 63.0]> : tensor<64xf32>
  %0 = trace.linear %x, %w : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
  %1 = trace.cumsum %0 dim = 0 : (tensor<?x64xf32>) -> tensor<?x64xf32>
  %2 = trace.sub %1, %c : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
  return %2 : tensor<?x64xf32>
}
