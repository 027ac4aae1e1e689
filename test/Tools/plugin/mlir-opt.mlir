// A stock mlir-opt with TripyPlugin.so knows Tripy's dialects, passes and
// pipelines.
//
// REQUIRES: plugin
// DEFINE: %{opt} = mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin
//
// RUN: %{opt} %s --pass-pipeline='builtin.module(trace-to-flatir,func.func(canonicalize),flatir-form-dispatches,kernel-outline)' | FileCheck %s --check-prefix=KERNELS
// KERNELS: kernel.call @main_row_0_exp_softmax
// KERNELS: kernel.func @main_row_0_exp_softmax row
// KERNELS: flatir.reduce max
//
// RUN: %{opt} %s --pass-pipeline='builtin.module(tripy-cuda{chip=sm_80})' | FileCheck %s --check-prefix=CUDA
// CUDA: kernel.launch @main_row_0_exp_softmax
// CUDA: gpu.module @device_code
// CUDA: gpu.func @main_row_0_exp_softmax
//
// RUN: %{opt} %s --pass-pipeline='builtin.module(tripy-cpu)' | FileCheck %s --check-prefix=CPU
// CPU: module @host_code
//
// RUN: not %{opt} %S/../../Examples/absent.mlir 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: cannot open input file

func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = trace.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = trace.softmax %0 dim = 1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
