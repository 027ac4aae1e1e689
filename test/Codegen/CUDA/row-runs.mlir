// Rows that no vector divides: vectors of 16 bytes over their ends.
//
// RUN: split-file %s %t
// RUN: tripy-compile %t/pool.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/pool.mlir --implicit-check-not=.local --implicit-check-not=ld.global.b16
// RUN: tripy-compile %t/written.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/written.mlir --implicit-check-not=.local --implicit-check-not=ld.global.b16
// RUN: tripy-compile %t/end.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/end.mlir --implicit-check-not=.local
// RUN: tripy-compile %t/short.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/short.mlir --implicit-check-not=.v4
// RUN: tripy-compile %t/warps.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/warps.mlir

//--- pool.mlir
// 49 elements are in 7 vectors at most, two of each of 4 lanes, which exchange sums in two steps. Those of other rows are not
// added. Both rows of a vector find it in the L1 cache.
// CHECK-COUNT-2: ld.global.v4.b32
// CHECK: selp.f32
// CHECK-COUNT-2: shfl.sync.bfly
// CHECK-NOT: shfl
// CHECK: st.global.b16
func.func @main(%x: tensor<64x512x7x7xbf16>) -> tensor<64x512xbf16> {
  %0 = trace.mean %x dims = [2, 3] : (tensor<64x512x7x7xbf16>) -> tensor<64x512xbf16>
  return %0 : tensor<64x512xbf16>
}

//--- written.mlir
// Vectors that are the row's alone are stored whole, others element by element.
// CHECK: ld.global.v4.b32
// CHECK: st.global.v4.b32
// CHECK: st.global.b16
func.func @main(%x: tensor<3000x577xf16>) -> tensor<3000x577xf16> {
  %0 = trace.softmax %x dim = -1 : (tensor<3000x577xf16>) -> tensor<3000x577xf16>
  return %0 : tensor<3000x577xf16>
}

//--- end.mlir
// The last vector would pass the end of the tensor: where the last row is, single elements are loaded.
// CHECK: ld.global.b16
// CHECK: ld.global.v4.b32
func.func @main(%x: tensor<20001x197xf16>) -> tensor<20001xf16> {
  %0 = trace.max %x dims = [1] : (tensor<20001x197xf16>) -> tensor<20001xf16>
  return %0 : tensor<20001xf16>
}

//--- short.mlir
// Of the vectors that have some of a row of 7 elements, most would be of others.
// CHECK: ld.global{{.*}}.b16
func.func @main(%x: tensor<20000x7xf16>) -> tensor<20000xf16> {
  %0 = trace.max %x dims = [1] : (tensor<20000x7xf16>) -> tensor<20000xf16>
  return %0 : tensor<20000xf16>
}

//--- warps.mlir
// 160 vectors are one of each thread of five warps; of two of four warps, most of the second had none.
// CHECK: .maxntid 160
// CHECK-COUNT-1: ld.global
// CHECK-NOT: ld.global
func.func @main(%x: tensor<128x1280xbf16>) -> tensor<128xbf16> {
  %0 = trace.max %x dims = [1] : (tensor<128x1280xbf16>) -> tensor<128xbf16>
  return %0 : tensor<128xbf16>
}
