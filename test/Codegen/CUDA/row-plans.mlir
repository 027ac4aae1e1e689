// How many threads, warps or blocks have a row, by number and length of rows.
//
// RUN: split-file %s %t
// RUN: tripy-compile %t/lanes.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/lanes.mlir --implicit-check-not=.local
// RUN: tripy-compile %t/many.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/many.mlir
// RUN: tripy-compile %t/odd.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/odd.mlir --implicit-check-not=ld.global.b16
// RUN: tripy-compile %t/cluster.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/cluster.mlir
// RUN: tripy-compile %t/few.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/few.mlir
// RUN: tripy-compile %t/pieces.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/pieces.mlir
// RUN: tripy-compile %t/once.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/once.mlir --check-prefixes=CHECK,STATIC
// RUN: tripy-compile %t/expected.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/once.mlir
// RUN: tripy-compile %t/groups.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/groups.mlir --implicit-check-not=ld.global.b16
// RUN: tripy-compile %t/whole.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/whole.mlir
// RUN: tripy-compile %t/chunks.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/chunks.mlir

//--- lanes.mlir
// 24 vectors of a row are three of each of 8 lanes, which exchange sums in three steps.
// CHECK: .maxntid 128
// CHECK-COUNT-3: ld.global.L1::no_allocate.v4.b32
// CHECK-COUNT-3: shfl.sync.bfly
// CHECK-NOT: shfl
func.func @main(%x: tensor<6272x192xf16>) -> tensor<6272xf16> {
  %0 = trace.sum %x dims = [1] : (tensor<6272x192xf16>) -> tensor<6272xf16>
  return %0 : tensor<6272xf16>
}

//--- many.mlir
// Blocks that move 6 KB or more: 32 rows of 256 bytes. A block of four rows was limited by its start.
// CHECK: grid = () -> (1568, 1, 1), block = [256, 1, 1]
func.func @main(%x: tensor<50176x128xf16>) -> tensor<50176xi32> {
  %0 = trace.argmax %x dim = -1 : (tensor<50176x128xf16>) -> tensor<50176xi32>
  return %0 : tensor<50176xi32>
}

//--- odd.mlir
// Rows of an odd multiple of 2 are read as vectors of 8, over their ends.
// CHECK: ld.global.v4.b32
func.func @main(%x: tensor<4096x9870xf16>) -> tensor<4096xf16> {
  %0 = trace.sum %x dims = [1] : (tensor<4096x9870xf16>) -> tensor<4096xf16>
  return %0 : tensor<4096xf16>
}

//--- cluster.mlir
// A softmax of few long rows is one kernel, whose blocks have what shared memory they need.
// CHECK: kernel.func {{.*}}grid = () -> (444, 1, 1), block = [256, 1, 1], cluster = [4, 1, 1], scratch = 32768
// CHECK-NOT: kernel.func
func.func @main(%x: tensor<111x65536xf16>) -> tensor<111x65536xf16> {
  %0 = trace.softmax %x dim = -1 : (tensor<111x65536xf16>) -> tensor<111x65536xf16>
  return %0 : tensor<111x65536xf16>
}

//--- few.mlir
// One row has eight blocks; 200 KB of it lie in each one's shared memory.
// CHECK: kernel.func {{.*}}grid = () -> (8, 1, 1), block = [512, 1, 1], cluster = [8, 1, 1], scratch = 204800
func.func @main(%x: tensor<1x409600xf32>) -> tensor<1x409600xf32> {
  %0 = trace.softmax %x dim = -1 : (tensor<1x409600xf32>) -> tensor<1x409600xf32>
  return %0 : tensor<1x409600xf32>
}

