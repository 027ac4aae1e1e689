// 32769 x 32769 elements are odd, and more than 2^30: what is known to divide a size is cut off there, and stays a factor of it. One element of
// each batch is no part of a vector.
//
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %s

// CHECK: config = <grid = ()[s0] -> (((s0 * 1073807361) floordiv 8 + (s0 * 1073807361) mod 8) ceildiv 256, 1, 1)
func.func @main(%a: tensor<?x32769x32769xi8> {tripy.profile = #tripy.profile<min = [1, 32769, 32769], opt = [1, 32769, 32769], max = [2, 32769, 32769]>}) -> tensor<?x32769x32769xi8> {
  %0 = trace.neg %a : (tensor<?x32769x32769xi8>) -> tensor<?x32769x32769xi8>
  return %0 : tensor<?x32769x32769xi8>
}
