// Many columns of unknown length whose sums have 8 bytes: a block's sums fit
// into static shared memory.
//
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %s
// CHECK: kernel.func @main_reduce_0_sum
// CHECK-SAME: cluster = [1, 1, 1]
func.func @main(%x: tensor<256x?x16xi1> {tripy.profile = #tripy.profile<min = [256, 1, 16], opt = [256, 400000, 16], max = [256, 500000, 16]>}) -> (tensor<?x16xi64> {tripy.name = "y"}) {
  %c = trace.cast %x to i64 : (tensor<256x?x16xi1>) -> tensor<256x?x16xi64>
  %y = trace.sum %c dims = [0] : (tensor<256x?x16xi64>) -> tensor<?x16xi64>
  return %y : tensor<?x16xi64>
}
