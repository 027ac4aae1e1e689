// The assembler is told how many blocks are to be resident, so that it keeps registers for all loads of a round.
//
// RUN: split-file %s %t
// RUN: tripy-compile %t/all.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/all.mlir
// RUN: tripy-compile %t/pool.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/pool.mlir
// RUN: tripy-compile %t/planes.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/planes.mlir

//--- all.mlir
// CHECK: .maxntid 256
// CHECK: .minnctapersm 4
// CHECK-COUNT-8: ld.global{{.*}}v4.b32
func.func @main(%x: tensor<?x197x16x64xf32> {tripy.name = "x", tripy.profile = #tripy.profile<min = [1, 197, 16, 64], opt = [32, 197, 16, 64], max = [128, 197, 16, 64]>}) -> tensor<f32> {
  %0 = trace.sum %x dims = [0, 1, 2, 3] : (tensor<?x197x16x64xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

//--- pool.mlir
// Three blocks of 512 threads have 40 registers for each, of which eight loads are 32.
// CHECK: .maxntid 512
// CHECK: .minnctapersm 3
// CHECK-COUNT-8: ld.global{{.*}}v4.b32
func.func @main(%x: tensor<1x320x128x128xf32>) -> tensor<1x320xf32> {
  %0 = trace.mean %x dims = [2, 3] : (tensor<1x320x128x128xf32>) -> tensor<1x320xf32>
  return %0 : tensor<1x320xf32>
}

//--- planes.mlir
// A plane is one run: its rows of 126 are no vectors, but 126 x 126 are.
// CHECK: griddepcontrol.wait
// CHECK-COUNT-7: ld.global{{.*}}v4.b32
// CHECK-NOT: ld.global
func.func @main(%x: tensor<1x512x126x126xf32>) -> tensor<1x512xf32> {
  %0 = trace.mean %x dims = [2, 3] : (tensor<1x512x126x126xf32>) -> tensor<1x512xf32>
  return %0 : tensor<1x512xf32>
}
