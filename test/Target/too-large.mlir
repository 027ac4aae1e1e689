// What 32 bits of a launch cannot count is refused with the tensor, at the
// user's line; one element less is right.

// A block for each small product: 2^31 - 1 of them, and 2^31.
// RUN: tripy-compile %s --target=cuda --function=most_blocks -o %t.tpx
// RUN: tripy-run %t.tpx --info | FileCheck %s --check-prefix=INFO
// INFO: kernels: 1, launches: 1
func.func @most_blocks(%x: tensor<2147483647x4x4xf32>, %y: tensor<2147483647x4x4xf32>) -> tensor<2147483647x4x4xf32> {
  %0 = trace.matmul %x, %y : (tensor<2147483647x4x4xf32>, tensor<2147483647x4x4xf32>) -> tensor<2147483647x4x4xf32>
  return %0 : tensor<2147483647x4x4xf32>
}
// RUN: not tripy-compile %s --target=cuda --function=blocks -o %t.none 2>&1 | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: --> {{.*}}too-large.mlir:[[#@LINE+3]]
// BLOCKS: error: the kernel 'blocks_gemm_0_dot' would need 2147483648 blocks for the largest sizes of its tensors, but a launch has at most 2147483647 in x; its largest tensor, 'tensor<2147483648x4x4xf32>', has up to 137438953472 bytes
func.func @blocks(%x: tensor<2147483648x4x4xf32>, %y: tensor<2147483648x4x4xf32>) -> tensor<2147483648x4x4xf32> {
  %0 = trace.matmul %x, %y : (tensor<2147483648x4x4xf32>, tensor<2147483648x4x4xf32>) -> tensor<2147483648x4x4xf32>
  return %0 : tensor<2147483648x4x4xf32>
}

// Only the host counts on.
// RUN: tripy-compile %s --target=cpu --function=blocks -o %t.tpx

// Rows whose length is known at run time only share blocks, too.
// RUN: tripy-compile %s --target=cuda --function=scan -o %t.tpx
func.func @scan(%x: tensor<3000000000x?xi8> {tripy.profile = #tripy.profile<min = [3000000000, 1], opt = [3000000000, 300], max = [3000000000, 300]>}) -> tensor<3000000000x?xi8> {
  %0 = trace.cumsum %x dim = 1 : (tensor<3000000000x?xi8>) -> tensor<3000000000x?xi8>
  return %0 : tensor<3000000000x?xi8>
}

// For dynamic sizes the profile decides. Rows that may have no column have a block each.
// RUN: tripy-compile %s --target=cuda --function=most_rows -o %t.tpx
func.func @most_rows(%x: tensor<?x?xf16> {tripy.profile = #tripy.profile<min = [1, 0], opt = [1, 2], max = [2147483647, 4]>}) -> tensor<?x?xf16> {
  %0 = trace.softmax %x dim = 1 : (tensor<?x?xf16>) -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}
// RUN: not tripy-compile %s --target=cuda --function=rows -o %t.none 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: --> {{.*}}too-large.mlir:[[#@LINE+3]]
// ROWS: error: the kernel 'rows_row_0_softmax' would need 4294967299 blocks for the largest sizes of its tensors, but a launch has at most 2147483647 in x; its largest tensor, 'tensor<?x?xf16>', has up to 34359738392 bytes
func.func @rows(%x: tensor<?x?xf16> {tripy.profile = #tripy.profile<min = [1, 0], opt = [1, 2], max = [4294967299, 4]>}) -> tensor<?x?xf16> {
  %0 = trace.softmax %x dim = 1 : (tensor<?x?xf16>) -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}

// Tensor maps have coordinates of 32 bits. Where the size is static, a kernel
// without them takes over.
// RUN: tripy-compile %s --target=cuda --function=maps --stop-after=kernels | FileCheck %s --check-prefix=MAPS
// RUN: tripy-compile %s --target=cuda --function=maps -o %t.tpx
// MAPS-NOT: tensor_map
// MAPS: gpu.func @maps_gemm_0
func.func @maps(%x: tensor<2147483648x64xf16>, %w: tensor<64x64xf16>) -> tensor<2147483648x64xf16> {
  %0 = trace.linear %x, %w : (tensor<2147483648x64xf16>, tensor<64x64xf16>) -> tensor<2147483648x64xf16>
  return %0 : tensor<2147483648x64xf16>
}
// RUN: not tripy-compile %s --target=cuda --function=dynamic_maps -o %t.none 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: --> {{.*}}too-large.mlir:[[#@LINE+3]]
// DYNAMIC: error: the kernel 'dynamic_maps_gemm_0_dot' copies 'tensor<?x64xf16>' by a tensor map, whose dimensions may have at most 2147483647 elements; for the largest sizes of the profile one has 2147483648
func.func @dynamic_maps(%x: tensor<?x64xf16> {tripy.profile = #tripy.profile<min = [1, 64], opt = [4096, 64], max = [2147483648, 64]>}, %w: tensor<64x64xf16>) -> tensor<?x64xf16> {
  %0 = trace.linear %x, %w : (tensor<?x64xf16>, tensor<64x64xf16>) -> tensor<?x64xf16>
  return %0 : tensor<?x64xf16>
}

// RUN: not ls %t.none
