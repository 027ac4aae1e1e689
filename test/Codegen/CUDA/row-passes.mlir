// RUN: split-file %s %t
// RUN: tripy-compile %t/dynamic.mlir -o - --target=cuda --stop-after=ptx --no-overlap | FileCheck %s --check-prefix=DYNAMIC
// RUN: tripy-compile %t/chunks.mlir -o %t/chunks.tpx --target=cuda --remarks 2>&1 | FileCheck %s --check-prefix=CHUNKS
// RUN: tripy-compile %t/dependent.mlir -o - --target=cuda --stop-after=ptx --no-overlap | FileCheck %s --check-prefix=DEPENDENT

// Reductions of one input, each with its own function in front, are one pass: each element is loaded once, in rounds of 16
// and in a last one of 16 or 8.

// Eight pieces in a round of the loop, and the rest one by one.
// DYNAMIC: .visible .entry
// DYNAMIC-COUNT-40: ld.global.nc
// DYNAMIC-NOT: ld.global.nc
// DYNAMIC: ret;
// DYNAMIC-NOT: .visible .entry

//--- dynamic.mlir
func.func @main(%x: tensor<64x?xf32> {tripy.name = "x", tripy.dims = ["", "n"],
    tripy.profile = #tripy.profile<min = [64, 40000], opt = [64, 50011], max = [64, 60000]>})
    -> (tensor<64xf32> {tripy.name = "a"}, tensor<64xf32> {tripy.name = "b"}, tensor<64xf32> {tripy.name = "c"}) {
  %a = trace.sum %x dims = [1] : (tensor<64x?xf32>) -> tensor<64xf32>
  %s = trace.mul %x, %x : (tensor<64x?xf32>, tensor<64x?xf32>) -> tensor<64x?xf32>
  %b = trace.sum %s dims = [1] : (tensor<64x?xf32>) -> tensor<64xf32>
  %t = trace.abs %x : (tensor<64x?xf32>) -> tensor<64x?xf32>
  %c = trace.max %t dims = [1] : (tensor<64x?xf32>) -> tensor<64xf32>
  return %a, %b, %c : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// Of a whole tensor: the chunks are one kernel, and so are their results.

// CHUNKS: fused 'sum' into 'sum': reads 4194304 elements once instead of twice
// CHUNKS: fused 'sum' into 'sum': saves a launch

//--- chunks.mlir
func.func @main(%x: tensor<4096x1024xf32> {tripy.name = "x"}) -> (tensor<f32> {tripy.name = "a"}, tensor<f32> {tripy.name = "b"}) {
  %a = trace.mean %x dims = [0, 1] : (tensor<4096x1024xf32>) -> tensor<f32>
  %s = trace.mul %x, %x : (tensor<4096x1024xf32>, tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  %b = trace.mean %s dims = [0, 1] : (tensor<4096x1024xf32>) -> tensor<f32>
  return %a, %b : tensor<f32>, tensor<f32>
}

// A reduction that needs another's result takes a second pass; one that needs none joins a pass. Each has eight loads in a round, and as
// many in what rounds leave.

// DEPENDENT: .visible .entry
// DEPENDENT-COUNT-32: ld.global
// DEPENDENT-NOT: ld.global
// DEPENDENT: ret;

//--- dependent.mlir
func.func @main(%x: tensor<64x?xf32> {tripy.name = "x", tripy.dims = ["", "n"],
    tripy.profile = #tripy.profile<min = [64, 40000], opt = [64, 50011], max = [64, 60000]>})
    -> (tensor<64x1xf32> {tripy.name = "a"}, tensor<64xf32> {tripy.name = "b"}, tensor<64xf32> {tripy.name = "c"}) {
  %a = trace.max %x dims = [1] keepdim : (tensor<64x?xf32>) -> tensor<64x1xf32>
  %d = trace.sub %x, %a : (tensor<64x?xf32>, tensor<64x1xf32>) -> tensor<64x?xf32>
  %e = trace.exp %d : (tensor<64x?xf32>) -> tensor<64x?xf32>
  %b = trace.sum %e dims = [1] : (tensor<64x?xf32>) -> tensor<64xf32>
  %c = trace.sum %x dims = [1] : (tensor<64x?xf32>) -> tensor<64xf32>
  return %a, %b, %c : tensor<64x1xf32>, tensor<64xf32>, tensor<64xf32>
}
