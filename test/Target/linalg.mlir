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

// A comparison in a body reads what memory would hold: 2048 + 1 is 2048 in f16. A maximum in f16, and contractions
// that start from 1; what is more than a product of the operands is no contraction.
// RUN: tripy-compile %t/bodies.mlir -o %t/bodies.tpx
// RUN: tripy-run %t/bodies.tpx --input arg0=2x2xf16=2048,2048,1,4 --input arg1=2x2xf16=1,2,1,0.001 | FileCheck %s --check-prefix=BODIES
// RUN: tripy-compile %t/bodies.mlir --target=cuda -o %t/bodies.tpx
// RUN: %emulated tripy-run %t/bodies.tpx --device=cuda:0 --input arg0=2x2xf16=2048,2048,1,4 --input arg1=2x2xf16=1,2,1,0.001 | FileCheck %s --check-prefix=BODIES
// RUN: tripy-compile %t/bodies.mlir --stop-after=dispatches | FileCheck %s --check-prefix=FORMS
// BODIES: result0 = tensor(
// BODIES-NEXT: {{\[}}[False, True],
// BODIES-NEXT: [True, False]],
// BODIES: result1 = tensor([2048.0000, 4.0000]
// BODIES: result2 = tensor(
// BODIES-NEXT: {{\[}}[4097.0000, 4099.0488],
// BODIES-NEXT: [6.0000, 3.0040]],
// BODIES: result3 = tensor(
// BODIES-NEXT: {{\[}}[-4096.0000, -4098.0488],
// BODIES-NEXT: [-5.0000, -2.0040]],
// FORMS: kernel.dispatch gemm
// FORMS-NOT: kernel.dispatch gemm

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
//--- bodies.mlir
#id = affine_map<(i, j) -> (i, j)>
#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (k, j)>
#res = affine_map<(i, j, k) -> (i, j)>
func.func @main(%a: tensor<2x2xf16>, %b: tensor<2x2xf16>)
    -> (tensor<2x2xi1>, tensor<2xf16>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %e = tensor.empty() : tensor<2x2xi1>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<2x2xf16>, tensor<2x2xf16>) outs(%e : tensor<2x2xi1>) {
  ^bb0(%x: f16, %y: f16, %out: i1):
    %s = arith.addf %x, %y : f16
    %c = arith.cmpf ogt, %s, %x : f16
    linalg.yield %c : i1
  } -> tensor<2x2xi1>
  %low = arith.constant 0xFC00 : f16
  %g = tensor.empty() : tensor<2xf16>
  %h = linalg.fill ins(%low : f16) outs(%g : tensor<2xf16>) -> tensor<2xf16>
  %1 = linalg.reduce { arith.maximumf } ins(%a : tensor<2x2xf16>) outs(%h : tensor<2xf16>) dimensions = [1]
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %m = tensor.empty() : tensor<2x2xf32>
  %n = linalg.fill ins(%one : f32) outs(%m : tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = linalg.matmul ins(%a, %b : tensor<2x2xf16>, tensor<2x2xf16>) outs(%n : tensor<2x2xf32>) -> tensor<2x2xf32>
  %o = linalg.fill ins(%zero : f32) outs(%m : tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = linalg.generic {indexing_maps = [#lhs, #rhs, #res], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<2x2xf16>, tensor<2x2xf16>) outs(%o : tensor<2x2xf32>) {
  ^bb0(%x: f16, %y: f16, %out: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %w = arith.negf %u : f32
    %p = arith.mulf %w, %v : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<2x2xf32>
  return %0, %1, %2, %3 : tensor<2x2xi1>, tensor<2xf16>, tensor<2x2xf32>, tensor<2x2xf32>
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
