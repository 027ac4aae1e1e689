// Running sums of rows that begin within vectors: blocks have whole rows, as many as a tile, or one.
//
// RUN: split-file %s %t
// RUN: tripy-compile %t/short.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/short.mlir
// RUN: tripy-compile %t/short.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/short.mlir --check-prefix=PTX --implicit-check-not=.local
// RUN: tripy-compile %t/odd.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/odd.mlir --implicit-check-not=.local
// RUN: tripy-compile %t/few.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/few.mlir --implicit-check-not=.local
// RUN: tripy-compile %t/known.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/known.mlir --implicit-check-not=.local --implicit-check-not=ld.global.b32
// RUN: tripy-compile %t/long.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/long.mlir --implicit-check-not=.local

//--- short.mlir
// The number of rows of a block is computed from the length of rows, so that tiles are full at all lengths; all vectors are
// loaded before any is summed. Rows of whole vectors have code of their own.
// CHECK: grid = ()[s0, s1] -> (s0 ceildiv {{.*}}s1{{.*}}, 1, 1), block = [352, 1, 1]
// PTX: .maxntid 352
// PTX-COUNT-3: ld.global.v4.b32
// PTX-NOT: ld.global.v4.b32
// PTX: bar.sync
// PTX-COUNT-3: ld.global.v4.b32
// PTX-NOT: ld.global.v4.b32
// PTX: bar.sync
// PTX-NOT: bar.sync
func.func @main(%x: tensor<?x?xf32> {tripy.name = "x", tripy.profile = #tripy.profile<min = [1, 1], opt = [34282, 31], max = [34282, 128]>}) -> tensor<?x?xf32> {
  %0 = trace.cumsum %x dim = -1 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

//--- odd.mlir
// No row reaches over more than eight lanes: three steps of shuffles for each of three vectors, and one that gives each lane what
// is before it.
// CHECK: .maxntid 352
// CHECK-COUNT-3: ld.global.v4.b32
// CHECK-NOT: ld.global.v4.b32
// CHECK-COUNT-12: shfl.sync.up
// CHECK-NOT: shfl.sync.up
// CHECK: st.global.v4.b32
func.func @main(%x: tensor<34282x31xf32>) -> tensor<34282x31xf32> {
  %0 = trace.cumsum %x dim = -1 : (tensor<34282x31xf32>) -> tensor<34282x31xf32>
  return %0 : tensor<34282x31xf32>
}

//--- few.mlir
// A block for each of few rows, with a vector of each thread: one step of a row that begins within a vector.
// CHECK: .maxntid 288
// CHECK-COUNT-1: ld.global.v4.b32
// CHECK-NOT: ld.global.v4.b32
// CHECK: bar.sync
func.func @main(%x: tensor<?x?xf32> {tripy.name = "x", tripy.profile = #tripy.profile<min = [1, 1], opt = [165, 1024], max = [660, 4096]>}) -> tensor<?x?xf32> {
  %0 = trace.cumsum %x dim = -1 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

//--- known.mlir
// The same of a known length: no loop, and no single elements.
// CHECK: .maxntid 256
// CHECK-COUNT-1: ld.global.v4.b32
// CHECK-COUNT-1: bar.sync
// CHECK-COUNT-1: st.global.v4.b32
func.func @main(%x: tensor<165x1024xf32>) -> tensor<165x1024xf32> {
  %0 = trace.cumsum %x dim = -1 : (tensor<165x1024xf32>) -> tensor<165x1024xf32>
  return %0 : tensor<165x1024xf32>
}

//--- long.mlir
// Rows of whole vectors need 40 registers: three blocks of a multiprocessor.
// CHECK: .maxntid 512
// CHECK: .minnctapersm 3
// CHECK-COUNT-2: ld.global.v4.b32
// CHECK-NOT: ld.global
func.func @main(%x: tensor<8192x8192xf16>) -> tensor<8192x8192xf16> {
  %0 = trace.cumsum %x dim = -1 : (tensor<8192x8192xf16>) -> tensor<8192x8192xf16>
  return %0 : tensor<8192x8192xf16>
}
