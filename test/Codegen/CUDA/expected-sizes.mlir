// A program of dynamic rows gets the tile of the static one that has the rows of the profile's optimum, where that is right for
// all rows of the profile.
// RUN: tripy-opt %s --split-input-file --tripy-cuda --remark-format=emitRemark --remarks-filter=gemm 2>&1 | FileCheck %s

// 5 rows at most 8: swapAB takes all.
// CHECK: tile 8x64,split=2,swapAB: by the model
func.func @main(%x: tensor<?x4096xf16> {tripy.dims = ["rows", ""],
      tripy.profile = #tripy.profile<min = [1, 4096], opt = [5, 4096], max = [8, 4096]>},
    %w: tensor<4096x4096xf16>) -> tensor<?x4096xf16> {
  %y = trace.linear %x, %w : (tensor<?x4096xf16>, tensor<4096x4096xf16>) -> tensor<?x4096xf16>
  return %y : tensor<?x4096xf16>
}

// -----

// CHECK: tile 8x64,split=2,swapAB: by the model
func.func @main(%x: tensor<5x4096xf16>, %w: tensor<4096x4096xf16>) -> tensor<5x4096xf16> {
  %y = trace.linear %x, %w : (tensor<5x4096xf16>, tensor<4096x4096xf16>) -> tensor<5x4096xf16>
  return %y : tensor<5x4096xf16>
}

// -----

// CHECK: tile 16x64,split=2,swapAB: by the model
func.func @main(%x: tensor<?x4096xf16> {tripy.dims = ["rows", ""],
      tripy.profile = #tripy.profile<min = [1, 4096], opt = [16, 4096], max = [32, 4096]>},
    %w: tensor<4096x4096xf16>) -> tensor<?x4096xf16> {
  %y = trace.linear %x, %w : (tensor<?x4096xf16>, tensor<4096x4096xf16>) -> tensor<?x4096xf16>
  return %y : tensor<?x4096xf16>
}

// -----

// CHECK: tile 16x64,split=2,swapAB: by the model
func.func @main(%x: tensor<16x4096xf16>, %w: tensor<4096x4096xf16>) -> tensor<16x4096xf16> {
  %y = trace.linear %x, %w : (tensor<16x4096xf16>, tensor<4096x4096xf16>) -> tensor<16x4096xf16>
  return %y : tensor<16x4096xf16>
}

// -----

// There may be too many rows for swapAB.
// CHECK: tile 64x64,split=2: by the model
func.func @main(%x: tensor<?x4096xf16> {tripy.dims = ["rows", ""],
      tripy.profile = #tripy.profile<min = [1, 4096], opt = [16, 4096], max = [8192, 4096]>},
    %w: tensor<4096x4096xf16>) -> tensor<?x4096xf16> {
  %y = trace.linear %x, %w : (tensor<?x4096xf16>, tensor<4096x4096xf16>) -> tensor<?x4096xf16>
  return %y : tensor<?x4096xf16>
}

// -----

// CHECK: tile 64x64,split=2: by the model
func.func @main(%x: tensor<?x4096xf16> {tripy.dims = ["rows", ""],
      tripy.profile = #tripy.profile<min = [1, 4096], opt = [64, 4096], max = [8192, 4096]>},
    %w: tensor<4096x4096xf16>) -> tensor<?x4096xf16> {
  %y = trace.linear %x, %w : (tensor<?x4096xf16>, tensor<4096x4096xf16>) -> tensor<?x4096xf16>
  return %y : tensor<?x4096xf16>
}

// -----

// CHECK: tile 64x64,split=2: by the model
func.func @main(%x: tensor<64x4096xf16>, %w: tensor<4096x4096xf16>) -> tensor<64x4096xf16> {
  %y = trace.linear %x, %w : (tensor<64x4096xf16>, tensor<4096x4096xf16>) -> tensor<64x4096xf16>
  return %y : tensor<64x4096xf16>
}

// -----

// CHECK: tile 128x128,pingpong: by the model
func.func @main(%x: tensor<?x4096xf16> {tripy.dims = ["rows", ""],
      tripy.profile = #tripy.profile<min = [1, 4096], opt = [1024, 4096], max = [8192, 4096]>},
    %w: tensor<4096x4096xf16>) -> tensor<?x4096xf16> {
  %y = trace.linear %x, %w : (tensor<?x4096xf16>, tensor<4096x4096xf16>) -> tensor<?x4096xf16>
  return %y : tensor<?x4096xf16>
}

// -----

// CHECK: tile 128x128,pingpong: by the model
func.func @main(%x: tensor<1024x4096xf16>, %w: tensor<4096x4096xf16>) -> tensor<1024x4096xf16> {
  %y = trace.linear %x, %w : (tensor<1024x4096xf16>, tensor<4096x4096xf16>) -> tensor<1024x4096xf16>
  return %y : tensor<1024x4096xf16>
}

// -----

// CHECK: tile 128x128,pingpong: by the model
func.func @main(%x: tensor<?x4096xf16> {tripy.dims = ["rows", ""],
      tripy.profile = #tripy.profile<min = [1, 4096], opt = [8192, 4096], max = [8192, 4096]>},
    %w: tensor<4096x4096xf16>) -> tensor<?x4096xf16> {
  %y = trace.linear %x, %w : (tensor<?x4096xf16>, tensor<4096x4096xf16>) -> tensor<?x4096xf16>
  return %y : tensor<?x4096xf16>
}
