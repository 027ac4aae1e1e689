// More rows than few, which tiles of 64 or 128 rows do not divide: with swapAB they are cut into equal parts where the model says
// that this pays (bench/results/notes-gemm.md, 48, 49 and 51).
// RUN: split-file %s %t
// RUN: tripy-compile %t/large.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/large.mlir
// RUN: tripy-compile %t/columns.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/columns.mlir
// RUN: tripy-compile %t/one.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/one.mlir
// RUN: tripy-compile %t/many.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/many.mlir
// RUN: tripy-compile %t/narrow.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/narrow.mlir
// RUN: tripy-compile %t/residual.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/residual.mlir
// RUN: tripy-compile %t/short.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/short.mlir
// RUN: tripy-compile %t/whole.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/whole.mlir
// RUN: tripy-compile %t/turns.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/turns.mlir
// RUN: tripy-compile %t/wide.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/wide.mlir
// RUN: tripy-compile %t/broken.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/broken.mlir
// RUN: tripy-compile %t/divided.mlir --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %t/divided.mlir

//--- large.mlir
// A wave of 128 tiles.
// CHECK: #kernel.wgmma_schedule<tile = [136, 128], stages = 6, clusterM = 2, swapAB = true, from = model>
func.func @main(%x: tensor<257x8192xf16>, %w: tensor<8192x8192xf16>) -> tensor<257x8192xf16> {
  %0 = trace.linear %x, %w : (tensor<257x8192xf16>, tensor<8192x8192xf16>) -> tensor<257x8192xf16>
  return %0 : tensor<257x8192xf16>
}

//--- columns.mlir
// Pairs share the rows of the matrix.
// CHECK: #kernel.wgmma_schedule<tile = [104, 192], stages = 4, clusterM = 2, swapAB = true, from = model>
func.func @main(%x: tensor<200x8192xf16>, %w: tensor<12288x8192xf16>) -> tensor<200x12288xf16> {
  %0 = trace.linear %x, %w : (tensor<200x8192xf16>, tensor<12288x8192xf16>) -> tensor<200x12288xf16>
  return %0 : tensor<200x12288xf16>
}

//--- one.mlir
// CHECK: #kernel.wgmma_schedule<tile = [200, 128], stages = 5, swapAB = true, from = model>
func.func @main(%x: tensor<400x4096xf16>, %w: tensor<8192x4096xf16>) -> tensor<400x8192xf16> {
  %0 = trace.linear %x, %w : (tensor<400x4096xf16>, tensor<8192x4096xf16>) -> tensor<400x8192xf16>
  return %0 : tensor<400x8192xf16>
}

//--- many.mlir
// More than 640 rows: 8 parts of 200 fill one wave where tiles of 128x256 leave 28 multiprocessors idle (49).
// CHECK: #kernel.wgmma_schedule<tile = [200, 128], stages = 5, swapAB = true, from = model>
func.func @main(%x: tensor<1576x3584xf16>, %w: tensor<3584x2048xf16>) -> tensor<1576x2048xf16> {
  %0 = trace.matmul %x, %w : (tensor<1576x3584xf16>, tensor<3584x2048xf16>) -> tensor<1576x2048xf16>
  return %0 : tensor<1576x2048xf16>
}

//--- narrow.mlir
// CHECK: #kernel.wgmma_schedule<tile = [168, 128], stages = 5, swapAB = true, from = model>
func.func @main(%x: tensor<4302x11008xf16>, %w: tensor<640x11008xf16>) -> tensor<4302x640xf16> {
  %0 = trace.linear %x, %w : (tensor<4302x11008xf16>, tensor<640x11008xf16>) -> tensor<4302x640xf16>
  return %0 : tensor<4302x640xf16>
}

