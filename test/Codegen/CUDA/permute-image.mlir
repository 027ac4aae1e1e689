// Permutes of odd sizes: whole vectors are copied to shared memory as they are, whatever they have of other boxes, and vectors of
// the output are gathered there.
//
// RUN: split-file %s %t
// RUN: tripy-compile %t/planes.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/planes.mlir
// RUN: tripy-compile %t/planes.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/planes.mlir --check-prefix=PTX --implicit-check-not=.local
// RUN: tripy-compile %t/rows.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/rows.mlir --implicit-check-not=.local
// RUN: tripy-compile %t/past.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/past.mlir --implicit-check-not=.local
// RUN: tripy-compile %t/even.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/even.mlir
// RUN: tripy-compile %t/full.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/full.mlir

//--- planes.mlir
// A block has a plane, which is a run of both tensors.
// CHECK: grid = () -> (392, 1, 1), block = [256, 1, 1]
// PTX-COUNT-6: ld.global.v4.b32
// PTX-NOT: ld.global
// PTX: st.shared.v4.b32
// PTX: bar.sync
// PTX-COUNT-8: ld.shared.b16
// PTX: st.global.v4.b32
func.func @main(%x: tensor<49x8x151x75xf16>) -> tensor<49x8x75x151xf16> {
  %0 = trace.permute %x [0, 1, 3, 2] : (tensor<49x8x151x75xf16>) -> tensor<49x8x75x151xf16>
  return %0 : tensor<49x8x75x151xf16>
}

//--- rows.mlir
// Rows of 75 elements move as they are; vectors of the output go over their ends.
// CHECK: ld.global.v4.b32
// CHECK: st.shared.v4.b32
// CHECK: st.global.v4.b32
func.func @main(%x: tensor<49x8x151x75xf16>) -> tensor<8x49x151x75xf16> {
  %0 = trace.permute %x [1, 0, 2, 3] : (tensor<49x8x151x75xf16>) -> tensor<8x49x151x75xf16>
  return %0 : tensor<8x49x151x75xf16>
}

//--- past.mlir
// The last vector of the tensor passes its end: its elements are loaded one by one.
// CHECK: ld.global.v4.b32
// CHECK: ld.global.b16
// CHECK: st.global.v4.b32
func.func @main(%x: tensor<151x77x75xf16>) -> tensor<151x75x77xf16> {
  %0 = trace.permute %x [0, 2, 1] : (tensor<151x77x75xf16>) -> tensor<151x75x77xf16>
  return %0 : tensor<151x75x77xf16>
}

//--- even.mlir
// Rows that are whole vectors on both sides have tiles.
// CHECK-NOT: image
// CHECK: tile0
func.func @main(%x: tensor<16x192x12x64xf16>) -> tensor<16x12x64x192xf16> {
  %0 = trace.permute %x [0, 2, 3, 1] : (tensor<16x192x12x64xf16>) -> tensor<16x12x64x192xf16>
  return %0 : tensor<16x12x64x192xf16>
}

//--- full.mlir
// Odd sizes that fill most of the tiles, too.
// CHECK-NOT: image
// CHECK: tile0
func.func @main(%x: tensor<39x197x9x49xf16>) -> tensor<39x49x197x9xf16> {
  %0 = trace.permute %x [0, 3, 1, 2] : (tensor<39x197x9x49xf16>) -> tensor<39x49x197x9xf16>
  return %0 : tensor<39x49x197x9xf16>
}
