// RUN: tripy-opt %s --verify-diagnostics --kernel-emit-cpu

// A work item sorts whole rows: no kernel for the CPU has half of a pass.

// expected-error @below {{is half of a pass of a sort, which kernels for CUDA alone do}}
kernel.func @counts sort sizeArgs = [] : (tensor<4x8xf32>) -> tensor<4x1x256xi32> {
^bb0(%a: tensor<4x8xf32>):
  %0 = kernel.digit_counts input(%a : tensor<4x8xf32>) digit = 0 chunks = 1 -> tensor<4x1x256xi32>
  kernel.yield %0 : tensor<4x1x256xi32>
}
