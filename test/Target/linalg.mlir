// Programs of linalg on tensors, on both targets, through tripy-compile and tripy-opt's pipelines.
// RUN: split-file %s %t
// RUN: tripy-compile %t/program.mlir -o %t/program.tpx
// RUN: tripy-run %t/program.tpx --input a=3x2xf32=1,2,3,4,5,6 --input b=2x4xf32=1,0,2,0,0,1,0,2 | FileCheck %s
// RUN: tripy-compile %t/program.mlir --target=cuda -o %t/program.tpx
// RUN: %emulated tripy-run %t/program.tpx --device=cuda:0 --input a=3x2xf32=1,2,3,4,5,6 --input b=2x4xf32=1,0,2,0,0,1,0,2 | FileCheck %s
// RUN: tripy-compile %t/program.mlir --evaluate --input a=3x2xf32=1,2,3,4,5,6 --input b=2x4xf32=1,0,2,0,0,1,0,2 | FileCheck %s --check-prefix=EVALUATED
// EVALUATED: {{\[}}[1.5000, 2.5000, 2.5000, 4.5000],
// EVALUATED: tensor([11.0000, 23.0000, 35.0000]
// RUN: tripy-opt %t/program.mlir --tripy-cpu | FileCheck %s --check-prefix=LAUNCHES
// RUN: tripy-opt %t/program.mlir --tripy-cuda | FileCheck %s --check-prefix=VERSIONS
// LAUNCHES-COUNT-3: kernel.launch
// LAUNCHES-NOT: kernel.launch
// One version of the contraction runs, by the number of rows.
// VERSIONS: kernel.launch @main_gemm_0_dot_add grid
// VERSIONS-NOT: kernel.launch @main_row
// VERSIONS: kernel.launch @main_gemm_0_dot_add_{{[0-9]+}}_to_8 grid
// VERSIONS-NOT: kernel.launch @main_gemm
// VERSIONS: kernel.launch @main_row_1_sum
// VERSIONS-NOT: kernel.launch
// VERSIONS: kernel.launch @main_loop_2_copy
// VERSIONS-NOT: kernel.launch
// CHECK: q = tensor(
// CHECK-NEXT: {{\[}}[1.5000, 2.5000, 2.5000, 4.5000],
// CHECK-NEXT: [3.5000, 4.5000, 6.5000, 8.5000],
// CHECK-NEXT: [5.5000, 6.5000, 10.5000, 12.5000]],
// CHECK: s = tensor([11.0000, 23.0000, 35.0000]
// CHECK: column = tensor(
// CHECK-NEXT: {{\[}}[1.0000],
// CHECK-NEXT: [3.0000],
// CHECK-NEXT: [5.0000]],

// A comparison in a body reads what memory would hold: 2048 + 1 is 2048 in f16. A maximum in f16, and contractions:
// one that starts from 1, and one of the left operand's negative.
// RUN: tripy-compile %t/bodies.mlir -o %t/bodies.tpx
// RUN: tripy-run %t/bodies.tpx --input a=2x2xf16=2048,2048,1,4 --input b=2x2xf16=1,2,1,0.001 | FileCheck %s --check-prefix=BODIES
// RUN: tripy-compile %t/bodies.mlir --target=cuda -o %t/bodies.tpx
// RUN: %emulated tripy-run %t/bodies.tpx --device=cuda:0 --input a=2x2xf16=2048,2048,1,4 --input b=2x2xf16=1,2,1,0.001 | FileCheck %s --check-prefix=BODIES
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
// FORMS: kernel.dispatch gemm
// FORMS-NOT: kernel.dispatch gemm

// RUN: tripy-compile %t/program.mlir --stop-after=dispatches | FileCheck %s --check-prefix=DISPATCHES
// DISPATCHES: kernel.dispatch gemm
// DISPATCHES: kernel.dispatch row
// DISPATCHES: kernel.dispatch loop

// A start of a reduction counts once, however many threads share it.
// RUN: tripy-compile %t/start.mlir -o %t/start.tpx
// RUN: tripy-run %t/start.tpx --input ones | FileCheck %s --check-prefix=START
// RUN: tripy-compile %t/start.mlir --target=cuda -o %t/start.tpx
// RUN: %emulated tripy-run %t/start.tpx --device=cuda:0 --input ones | FileCheck %s --check-prefix=START
// START: r = tensor([3005.0000, 3005.0000]
// START: s = tensor([7.0000, 7.0000, 7.0000, ..., 7.0000, 7.0000, 7.0000]
// START: t = tensor([-3.0000]

// Bitwise arithmetic.
// RUN: tripy-compile %t/bits.mlir -o %t/bits.tpx
// RUN: tripy-run %t/bits.tpx --input x=4xi32=-8,7,-1,5 --input y=4xi32=1,0,3,2 | FileCheck %s --check-prefix=BITS
// RUN: tripy-compile %t/bits.mlir --target=cuda -o %t/bits.tpx
// RUN: %emulated tripy-run %t/bits.tpx --device=cuda:0 --input x=4xi32=-8,7,-1,5 --input y=4xi32=1,0,3,2 | FileCheck %s --check-prefix=BITS
// BITS: result0 = tensor([-16, 7, -8, 20]
// BITS: result1 = tensor([-4, 7, -1, 1]
// BITS: result2 = tensor([2147483644, 7, 536870911, 1]
// BITS: result3 = tensor([-8, -1, 1431655765, 2]
// BITS: result4 = tensor([0, 7, 0, 1]

