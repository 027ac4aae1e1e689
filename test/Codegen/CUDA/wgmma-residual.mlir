// A residual comes by TMA in the boxes that the result leaves from: four buffers of rows of 128 bytes for each consumer where the ring keeps
// four stages, more of 64 where the tile's columns are no multiple of 64.
// RUN: tripy-compile %s --target=cuda:sm_90a --gemm-tile=128x192,pingpong --stop-after=kernels -o - | FileCheck %s --check-prefix=WIDE
// RUN: tripy-compile %s --target=cuda:sm_90a --gemm-tile=128x160 --stop-after=kernels -o - | FileCheck %s --check-prefix=NARROW
// RUN: tripy-compile %s --target=cuda:sm_90a --gemm-tile=128x112 --stop-after=kernels -o - | FileCheck %s --check-prefix=NONE
// RUN: tripy-compile %s --target=cuda:sm_90a --gemm-tile=128x192,pingpong --stop-after=ptx -o - | FileCheck %s --check-prefix=PTX

// The ring, the boxes, barriers of stages and of boxes: 4 * (128 + 192) * 128 + 2 * 4 * 8192 + 4 * 16 + 2 * 4 * 8 bytes.
// WIDE: scratch = 229504
// WIDE-SAME: buffer = 3, dims = () -> (768, 8192), strides = () -> (1536), box = [64, 64], swizzle = 128
// All boxes of a tile: 5 * (128 + 160) * 128 + 2 * 5 * 4096 + 5 * 16 + 2 * 5 * 8 bytes.
// NARROW: scratch = 225440
// NARROW-SAME: buffer = 3, dims = () -> (768, 8192), strides = () -> (1536), box = [32, 64], swizzle = 64
// NONE: scratch
// NONE-NOT: buffer = 3,

// Four boxes of the residual before the main loop; the other two of a tile take the places of its first two, when these have been read.
// PTX-COUNT-4: cp.async.bulk.tensor.2d.shared::cluster.global
// PTX-COUNT-8: wgmma.mma_async
// PTX: cp.async.bulk.tensor.2d.global.shared
// PTX: cp.async.bulk.tensor.2d.global.shared
// PTX: cp.async.bulk.wait_group.read 1
// PTX: cp.async.bulk.tensor.2d.shared::cluster.global
// PTX: cp.async.bulk.tensor.2d.global.shared
// PTX: cp.async.bulk.wait_group.read 1
// PTX: cp.async.bulk.tensor.2d.shared::cluster.global
// PTX-COUNT-3: cp.async.bulk.tensor.2d.global.shared
// PTX-NOT: cp.async.bulk.tensor.2d.shared::cluster.global
func.func @main(%x: tensor<8192x768xf16>, %w: tensor<768x768xf16>, %b: tensor<768xf16>, %r: tensor<8192x768xf16>) -> tensor<8192x768xf16> {
  %0 = trace.linear %x, %w, %b : (tensor<8192x768xf16>, tensor<768x768xf16>, tensor<768xf16>) -> tensor<8192x768xf16>
  %1 = trace.add %0, %r : (tensor<8192x768xf16>, tensor<8192x768xf16>) -> tensor<8192x768xf16>
  return %1 : tensor<8192x768xf16>
}
