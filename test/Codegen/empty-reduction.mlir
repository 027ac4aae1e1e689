// RUN: tripy-opt %s --tripy-cpu | FileCheck %s
// RUN: tripy-opt %s --tripy-cuda | FileCheck %s

// A size of 0 folds the reduction away; the kernel keeps the hero that it was
// planned around, and is emitted all the same.

// CHECK: kernel.launch @main_row_0_mul_sum
func.func @main(%x: tensor<0x8xf32>) -> tensor<0x1xf32> {
  %q = flatir.mul %x, %x : tensor<0x8xf32>
  %s = flatir.reduce sum %q dims = [1] : tensor<0x8xf32> -> tensor<0xf32>
  %k = flatir.reshape %s sizes() : tensor<0xf32> -> tensor<0x1xf32>
  return %k : tensor<0x1xf32>
}
