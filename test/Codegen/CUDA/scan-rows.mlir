// Running sums of rows that the lanes of a warp hold in registers: no barriers.
//
// RUN: split-file %s %t
// RUN: tripy-compile %t/half.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/half.mlir --implicit-check-not=.local --implicit-check-not=bar.sync
// RUN: tripy-compile %t/whole.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/whole.mlir --implicit-check-not=.local --implicit-check-not=bar.sync
// RUN: tripy-compile %t/odd.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/odd.mlir --implicit-check-not=.local --implicit-check-not=bar.sync
// RUN: tripy-compile %t/dynamic.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/dynamic.mlir --implicit-check-not=.local --implicit-check-not=bar.sync

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
// The last vector may pass the end of the tensor: the elements of this one are loaded alone. One copy of the code.
// CHECK-COUNT-4: ld.global.v4.b32
// CHECK-COUNT-8: ld.global.b16
// CHECK-NOT: ld.global
func.func @main(%x: tensor<?x473xf16> {tripy.name = "x", tripy.profile = #tripy.profile<min = [1, 473], opt = [3000, 473], max = [400000, 473]>}) -> tensor<?x473xf16> {
  %0 = trace.cumsum %x dim = -1 : (tensor<?x473xf16>) -> tensor<?x473xf16>
  return %0 : tensor<?x473xf16>
}
