// Few tiles of a long K whose rows begin within lines: short copies are what they take their time for. Small tiles
// on all multiprocessors copy k-blocks of 128 bytes. More tiles, or a short K, have the tile of the least work.
//
// RUN: tripy-opt %s --split-input-file --tripy-cuda=chip=sm_90a --remark-format=emitRemark --remarks-filter=gemm 2>&1 | FileCheck %s

// CHECK: "tile 32x64 with mma.sync, {{[0-9]+}} stages: by the model"
func.func @few(%a: tensor<8x1500x1500xf16>, %b: tensor<8x1500x64xf16>) -> tensor<8x1500x64xf16> {
  %0 = trace.matmul %a, %b : (tensor<8x1500x1500xf16>, tensor<8x1500x64xf16>) -> tensor<8x1500x64xf16>
  return %0 : tensor<8x1500x64xf16>
}

// -----

// CHECK: "tile 128x64 with mma.sync, {{[0-9]+}} stages: by the model"
func.func @many(%a: tensor<24x1500x1500xf16>, %b: tensor<24x1500x64xf16>) -> tensor<24x1500x64xf16> {
  %0 = trace.matmul %a, %b : (tensor<24x1500x1500xf16>, tensor<24x1500x64xf16>) -> tensor<24x1500x64xf16>
  return %0 : tensor<24x1500x64xf16>
}