//--- residual.mlir
// TMA brings the residual across the tile.
// CHECK: #kernel.wgmma_schedule<tile = [136, 256], stages = 4, swapAB = true, from = model>
func.func @main(%x: tensor<533x3072xf16>, %w: tensor<8192x3072xf16>, %r: tensor<533x8192xf16>) -> tensor<533x8192xf16> {
  %0 = trace.linear %x, %w : (tensor<533x3072xf16>, tensor<8192x3072xf16>) -> tensor<533x8192xf16>
  %1 = trace.add %0, %r : (tensor<533x8192xf16>, tensor<533x8192xf16>) -> tensor<533x8192xf16>
  return %1 : tensor<533x8192xf16>
}

//--- short.mlir
// CHECK: #kernel.wgmma_schedule<tile = [128, 160], stages = 5, from = model>
func.func @main(%x: tensor<577x768xf16>, %w: tensor<4096x768xf16>) -> tensor<577x4096xf16> {
  %0 = trace.linear %x, %w : (tensor<577x768xf16>, tensor<4096x768xf16>) -> tensor<577x4096xf16>
  return %0 : tensor<577x4096xf16>
}

//--- whole.mlir
// Rows that tiles of 128 divide.
// CHECK: #kernel.wgmma_schedule<tile = [192, 128], stages = 4, from = model>
func.func @main(%x: tensor<384x8192xf16>, %w: tensor<8192x8192xf16>) -> tensor<384x8192xf16> {
  %0 = trace.linear %x, %w : (tensor<384x8192xf16>, tensor<8192x8192xf16>) -> tensor<384x8192xf16>
  return %0 : tensor<384x8192xf16>
}

//--- turns.mlir
// Consumers in turns hide their epilogues, of a residual as well (51).
// CHECK: #kernel.wgmma_schedule<tile = [112, 192], stages = 4, consumers = pingpong, swapAB = true, from = model>
func.func @main(%x: tensor<1335x8192xbf16>, %w: tensor<4096x8192xbf16>, %r: tensor<1335x4096xbf16>) -> tensor<1335x4096xbf16> {
  %0 = trace.linear %x, %w : (tensor<1335x8192xbf16>, tensor<4096x8192xbf16>) -> tensor<1335x4096xbf16>
  %1 = trace.add %0, %r : (tensor<1335x4096xbf16>, tensor<1335x4096xbf16>) -> tensor<1335x4096xbf16>
  return %1 : tensor<1335x4096xbf16>
}

//--- wide.mlir
// CHECK: #kernel.wgmma_schedule<tile = [144, 256], stages = 4, swapAB = true, from = model>
func.func @main(%x: tensor<410x6144xbf16>, %w: tensor<10240x6144xbf16>) -> tensor<410x10240xbf16> {
  %0 = trace.linear %x, %w : (tensor<410x6144xbf16>, tensor<10240x6144xbf16>) -> tensor<410x10240xbf16>
  return %0 : tensor<410x10240xbf16>
}

//--- broken.mlir
// Rows that begin within lines of the L2 cache: neighbours share k-blocks.
// CHECK: #kernel.wgmma_schedule<tile = [144, 128], stages = 5, consumers = pingpong, clusterN = 2, swapAB = true, from = model>
func.func @main(%x: tensor<1420x392xbf16>, %w: tensor<392x3072xbf16>) -> tensor<1420x3072xbf16> {
  %0 = trace.matmul %x, %w : (tensor<1420x392xbf16>, tensor<392x3072xbf16>) -> tensor<1420x3072xbf16>
  return %0 : tensor<1420x3072xbf16>
}

//--- divided.mlir
// 160 does not divide 4096 rows, and 26 tiles across are two waves of 130.
// CHECK: #kernel.wgmma_schedule<tile = [160, 128], stages = 5, consumers = pingpong, swapAB = true, from = model>
func.func @main(%x: tensor<4096x1024xbf16>, %w: tensor<1024x1280xbf16>, %r: tensor<4096x1280xbf16>) -> tensor<4096x1280xbf16> {
  %0 = trace.matmul %x, %w : (tensor<4096x1024xbf16>, tensor<1024x1280xbf16>) -> tensor<4096x1280xbf16>
  %1 = trace.add %0, %r : (tensor<4096x1280xbf16>, tensor<4096x1280xbf16>) -> tensor<4096x1280xbf16>
  return %1 : tensor<4096x1280xbf16>
}
