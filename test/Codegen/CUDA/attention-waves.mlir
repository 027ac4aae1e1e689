// How attention is cut where there are more heads than multiprocessors, and where rows of keys are no whole boxes
// (bench/results/notes-gemm.md, 52).
// RUN: split-file %s %t
// RUN: tripy-compile %t/many.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/many.mlir
// RUN: tripy-compile %t/more.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/more.mlir
// RUN: tripy-compile %t/few.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/few.mlir
// RUN: tripy-compile %t/partial.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/partial.mlir
// RUN: tripy-compile %t/rows.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/rows.mlir
// RUN: tripy-compile %t/long.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/long.mlir
// RUN: tripy-compile %t/tiles.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/tiles.mlir

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

//--- rows.mlir
// 52 rows of 15 heads of keys: blocks of 64 rows that go through all keys were 15 (bench/results/notes-gemm.md, 54).
// CHECK: #kernel.split_attention_schedule<splits = {{[2-9]}},
func.func @main(%q: tensor<3x20x13x40xf16>, %k: tensor<3x5x2200x40xf16>, %v: tensor<3x5x2200x40xf16>) -> tensor<3x20x13x40xf16> {
  %y = trace.attention %q, %k, %v : (tensor<3x20x13x40xf16>, tensor<3x5x2200x40xf16>, tensor<3x5x2200x40xf16>) -> tensor<3x20x13x40xf16>
  return %y : tensor<3x20x13x40xf16>
}

//--- long.mlir
// 4 heads of 62 queries and long keys, for which there are tiles as well.
// CHECK: #kernel.split_attention_schedule<splits = 14,
func.func @main(%q: tensor<1x4x62x128xf16>, %k: tensor<1x4x3413x128xf16>, %v: tensor<1x4x3413x128xf16>) -> tensor<1x4x62x128xf16> {
  %y = trace.attention %q, %k, %v : (tensor<1x4x62x128xf16>, tensor<1x4x3413x128xf16>, tensor<1x4x3413x128xf16>) -> tensor<1x4x62x128xf16>
  return %y : tensor<1x4x62x128xf16>
}

//--- tiles.mlir
// Enough heads for tiles, and few keys: whole keys.
// CHECK: #kernel.attention_schedule<
func.func @main(%q: tensor<6x16x63x64xf16>, %k: tensor<6x16x512x64xf16>, %v: tensor<6x16x512x64xf16>) -> tensor<6x16x63x64xf16> {
  %y = trace.attention %q, %k, %v : (tensor<6x16x63x64xf16>, tensor<6x16x512x64xf16>, tensor<6x16x512x64xf16>) -> tensor<6x16x63x64xf16>
  return %y : tensor<6x16x63x64xf16>
}
