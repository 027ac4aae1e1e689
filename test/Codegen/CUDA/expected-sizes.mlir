// A program of dynamic rows gets the tile of the static one that has the rows of the profile's optimum, in a version for
// rows like these; others have versions with other schedules.
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
// Of 1 to 8192 rows, kernels for few, where those that are expected have one of their own, and for more.
// CHECK-DAG: Function=main_gemm_0_dot_17_to_64 | Remark="for 17 to 64 rows: tile 32x64,split=2,swapAB: by the model
// CHECK-DAG: Function=main_gemm_0_dot_65_to_192 | Remark="for 65 to 192 rows: tile 64x96: by the model
// CHECK-DAG: Function=main_gemm_0_dot_1025_to_8192 | Remark="for 1025 to 8192 rows: tile 128x192,pingpong: by the model
// CHECK-DAG: Function=main_gemm_0_dot_1_to_2 | Remark="for 1 to 2 rows: gemv
// CHECK-DAG: Function=main_gemm_0_dot | Remark="for 3 to 16 rows: tile 16x64,split=2,swapAB: by the model
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

// CHECK: tile 128x256: by the model
func.func @main(%x: tensor<?x4096xf16> {tripy.dims = ["rows", ""],
      tripy.profile = #tripy.profile<min = [1, 4096], opt = [1024, 4096], max = [8192, 4096]>},
    %w: tensor<4096x4096xf16>) -> tensor<?x4096xf16> {
  %y = trace.linear %x, %w : (tensor<?x4096xf16>, tensor<4096x4096xf16>) -> tensor<?x4096xf16>
  return %y : tensor<?x4096xf16>
}

// -----

// CHECK: tile 128x256: by the model
func.func @main(%x: tensor<1024x4096xf16>, %w: tensor<4096x4096xf16>) -> tensor<1024x4096xf16> {
  %y = trace.linear %x, %w : (tensor<1024x4096xf16>, tensor<4096x4096xf16>) -> tensor<1024x4096xf16>
  return %y : tensor<1024x4096xf16>
}

// -----

// CHECK: tile 128x192,pingpong: by the model
func.func @main(%x: tensor<?x4096xf16> {tripy.dims = ["rows", ""],
      tripy.profile = #tripy.profile<min = [1, 4096], opt = [8192, 4096], max = [8192, 4096]>},
    %w: tensor<4096x4096xf16>) -> tensor<?x4096xf16> {
  %y = trace.linear %x, %w : (tensor<?x4096xf16>, tensor<4096x4096xf16>) -> tensor<?x4096xf16>
  return %y : tensor<?x4096xf16>
}
