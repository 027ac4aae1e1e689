// How attention is cut where there are more heads than multiprocessors, and where rows of keys are no whole boxes
// (bench/results/notes-gemm.md, 52).
// RUN: split-file %s %t
// RUN: tripy-compile %t/many.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/many.mlir
// RUN: tripy-compile %t/more.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/more.mlir
// RUN: tripy-compile %t/few.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/few.mlir
// RUN: tripy-compile %t/partial.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/partial.mlir

//--- many.mlir
// 1075 heads on 264 places: a block for each, with 1117 keys. Nine for each were 9675 blocks of 124 keys.
// CHECK: #kernel.split_attention_schedule<splits = 1,
func.func @main(%q: tensor<43x25x1x64xf16>, %k: tensor<43x25x1117x64xf16>, %v: tensor<43x25x1117x64xf16>) -> tensor<43x25x1x64xf16> {
  %y = trace.attention %q, %k, %v : (tensor<43x25x1x64xf16>, tensor<43x25x1117x64xf16>, tensor<43x25x1117x64xf16>) -> tensor<43x25x1x64xf16>
  return %y : tensor<43x25x1x64xf16>
}

//--- more.mlir
// Some more than there are places.
// CHECK: #kernel.split_attention_schedule<splits = 1,
func.func @main(%q: tensor<41x16x1x128xf16>, %k: tensor<41x8x810x128xf16>, %v: tensor<41x8x810x128xf16>) -> tensor<41x16x1x128xf16> {
  %y = trace.attention %q, %k, %v : (tensor<41x16x1x128xf16>, tensor<41x8x810x128xf16>, tensor<41x8x810x128xf16>) -> tensor<41x16x1x128xf16>
  return %y : tensor<41x16x1x128xf16>
}

//--- few.mlir
// 32 heads leave most multiprocessors idle.
// CHECK: #kernel.split_attention_schedule<splits = 8,
func.func @main(%q: tensor<4x8x1x128xf16>, %k: tensor<4x8x3536x128xf16>, %v: tensor<4x8x3536x128xf16>) -> tensor<4x8x1x128xf16> {
  %y = trace.attention %q, %k, %v : (tensor<4x8x1x128xf16>, tensor<4x8x3536x128xf16>, tensor<4x8x3536x128xf16>) -> tensor<4x8x1x128xf16>
  return %y : tensor<4x8x1x128xf16>
}

//--- partial.mlir
// 72 columns are two boxes of 32 and a part of one: TMA takes longer for a block of keys than 128 queries do.
// CHECK: #kernel.attention_schedule<tile = [192, 96],
func.func @main(%q: tensor<4x32x1402x72xf16>, %k: tensor<4x32x1402x72xf16>, %v: tensor<4x32x1402x72xf16>) -> tensor<4x32x1402x72xf16> {
  %y = trace.attention %q, %k, %v : (tensor<4x32x1402x72xf16>, tensor<4x32x1402x72xf16>, tensor<4x32x1402x72xf16>) -> tensor<4x32x1402x72xf16>
  return %y : tensor<4x32x1402x72xf16>
}
