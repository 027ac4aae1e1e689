// Running sums of rows that the lanes of a warp hold in registers: no barriers.
//
// RUN: split-file %s %t
// RUN: tripy-compile %t/half.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/half.mlir --implicit-check-not=.local --implicit-check-not=bar.sync
// RUN: tripy-compile %t/whole.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/whole.mlir --implicit-check-not=.local --implicit-check-not=bar.sync
// RUN: tripy-compile %t/odd.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/odd.mlir --implicit-check-not=.local --implicit-check-not=bar.sync
// RUN: tripy-compile %t/dynamic.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/dynamic.mlir --implicit-check-not=.local --implicit-check-not=bar.sync
// RUN: tripy-compile %t/length.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/length.mlir --implicit-check-not=.local --implicit-check-not=bar.sync
// RUN: tripy-compile %t/steps.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/steps.mlir --implicit-check-not=.local --implicit-check-not=bar.sync
// RUN: tripy-compile %t/many.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/many.mlir --implicit-check-not=.local --implicit-check-not=bar.sync
// RUN: tripy-compile %t/few.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/few.mlir

//--- half.mlir
// Half a warp has a row, three vectors of each lane, all of which are loaded before any is summed. Four steps of shuffles, what
// is before each lane's, and the sums of the first two.
// CHECK: .maxntid 256
// CHECK-COUNT-3: ld.global.v4.b32
// CHECK-NOT: ld.global
// CHECK: shfl.sync.up
// CHECK-COUNT-3: st.global.v4.b32
// CHECK-NOT: st.global
func.func @main(%x: tensor<6272x384xf16>) -> tensor<6272x384xf16> {
  %0 = trace.cumsum %x dim = -1 : (tensor<6272x384xf16>) -> tensor<6272x384xf16>
  return %0 : tensor<6272x384xf16>
}

//--- whole.mlir
// CHECK: .maxntid 256
// CHECK-COUNT-8: ld.global.v4.b32
// CHECK-NOT: ld.global
// CHECK-COUNT-8: st.global.v4.b32
// CHECK-NOT: st.global
func.func @main(%x: tensor<3000x1024xf32>) -> tensor<3000x1024xf32> {
  %0 = trace.cumsum %x dim = -1 : (tensor<3000x1024xf32>) -> tensor<3000x1024xf32>
  return %0 : tensor<3000x1024xf32>
}

//--- odd.mlir
// Vectors over the ends of rows: single elements are stored alone, where a row begins and ends.
// CHECK: .maxntid 64
// CHECK-COUNT-4: ld.global.v4.b32
// CHECK-NOT: ld.global
// CHECK: st.global.v4.b32
// CHECK: st.global.b16
func.func @main(%x: tensor<824x473xf16>) -> tensor<824x473xf16> {
  %0 = trace.cumsum %x dim = -1 : (tensor<824x473xf16>) -> tensor<824x473xf16>
  return %0 : tensor<824x473xf16>
}

//--- dynamic.mlir
// The last vector may pass the end of the tensor: the last block reads single elements.
// CHECK-DAG: ld.global.b16
// CHECK-DAG: ld.global.v4.b32
func.func @main(%x: tensor<?x473xf16> {tripy.name = "x", tripy.profile = #tripy.profile<min = [1, 473], opt = [3000, 473], max = [400000, 473]>}) -> tensor<?x473xf16> {
  %0 = trace.cumsum %x dim = -1 : (tensor<?x473xf16>) -> tensor<?x473xf16>
  return %0 : tensor<?x473xf16>
}

//--- length.mlir
// A length that is known at run time only: half a warp holds what is expected of a row, and goes on with what there is more.
// CHECK: .maxntid 128
// CHECK-COUNT-3: ld.global.v4.b32
// CHECK-NOT: ld.global.v4.b32
// CHECK: shfl.sync.up
func.func @main(%x: tensor<32768x?xbf16> {tripy.name = "x", tripy.profile = #tripy.profile<min = [32768, 1], opt = [32768, 320], max = [32768, 1280]>}) -> tensor<32768x?xbf16> {
  %0 = trace.cumsum %x dim = 1 : (tensor<32768x?xbf16>) -> tensor<32768x?xbf16>
  return %0 : tensor<32768x?xbf16>
}

//--- steps.mlir
// 1000 f32 are expected, in two steps of equal parts.
// CHECK: .maxntid 128
// CHECK-COUNT-4: ld.global.v4.b32
// CHECK-NOT: ld.global.v4.b32
// CHECK: shfl.sync.up
func.func @main(%x: tensor<?x?xf32> {tripy.name = "x", tripy.profile = #tripy.profile<min = [1, 0], opt = [4096, 1000], max = [8192, 5000]>}) -> tensor<?x?xf32> {
  %0 = trace.cumsum %x dim = 1 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

//--- many.mlir
// Long rows, but so many that multiprocessors have several warps for them: two steps of what is expected.
// CHECK: .maxntid 128
// CHECK-COUNT-3: ld.global.v4.b32
// CHECK-NOT: ld.global.v4.b32
// CHECK: shfl.sync.up
func.func @main(%x: tensor<2048x?xf16> {tripy.name = "x", tripy.profile = #tripy.profile<min = [2048, 1], opt = [2048, 1280], max = [2048, 5120]>}) -> tensor<2048x?xf16> {
  %0 = trace.cumsum %x dim = 1 : (tensor<2048x?xf16>) -> tensor<2048x?xf16>
  return %0 : tensor<2048x?xf16>
}

//--- few.mlir
// Few of them have a block each, whose threads have a vector.
// CHECK: .maxntid 192
// CHECK-COUNT-1: ld.global.v4.b32
// CHECK: bar.sync
func.func @main(%x: tensor<500x?xf16> {tripy.name = "x", tripy.profile = #tripy.profile<min = [500, 1], opt = [500, 1280], max = [500, 5120]>}) -> tensor<500x?xf16> {
  %0 = trace.cumsum %x dim = 1 : (tensor<500x?xf16>) -> tensor<500x?xf16>
  return %0 : tensor<500x?xf16>
}
