// RUN: tripy-opt %s --tripy-cpu | FileCheck %s
// RUN: tripy-opt %s --tripy-cuda | FileCheck %s

// A size of 0 folds the reduction away before kernels are planned.

// CHECK: kernel.launch @main_loop_0_broadcast
func.func @main(%x: tensor<0x8xf32>) -> tensor<0x1xf32> {
  %q = flatir.mul %x, %x : tensor<0x8xf32>
  %s = flatir.reduce sum %q dims = [1] : tensor<0x8xf32> -> tensor<0xf32>
  %k = flatir.reshape %s sizes() : tensor<0xf32> -> tensor<0x1xf32>
  return %k : tensor<0x1xf32>
}