// Sizes that the run decides, windows among them; boxes outside of a tensor are refused.
// RUN: tripy-compile %t/dynamic.mlir -o %t/dynamic.tpx
// RUN: tripy-run %t/dynamic.tpx --input x=2x4xf32=1,2,3,4,5,6,7,8 --input y=2x4xf32=1,1,1,1,2,2,2,2 | FileCheck %s --check-prefix=DYNAMIC
// RUN: not tripy-run %t/dynamic.tpx --input x=2x4xf32=1,2,3,4,5,6,7,8 --input y=1x4xf32=1,1,1,1 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: tripy-compile %t/dynamic.mlir --target=cuda -o %t/dynamic.tpx
// RUN: %emulated tripy-run %t/dynamic.tpx --device=cuda:0 --input x=2x4xf32=1,2,3,4,5,6,7,8 --input y=2x4xf32=1,1,1,1,2,2,2,2 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: {{\[}}[4.0000, 6.0000, 8.0000],
// DYNAMIC-NEXT: [13.0000, 15.0000, 17.0000]]
// DYNAMIC: one = tensor([1.5000]
// OUTSIDE: the part of 'extract_slice' is inside in dimension 0

// What kernels cannot compute is refused by tripy-opt's pipelines, too.
// RUN: not tripy-opt %t/argmax.mlir --tripy-cuda 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: --> {{.*}}argmax.mlir:3
// REFUSED: error: 'linalg.generic' op must reduce by one sum, product, maximum, minimum, and, or of an element and the value so far to be compiled

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

//--- start.mlir
func.func @main(%a: tensor<2x3000xf32>) -> (tensor<2xf32>, tensor<3000xf32>, tensor<1xf32>) {
  %five = arith.constant 5.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %f = linalg.fill ins(%five : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %r = linalg.reduce { arith.addf } ins(%a : tensor<2x3000xf32>) outs(%f : tensor<2xf32>) dimensions = [1]
  %g = tensor.empty() : tensor<3000xf32>
  %h = linalg.fill ins(%five : f32) outs(%g : tensor<3000xf32>) -> tensor<3000xf32>
  %s = linalg.reduce { arith.addf } ins(%a : tensor<2x3000xf32>) outs(%h : tensor<3000xf32>) dimensions = [0]
  %start = arith.constant dense<[-3.0]> : tensor<1xf32>
  %c = tensor.collapse_shape %a [[0, 1]] : tensor<2x3000xf32> into tensor<6000xf32>
  %d = tensor.expand_shape %c [[0, 1]] output_shape [1, 6000] : tensor<6000xf32> into tensor<1x6000xf32>
  %t = linalg.reduce { arith.mulf } ins(%d : tensor<1x6000xf32>) outs(%start : tensor<1xf32>) dimensions = [1]
  return %r, %s, %t : tensor<2xf32>, tensor<3000xf32>, tensor<1xf32>
}
//--- argmax.mlir
#map = affine_map<(i) -> ()>
func.func @main(%a: tensor<4xf32>, %b: tensor<f32>, %c: tensor<i64>) -> tensor<i64> {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, #map, #map], iterator_types = ["reduction"]}
      ins(%a : tensor<4xf32>) outs(%b, %c : tensor<f32>, tensor<i64>) {
  ^bb0(%x: f32, %m: f32, %at: i64):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i64
    %g = arith.cmpf ogt, %x, %m : f32
    %p = arith.select %g, %x, %m : f32
    %q = arith.select %g, %k, %at : i64
    linalg.yield %p, %q : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  return %r#1 : tensor<i64>
}
//--- dynamic.mlir
#profile = #tripy.profile<min = [1, 4], opt = [2, 4], max = [8, 4]>
func.func @main(%x: tensor<?x4xf32> {tripy.profile = #profile}, %y: tensor<?x4xf32> {tripy.profile = #profile}) -> (tensor<?x3xf32>, tensor<1xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %window = tensor.empty() : tensor<2xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j + k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %window : tensor<?x4xf32>, tensor<2xf32>) outs(%f : tensor<?x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<?x3xf32>
  %part = tensor.extract_slice %y[0, 0] [%n, 3] [1, 1] : tensor<?x4xf32> to tensor<?x3xf32>
  %r = linalg.add ins(%p, %part : tensor<?x3xf32>, tensor<?x3xf32>) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  // The mean of y.
  %m = arith.muli %n, %c4 : index
  %i = arith.index_cast %m : index to i64
  %count = arith.sitofp %i : i64 to f32
  %g = tensor.empty() : tensor<f32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<f32>) -> tensor<f32>
  %sum = linalg.reduce { arith.addf } ins(%y : tensor<?x4xf32>) outs(%h : tensor<f32>) dimensions = [0, 1]
  %total = tensor.extract %sum[] : tensor<f32>
  %mean = arith.divf %total, %count : f32
  %one = tensor.from_elements %mean : tensor<1xf32>
  return %r, %one : tensor<?x3xf32>, tensor<1xf32>
}
//--- bits.mlir
func.func @main(%x: tensor<4xi32>, %y: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %0 = arith.shli %x, %y : tensor<4xi32>
  %1 = arith.shrsi %x, %y : tensor<4xi32>
  %2 = arith.shrui %x, %y : tensor<4xi32>
  %3 = arith.divui %x, %y : tensor<4xi32>
  %4 = arith.remui %x, %y : tensor<4xi32>
  return %0, %1, %2, %3, %4 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}