//--- pieces.mlir
// A row that fits nowhere is looped over, four vectors at a time.
// CHECK: $L__BB0_{{[0-9]+}}:
// CHECK-COUNT-4: ld.global{{.*}}.v4
// CHECK: bra
func.func @main(%x: tensor<300x1048576xf32>) -> tensor<300xf32> {
  %0 = trace.max %x dims = [1] : (tensor<300x1048576xf32>) -> tensor<300xf32>
  return %0 : tensor<300xf32>
}

//--- once.mlir
// All blocks start at once: the weights are asked for with the row, and nothing is behind a store.
// STATIC: .minnctapersm 3
// CHECK: ld.global
// CHECK: shfl
// CHECK-NOT: ld.global
// CHECK: st.global
// CHECK-NOT: ld.global
func.func @main(%x: tensor<272x2048xf32>, %w: tensor<2048xf32>, %b: tensor<2048xf32>) -> tensor<272x2048xf32> {
  %0 = trace.layer_norm %x, %w, %b eps = 1.0e-5 : (tensor<272x2048xf32>, tensor<2048xf32>, tensor<2048xf32>) -> tensor<272x2048xf32>
  return %0 : tensor<272x2048xf32>
}

//--- expected.mlir
// Rows whose number is known when the program runs are planned for the profile's opt: the order is that of once.mlir.
func.func @main(%x: tensor<?x2048xf32> {tripy.name = "x", tripy.profile = #tripy.profile<min = [1, 2048], opt = [272, 2048], max = [4096, 2048]>},
    %w: tensor<2048xf32>, %b: tensor<2048xf32>) -> tensor<?x2048xf32> {
  %0 = trace.layer_norm %x, %w, %b eps = 1.0e-5 : (tensor<?x2048xf32>, tensor<2048xf32>, tensor<2048xf32>) -> tensor<?x2048xf32>
  return %0 : tensor<?x2048xf32>
}

//--- groups.mlir
// The sums of a group read whole vectors across the ends of the image's rows: 784 are three of each of nine warps.
// CHECK: .maxntid 288
// CHECK-COUNT-3: ld.global.L1::no_allocate.v4.b32
// CHECK: .entry
func.func @main(%x: tensor<8x256x28x28xbf16>, %w: tensor<256xbf16>, %b: tensor<256xbf16>) -> tensor<8x256x28x28xbf16> {
  %0 = trace.group_norm %x, %w, %b groups = 32 eps = 1.0e-5 : (tensor<8x256x28x28xbf16>, tensor<256xbf16>, tensor<256xbf16>) -> tensor<8x256x28x28xbf16>
  return %0 : tensor<8x256x28x28xbf16>
}

//--- whole.mlir
// Whatever n is, a row is whole vectors: of up to 32 columns, four lanes have one vector each, and none has one for an end.
// CHECK: .entry main_row_0_sum_div(
// CHECK: griddepcontrol.wait
// CHECK: ld.global.{{(L1::no_allocate.)?}}v4.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-2: shfl.sync.bfly
func.func @main(%x: tensor<42536x8x?xf16> {tripy.dims = ["", "", "n"], tripy.profile = #tripy.profile<min = [42536, 8, 1], opt = [42536, 8, 3], max = [42536, 8, 12]>}) -> tensor<42536xf16> {
  %0 = trace.mean %x dims = [1, 2] : (tensor<42536x8x?xf16>) -> tensor<42536xf16>
  return %0 : tensor<42536xf16>
}

//--- chunks.mlir
// 1278 vectors of a chunk are expected: one round of four of each of 320 threads.
// CHECK: grid = {{.*}} -> (256, 1, 1), block = [320, 1, 1]
func.func @main(%x: tensor<4096x3x?xf16> {tripy.dims = ["", "", "n"], tripy.profile = #tripy.profile<min = [4096, 3, 1], opt = [4096, 3, 213], max = [4096, 3, 426]>}) -> tensor<f16> {
  %0 = trace.max %x dims = [0, 1, 2] : (tensor<4096x3x?xf16>) -> tensor<f16>
  return %0 : tensor<f16>
}
