// Programs of linalg on tensors: each operation becomes a kernel.
// RUN: split-file %s %t
// RUN: tripy-compile %t/program.mlir -o %t/program.tpx
// RUN: tripy-run %t/program.tpx --input arg0=3x2xf32=1,2,3,4,5,6 --input arg1=2x4xf32=1,0,2,0,0,1,0,2 | FileCheck %s
// CHECK: result0 = tensor(
// CHECK-NEXT: {{\[}}[1.5000, 2.5000, 2.5000, 4.5000],
// CHECK-NEXT: [3.5000, 4.5000, 6.5000, 8.5000],
// CHECK-NEXT: [5.5000, 6.5000, 10.5000, 12.5000]],
// CHECK: result1 = tensor([11.0000, 23.0000, 35.0000]
// CHECK: result2 = tensor(
// CHECK-NEXT: {{\[}}[1.0000],
// CHECK-NEXT: [3.0000],
// CHECK-NEXT: [5.0000]],

// RUN: tripy-compile %t/program.mlir --stop-after=dispatches | FileCheck %s --check-prefix=DISPATCHES
// DISPATCHES: kernel.dispatch gemm
// DISPATCHES: kernel.dispatch loop
// DISPATCHES: kernel.dispatch reduce

// RUN: not tripy-compile %t/init.mlir -o %t/x.tpx 2>&1 | FileCheck %s --check-prefix=INIT
// INIT: --> {{.*}}init.mlir:2
// INIT: error: {{.*}}must start from a linalg.fill to become a kernel

// RUN: not tripy-compile %t/pad.mlir -o %t/x.tpx 2>&1 | FileCheck %s --check-prefix=PAD
// PAD: --> {{.*}}pad.mlir:3
// PAD: error: 'tensor.pad' op cannot be compiled: a linalg program consists of

//--- program.mlir
func.func @main(%a: tensor<?x2xf32> {tripy.profile = #tripy.profile<min = [0, 2], opt = [3, 2], max = [8, 2]>}, %b: tensor<2x4xf32>)
    -> (tensor<?x4xf32>, tensor<?xf32>, tensor<3x1xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %n = tensor.dim %a, %c0 : tensor<?x2xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x2xf32>, tensor<2x4xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
    ^bb0(%x: f32, %o: f32):
      %y = arith.addf %x, %half : f32
      linalg.yield %y : f32
  } -> tensor<?x4xf32>
  %er = tensor.empty(%n) : tensor<?xf32>
  %fr = linalg.fill ins(%zero : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.reduce ins(%q : tensor<?x4xf32>) outs(%fr : tensor<?xf32>) dimensions = [1]
    (%x: f32, %acc: f32) {
      %y = arith.addf %x, %acc : f32
      linalg.yield %y : f32
    }
  %cst = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %column = tensor.extract_slice %cst[0, 0] [3, 1] [1, 1] : tensor<3x2xf32> to tensor<3x1xf32>
  return %q, %s, %column : tensor<?x4xf32>, tensor<?xf32>, tensor<3x1xf32>
}
//--- init.mlir
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>, %c: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %p = linalg.matmul ins(%a, %b : tensor<2x2xf32>, tensor<2x2xf32>) outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %p : tensor<2x2xf32>
}
//--- pad.mlir
func.func @main(%a: tensor<2xf32>) -> tensor<3xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %a low[0] high[1] {
    ^bb0(%i: index):
      tensor.yield %zero : f32
  } : tensor<2xf32> to tensor<3xf32>
  return %p : tensor<3xf32>
}
