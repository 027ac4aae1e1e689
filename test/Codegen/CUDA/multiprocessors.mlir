// Work is spread over the multiprocessors that the chip has: 108 of an A100, 142 of an L40.
// RUN: tripy-opt %s --tripy-cuda=chip=sm_80 | FileCheck %s --check-prefix=SM80
// RUN: tripy-opt %s --tripy-cuda=chip=sm_89 | FileCheck %s --check-prefix=SM89

// 256 blocks of 16 columns are two for each of 108 multiprocessors, but not for each of 142.
// SM80: config = <grid = () -> (256, 1, 1), block = [256, 1, 1]
// SM89: config = <grid = () -> (512, 1, 1), block = [128, 1, 1]
func.func @main(%x: tensor<4x4096xf16>, %w: tensor<4096x4096xf16>) -> tensor<4x4096xf16> {
  %y = trace.linear %x, %w : (tensor<4x4096xf16>, tensor<4096x4096xf16>) -> tensor<4x4096xf16>
  return %y : tensor<4x4096xf16>
}
