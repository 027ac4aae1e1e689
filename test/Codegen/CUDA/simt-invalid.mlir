// RUN: tripy-opt %s --kernel-emit-cuda=chip=sm_80 --split-input-file --verify-diagnostics

// K-blocks of ten weights of 64-bit numbers do not fit in shared memory together,
// whatever the tile. The fusion pass forms no such kernel.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>

// expected-error @below {{results must depend on few contractions: their k-blocks must fit in shared memory; found 10}}
kernel.func @many gemm sizeArgs = [] : (tensor<64x16xi64>, tensor<64x16xi64>, tensor<64x16xi64>, tensor<64x16xi64>, tensor<64x16xi64>, tensor<64x16xi64>, tensor<64x16xi64>, tensor<64x16xi64>, tensor<64x16xi64>, tensor<64x16xi64>, tensor<64x16xi64>) -> tensor<64x64xi64> {
^bb0(%x: tensor<64x16xi64>, %w0: tensor<64x16xi64>, %w1: tensor<64x16xi64>, %w2: tensor<64x16xi64>, %w3: tensor<64x16xi64>, %w4: tensor<64x16xi64>, %w5: tensor<64x16xi64>, %w6: tensor<64x16xi64>, %w7: tensor<64x16xi64>, %w8: tensor<64x16xi64>, %w9: tensor<64x16xi64>):
  %z = arith.constant 0 : i64
  %e = tensor.empty() : tensor<64x64xi64>
  %f = linalg.fill ins(%z : i64) outs(%e : tensor<64x64xi64>) -> tensor<64x64xi64>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w0 : tensor<64x16xi64>, tensor<64x16xi64>) outs(%f : tensor<64x64xi64>) { ^bb0(%l: i64, %r: i64, %o: i64): %p = arith.muli %l, %r : i64 %s = arith.addi %o, %p : i64 linalg.yield %s : i64 } -> tensor<64x64xi64>
  %1 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w1 : tensor<64x16xi64>, tensor<64x16xi64>) outs(%f : tensor<64x64xi64>) { ^bb0(%l: i64, %r: i64, %o: i64): %p = arith.muli %l, %r : i64 %s = arith.addi %o, %p : i64 linalg.yield %s : i64 } -> tensor<64x64xi64>
  %2 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w2 : tensor<64x16xi64>, tensor<64x16xi64>) outs(%f : tensor<64x64xi64>) { ^bb0(%l: i64, %r: i64, %o: i64): %p = arith.muli %l, %r : i64 %s = arith.addi %o, %p : i64 linalg.yield %s : i64 } -> tensor<64x64xi64>
  %3 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w3 : tensor<64x16xi64>, tensor<64x16xi64>) outs(%f : tensor<64x64xi64>) { ^bb0(%l: i64, %r: i64, %o: i64): %p = arith.muli %l, %r : i64 %s = arith.addi %o, %p : i64 linalg.yield %s : i64 } -> tensor<64x64xi64>
  %4 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w4 : tensor<64x16xi64>, tensor<64x16xi64>) outs(%f : tensor<64x64xi64>) { ^bb0(%l: i64, %r: i64, %o: i64): %p = arith.muli %l, %r : i64 %s = arith.addi %o, %p : i64 linalg.yield %s : i64 } -> tensor<64x64xi64>
  %5 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w5 : tensor<64x16xi64>, tensor<64x16xi64>) outs(%f : tensor<64x64xi64>) { ^bb0(%l: i64, %r: i64, %o: i64): %p = arith.muli %l, %r : i64 %s = arith.addi %o, %p : i64 linalg.yield %s : i64 } -> tensor<64x64xi64>
  %6 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w6 : tensor<64x16xi64>, tensor<64x16xi64>) outs(%f : tensor<64x64xi64>) { ^bb0(%l: i64, %r: i64, %o: i64): %p = arith.muli %l, %r : i64 %s = arith.addi %o, %p : i64 linalg.yield %s : i64 } -> tensor<64x64xi64>
  %7 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w7 : tensor<64x16xi64>, tensor<64x16xi64>) outs(%f : tensor<64x64xi64>) { ^bb0(%l: i64, %r: i64, %o: i64): %p = arith.muli %l, %r : i64 %s = arith.addi %o, %p : i64 linalg.yield %s : i64 } -> tensor<64x64xi64>
  %8 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w8 : tensor<64x16xi64>, tensor<64x16xi64>) outs(%f : tensor<64x64xi64>) { ^bb0(%l: i64, %r: i64, %o: i64): %p = arith.muli %l, %r : i64 %s = arith.addi %o, %p : i64 linalg.yield %s : i64 } -> tensor<64x64xi64>
  %9 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w9 : tensor<64x16xi64>, tensor<64x16xi64>) outs(%f : tensor<64x64xi64>) { ^bb0(%l: i64, %r: i64, %o: i64): %p = arith.muli %l, %r : i64 %s = arith.addi %o, %p : i64 linalg.yield %s : i64 } -> tensor<64x64xi64>
  %y = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<64x64xi64>, tensor<64x64xi64>, tensor<64x64xi64>, tensor<64x64xi64>, tensor<64x64xi64>, tensor<64x64xi64>, tensor<64x64xi64>, tensor<64x64xi64>, tensor<64x64xi64>, tensor<64x64xi64>) outs(%e : tensor<64x64xi64>) { ^bb0(%a0: i64, %a1: i64, %a2: i64, %a3: i64, %a4: i64, %a5: i64, %a6: i64, %a7: i64, %a8: i64, %a9: i64, %o: i64): %t1 = arith.addi %a0, %a1 : i64 %t2 = arith.addi %t1, %a2 : i64 %t3 = arith.addi %t2, %a3 : i64 %t4 = arith.addi %t3, %a4 : i64 %t5 = arith.addi %t4, %a5 : i64 %t6 = arith.addi %t5, %a6 : i64 %t7 = arith.addi %t6, %a7 : i64 %t8 = arith.addi %t7, %a8 : i64 %t9 = arith.addi %t8, %a9 : i64 linalg.yield %t9 : i64 } -> tensor<64x64xi64>
  kernel.yield %y : tensor<64x64xi64>
}

// -----

// Truth values have no contraction: `or` is a reduction.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

kernel.func @truth gemm sizeArgs = [] : (tensor<64x16xi1>, tensor<64x16xi1>) -> tensor<64x64xi1> {
^bb0(%x: tensor<64x16xi1>, %w: tensor<64x16xi1>):
  %z = arith.constant false
  %e = tensor.empty() : tensor<64x64xi1>
  %f = linalg.fill ins(%z : i1) outs(%e : tensor<64x64xi1>) -> tensor<64x64xi1>
  // expected-error @below {{sums must take whole bytes to be a contraction's; found 'i1'}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<64x16xi1>, tensor<64x16xi1>) outs(%f : tensor<64x64xi1>) {
  ^bb0(%l: i1, %r: i1, %o: i1):
    %p = arith.muli %l, %r : i1
    %s = arith.addi %o, %p : i1
    linalg.yield %s : i1
  } -> tensor<64x64xi1>
  kernel.yield %0 : tensor<64x64xi1>
}
