// RUN: tripy-opt %s --split-input-file --verify-diagnostics --kernel-emit-cuda
// RUN: tripy-opt %s --split-input-file --verify-diagnostics --kernel-emit-cpu

// IR that verifies and has not the form that emitters read is refused.

#rows = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
kernel.func @ignores_accumulator reduce sizeArgs = [] : (tensor<4x8xf32>) -> tensor<4xf32> {
^bb0(%a: tensor<4x8xf32>):
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{a reduction must combine its accumulator once, with a sum, product, maximum, minimum, and, or, and yield the result}}
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%x: f32, %sum: f32):
    linalg.yield %x : f32
  } -> tensor<4xf32>
  kernel.yield %r : tensor<4xf32>
}

// -----

// The difference of partial differences is none of the whole.
#rows = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
kernel.func @subtracts row sizeArgs = [] : (tensor<4x8xf32>) -> tensor<4xf32> {
^bb0(%a: tensor<4x8xf32>):
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{a reduction must combine its accumulator once}}
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %d = arith.subf %sum, %x : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  kernel.yield %r : tensor<4xf32>
}

// -----

#rows = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
kernel.func @starts_anywhere reduce sizeArgs = [] : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4xf32> {
^bb0(%a: tensor<4x8xf32>, %b: tensor<4xf32>):
  // expected-error @below {{a reduction must start from a linalg.fill}}
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<4x8xf32>) outs(%b : tensor<4xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %d = arith.addf %sum, %x : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  kernel.yield %r : tensor<4xf32>
}

// -----

#rows = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
kernel.func @reduces_in_loop loop sizeArgs = [] : (tensor<4x8xf32>) -> tensor<4xf32> {
^bb0(%a: tensor<4x8xf32>):
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{is one reduction too many in a loop kernel, which may have 0}}
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %d = arith.addf %sum, %x : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  kernel.yield %r : tensor<4xf32>
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#cube = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#pair = affine_map<(d0, d1, d2) -> (d0, d1)>
kernel.func @other_rows row sizeArgs = [] : (tensor<4x8xf32>, tensor<4x8x2xf32>) -> (tensor<4xf32>, tensor<4x8xf32>) {
^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8x2xf32>):
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4xf32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<4x8xf32>) outs(%i0 : tensor<4xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %d = arith.addf %sum, %x : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  %e1 = tensor.empty() : tensor<4x8xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-error @below {{reductions of a row kernel must keep the same leading dimensions; found 2 of them, the first keeps 1}}
  %s = linalg.generic {indexing_maps = [#cube, #pair], iterator_types = ["parallel", "parallel", "reduction"]} ins(%b : tensor<4x8x2xf32>) outs(%i1 : tensor<4x8xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %d = arith.addf %sum, %x : f32
    linalg.yield %d : f32
  } -> tensor<4x8xf32>
  kernel.yield %r, %s : tensor<4xf32>, tensor<4x8xf32>
}

// -----

kernel.func @two_scans scan sizeArgs = [] : (tensor<4x8xf32>) -> tensor<4x8xf32> {
^bb0(%a: tensor<4x8xf32>):
  %0 = kernel.scan %a dim = 1 : tensor<4x8xf32>
  // expected-error @below {{must be the only scan, attention or sort of its kernel; found 2}}
  %1 = kernel.scan %0 dim = 0 : tensor<4x8xf32>
  kernel.yield %1 : tensor<4x8xf32>
}

// -----

kernel.func @scan_in_loop loop sizeArgs = [] : (tensor<4x8xf32>) -> tensor<4x8xf32> {
^bb0(%a: tensor<4x8xf32>):
  // expected-error @below {{must be the fusion root of its kernel, which has no reduction; found fusion root 'loop' and 0 reductions}}
  %0 = kernel.scan %a dim = 1 : tensor<4x8xf32>
  kernel.yield %0 : tensor<4x8xf32>
}

// -----

kernel.func @attention_in_loop loop sizeArgs = [] : (tensor<1x5x8xf32>) -> tensor<1x5x8xf32> {
^bb0(%a: tensor<1x5x8xf32>):
  // expected-error @below {{must be the fusion root of its kernel, which has no reduction; found fusion root 'loop' and 0 reductions}}
  %0 = kernel.attention %a, %a, %a causal = none scale = 1.0 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  kernel.yield %0 : tensor<1x5x8xf32>
}

// -----

kernel.func @attention_and_scan attention sizeArgs = [] : (tensor<1x5x8xf32>) -> tensor<1x5x8xf32> {
^bb0(%a: tensor<1x5x8xf32>):
  %0 = kernel.attention %a, %a, %a causal = none scale = 1.0 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  // expected-error @below {{must be the only scan, attention or sort of its kernel; found 2}}
  %1 = kernel.scan %0 dim = 0 : tensor<1x5x8xf32>
  kernel.yield %1 : tensor<1x5x8xf32>
}

// -----

kernel.func @attention_of_other_shape attention sizeArgs = [] : (tensor<1x5x8xf32>) -> tensor<1x4x8xf32> {
^bb0(%a: tensor<1x5x8xf32>):
  // expected-error @below {{results of its kernel must have its shape; found 'tensor<1x4x8xf32>'}}
  %0 = kernel.attention %a, %a, %a causal = none scale = 1.0 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  %1 = tensor.extract_slice %0[0, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<1x5x8xf32> to tensor<1x4x8xf32>
  kernel.yield %1 : tensor<1x4x8xf32>
}

// -----

// Rows are stored whole: what takes them apart is no order that an attention writes.
kernel.func @attention_of_parted_rows attention sizeArgs = [] : (tensor<1x5x8xf32>) -> tensor<1x5x2x4xf32> {
^bb0(%a: tensor<1x5x8xf32>):
  // expected-error @below {{results of its kernel must have its shape; found 'tensor<1x5x2x4xf32>'}}
  %0 = kernel.attention %a, %a, %a causal = none scale = 1.0 : (tensor<1x5x8xf32>, tensor<1x5x8xf32>, tensor<1x5x8xf32>) -> tensor<1x5x8xf32>
  %1 = tensor.expand_shape %0 [[0], [1], [2, 3]] output_shape [1, 5, 2, 4] : tensor<1x5x8xf32> into tensor<1x5x2x4xf32>
  kernel.yield %1 : tensor<1x5x2x4xf32>
}

// -----

kernel.func @scan_of_f16 scan sizeArgs = [] : (tensor<4x8xf16>) -> tensor<4x8xf16> {
^bb0(%a: tensor<4x8xf16>):
  // expected-error @below {{sums are of f32, f64, i32 or i64; found 'f16'}}
  %0 = kernel.scan %a dim = 1 : tensor<4x8xf16>
  kernel.yield %0 : tensor<4x8xf16>
}

// -----

kernel.func @scan_of_other_shape scan sizeArgs = [] : (tensor<4x8xf32>) -> tensor<32xf32> {
^bb0(%a: tensor<4x8xf32>):
  // expected-error @below {{results of its kernel must have its shape; found 'tensor<32xf32>'}}
  %0 = kernel.scan %a dim = 1 : tensor<4x8xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  kernel.yield %1 : tensor<32xf32>
}

// -----

kernel.func @sort_in_loop loop sizeArgs = [] : (tensor<4x8xf32>) -> tensor<4x8xi32> {
^bb0(%a: tensor<4x8xf32>):
  // expected-error @below {{must be the fusion root of its kernel, which has no reduction; found fusion root 'loop' and 0 reductions}}
  %0 = kernel.sort %a : tensor<4x8xf32> -> tensor<4x8xi32>
  kernel.yield %0 : tensor<4x8xi32>
}

// -----

kernel.func @counts_in_loop loop sizeArgs = [] : (tensor<4x8xf32>) -> tensor<4x1x256xi32> {
^bb0(%a: tensor<4x8xf32>):
  // expected-error @below {{must be the fusion root of its kernel, which has no reduction; found fusion root 'loop' and 0 reductions}}
  %0 = kernel.digit_counts input(%a : tensor<4x8xf32>) digit = 0 chunks = 1 -> tensor<4x1x256xi32>
  kernel.yield %0 : tensor<4x1x256xi32>
}

// -----

kernel.func @both_halves sort sizeArgs = [] : (tensor<4x8xf32>) -> tensor<4x8xi32> {
^bb0(%a: tensor<4x8xf32>):
  %0 = kernel.digit_counts input(%a : tensor<4x8xf32>) digit = 0 chunks = 1 -> tensor<4x1x256xi32>
  // expected-error @below {{must be the only scan, attention or sort of its kernel; found 2}}
  %1 = kernel.digit_scatter input(%a : tensor<4x8xf32>) counts(%0 : tensor<4x1x256xi32>) digit = 0 -> tensor<4x8xi32>
  kernel.yield %1 : tensor<4x8xi32>
}

// -----

kernel.func @computed_counts sort sizeArgs = [] : (tensor<4x8xf32>, tensor<4x256xi32>) -> tensor<4x8xi32> {
^bb0(%a: tensor<4x8xf32>, %c: tensor<4x256xi32>):
  %0 = tensor.expand_shape %c [[0, 1], [2]] output_shape [4, 1, 256] : tensor<4x256xi32> into tensor<4x1x256xi32>
  // expected-error @below {{counts must be an argument of its kernel}}
  %1 = kernel.digit_scatter input(%a : tensor<4x8xf32>) counts(%0 : tensor<4x1x256xi32>) digit = 0 -> tensor<4x8xi32>
  kernel.yield %1 : tensor<4x8xi32>
}

// -----

kernel.func @two_sorts sort sizeArgs = [] : (tensor<4x8xf32>) -> tensor<4x8xi32> {
^bb0(%a: tensor<4x8xf32>):
  %0 = kernel.sort %a : tensor<4x8xf32> -> tensor<4x8xi32>
  // expected-error @below {{must be the only scan, attention or sort of its kernel; found 2}}
  %1 = kernel.sort %0 : tensor<4x8xi32> -> tensor<4x8xi32>
  kernel.yield %1 : tensor<4x8xi32>
}

// -----

kernel.func @sort_that_is_read sort sizeArgs = [] : (tensor<4x8xf32>) -> tensor<32xi32> {
^bb0(%a: tensor<4x8xf32>):
  // expected-error @below {{must be the only result of its kernel, and read by nothing in it}}
  %0 = kernel.sort %a : tensor<4x8xf32> -> tensor<4x8xi32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<4x8xi32> into tensor<32xi32>
  kernel.yield %1 : tensor<32xi32>
}

// -----

kernel.func @large_selection sort sizeArgs = [] : (tensor<4x8192xf32>) -> tensor<4x2049xi32> {
^bb0(%a: tensor<4x8192xf32>):
  // expected-error @below {{selects at most 2048 positions; found 2049}}
  %0 = kernel.sort %a count = 2049 : tensor<4x8192xf32> -> tensor<4x2049xi32>
  kernel.yield %0 : tensor<4x2049xi32>
}

// -----

// expected-error @below {{results must have one shape; found 'tensor<4xf32>' and 'tensor<8xf32>'}}
kernel.func @two_shapes loop sizeArgs = [] : (tensor<4xf32>, tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
^bb0(%a: tensor<4xf32>, %b: tensor<8xf32>):
  kernel.yield %a, %b : tensor<4xf32>, tensor<8xf32>
}

// -----

// expected-error @below {{must have a result to become code}}
kernel.func @no_result loop sizeArgs = [] : (tensor<4xf32>) -> () {
^bb0(%a: tensor<4xf32>):
  kernel.yield
}

// -----

// Each thread would add it.
#rows = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
kernel.func @starts_from_five row sizeArgs = [] : (tensor<4x8xf32>) -> tensor<4xf32> {
^bb0(%a: tensor<4x8xf32>):
  %five = arith.constant 5.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%five : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  // expected-error @below {{a reduction must start from the number that changes no result, such as 0 for a sum; found 5.000000e+00 : f32}}
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %d = arith.addf %sum, %x : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  kernel.yield %r : tensor<4xf32>
}

// -----

#lhs = affine_map<(i, j, k) -> (i, k)>
#rhs = affine_map<(i, j, k) -> (j, k)>
#res = affine_map<(i, j, k) -> (i, j)>
kernel.func @contracts_from_five gemm sizeArgs = [] : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf32> {
^bb0(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>):
  %five = arith.constant 5.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%five : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-error @below {{a reduction must start from the number that changes no result}}
  %r = linalg.generic {indexing_maps = [#lhs, #rhs, #res], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%init : tensor<64x64xf32>) {
  ^bb0(%x: f16, %y: f16, %sum: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %p = arith.mulf %u, %v : f32
    %d = arith.addf %sum, %p : f32
    linalg.yield %d : f32
  } -> tensor<64x64xf32>
  kernel.yield %r : tensor<64x64xf32>
}

// -----

// The operations of a kernel's body are those that emitters read.
kernel.func @calls loop sizeArgs = [] : (tensor<4x4xf32>) -> tensor<4x4xf32> {
^bb0(%a: tensor<4x4xf32>):
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-error @below {{must be a constant or arithmetic on sizes to be in a kernel outside of a loop}}
  %r = linalg.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%init : tensor<4x4xf32>) -> tensor<4x4xf32>
  kernel.yield %r : tensor<4x4xf32>
}

// -----

kernel.func @other_arithmetic loop sizeArgs = [1, 1] : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  // expected-error @below {{must be a constant or arithmetic on sizes to be in a kernel outside of a loop}}
  %m = arith.shli %n, %n : index
  kernel.yield %a : tensor<?xf32>
}

// -----

kernel.func @and_of_conditions loop sizeArgs = [1, 1] : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  %c = arith.cmpi eq, %n, %n : index
  %both = arith.constant true
  // expected-error @below {{must be a constant or arithmetic on sizes to be in a kernel outside of a loop}}
  %m = arith.select %both, %n, %n : index
  kernel.yield %a : tensor<?xf32>
}

// -----

kernel.func @yields_nothing loop sizeArgs = [] : () -> tensor<4xf32> {
^bb0:
  %0 = tensor.empty() : tensor<4xf32>
  // expected-error @below {{must not read a tensor.empty}}
  kernel.yield %0 : tensor<4xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
kernel.func @reads_nothing loop sizeArgs = [] : () -> tensor<4xf32> {
^bb0:
  %0 = tensor.empty() : tensor<4xf32>
  // expected-error @below {{must not read a tensor.empty}}
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%0 : tensor<4xf32>) outs(%0 : tensor<4xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  } -> tensor<4xf32>
  kernel.yield %1 : tensor<4xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
kernel.func @adds_to_nothing loop sizeArgs = [] : (tensor<4xf32>) -> tensor<4xf32> {
^bb0(%a: tensor<4xf32>):
  %0 = tensor.empty() : tensor<4xf32>
  // expected-error @below {{must not read a tensor.empty}}
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%0 : tensor<4xf32>) {
  ^bb0(%x: f32, %old: f32):
    %s = arith.addf %x, %old : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  kernel.yield %1 : tensor<4xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
kernel.func @scalar_operand loop sizeArgs = [] : () -> tensor<4xf32> {
^bb0:
  %one = arith.constant 1.0 : f32
  %0 = tensor.empty() : tensor<4xf32>
  // expected-error @below {{operands must be tensors to be part of a kernel; found 'f32'}}
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> ()>, #id], iterator_types = ["parallel"]} ins(%one : f32) outs(%0 : tensor<4xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  } -> tensor<4xf32>
  kernel.yield %1 : tensor<4xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
kernel.func @branches loop sizeArgs = [] : (tensor<4xi1>) -> tensor<4xi1> {
^bb0(%a: tensor<4xi1>):
  %0 = tensor.empty() : tensor<4xi1>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<4xi1>) outs(%0 : tensor<4xi1>) {
  ^bb0(%x: i1, %old: i1):
    // expected-error @below {{must be scalar arithmetic, linalg.index or tensor.extract to be in a kernel's loop}}
    %r = scf.if %x -> i1 {
      scf.yield %x : i1
    } else {
      scf.yield %x : i1
    }
    linalg.yield %r : i1
  } -> tensor<4xi1>
  kernel.yield %1 : tensor<4xi1>
}

// -----

#id = affine_map<(d0) -> (d0)>
kernel.func @vectors loop sizeArgs = [] : (tensor<4xf32>) -> tensor<4xf32> {
^bb0(%a: tensor<4xf32>):
  %0 = tensor.empty() : tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%0 : tensor<4xf32>) {
  ^bb0(%x: f32, %old: f32):
    // expected-error @below {{must be scalar arithmetic, linalg.index or tensor.extract to be in a kernel's loop}}
    %v = arith.constant dense<1.0> : vector<2xf32>
    linalg.yield %x : f32
  } -> tensor<4xf32>
  kernel.yield %1 : tensor<4xf32>
}

// -----

// A loop that no dimension of the result has.
kernel.func @loop_without_dimension loop sizeArgs = [] : (tensor<4x8xf32>) -> tensor<4xf32> {
^bb0(%a: tensor<4x8xf32>):
  %0 = tensor.empty() : tensor<4xf32>
  // expected-error @below {{a result must have a dimension for each parallel loop; found affine_map<(d0, d1) -> (d0)> for 2 parallel loops}}
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x8xf32>) outs(%0 : tensor<4xf32>) {
  ^bb0(%x: f32, %old: f32):
    linalg.yield %x : f32
  } -> tensor<4xf32>
  kernel.yield %1 : tensor<4xf32>
}

// -----

kernel.func @dynamic_offset loop sizeArgs = [] : (tensor<8xf32>, index) -> tensor<4xf32> {
^bb0(%a: tensor<8xf32>, %n: index):
  // expected-error @below {{must have static offsets and positive static strides in a kernel}}
  %0 = tensor.extract_slice %a[%n] [4] [1] : tensor<8xf32> to tensor<4xf32>
  kernel.yield %0 : tensor<4xf32>
}

// -----

// expected-error @below {{arguments must be sizes, or tensors of Tripy's element types; found 'tensor<4xf80>'}}
kernel.func @f80 loop sizeArgs = [] : (tensor<4xf80>) -> tensor<4xf80> {
^bb0(%a: tensor<4xf80>):
  kernel.yield %a : tensor<4xf80>
}

// -----

kernel.func @inner_f80 loop sizeArgs = [] : (tensor<4xf32>) -> tensor<4xf32> {
^bb0(%a: tensor<4xf32>):
  // expected-error @below {{must be a tensor of Tripy's element types to be in a kernel; found 'tensor<4xf80>'}}
  %0 = arith.constant dense<1.0> : tensor<4xf80>
  kernel.yield %a : tensor<4xf32>
}

// -----

kernel.func @fills_with_a_value loop sizeArgs = [] : (index) -> tensor<4xi64> {
^bb0(%n: index):
  // expected-error @below {{must be a constant or arithmetic on sizes to be in a kernel outside of a loop}}
  %x = arith.index_cast %n : index to i64
  %0 = tensor.empty() : tensor<4xi64>
  %1 = linalg.fill ins(%x : i64) outs(%0 : tensor<4xi64>) -> tensor<4xi64>
  kernel.yield %1 : tensor<4xi64>
}

// -----

kernel.func @groups_beyond loop sizeArgs = [] : (tensor<8xf32>) -> tensor<8x1xf32> {
^bb0(%a: tensor<8xf32>):
  // expected-error @below {{must group the dimensions of 'tensor<8x1xf32>' in order; found 4294967296 as number 0}}
  %0 = tensor.expand_shape %a [[4294967296, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
  kernel.yield %0 : tensor<8x1xf32>
}

// -----

kernel.func @f64_function loop sizeArgs = [] : (tensor<4xf64>) -> tensor<4xf64> {
^bb0(%a: tensor<4xf64>):
  %e = tensor.empty() : tensor<4xf64>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : tensor<4xf64>) outs(%e : tensor<4xf64>) {
  ^bb0(%x: f64, %out: f64):
    // expected-error @below {{'math.erfc' op is computed for f32 and narrower floats, which its operand can be cast to; found 'f64'}}
    %y = math.erfc %x : f64
    linalg.yield %y : f64
  } -> tensor<4xf64>
  kernel.yield %0 : tensor<4xf64>
}

// -----

#id = affine_map<(d0) -> (d0)>
#shifted = affine_map<(d0) -> (d0 + 1)>
kernel.func @shifted loop sizeArgs = [] : (tensor<5xf32>) -> tensor<4xf32> {
^bb0(%a: tensor<5xf32>):
  %0 = tensor.empty() : tensor<4xf32>
  // expected-error @below {{indexing maps must be projected permutations to be part of a kernel; found affine_map<(d0) -> (d0 + 1)>}}
  %1 = linalg.generic {indexing_maps = [#shifted, #id], iterator_types = ["parallel"]} ins(%a : tensor<5xf32>) outs(%0 : tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<4xf32>
  kernel.yield %1 : tensor<4xf32>
}

// -----

kernel.func @fills_with_a_condition loop sizeArgs = [] : (index, index) -> tensor<4xi1> {
^bb0(%n: index, %m: index):
  %c = arith.cmpi eq, %n, %m : index
  %0 = tensor.empty() : tensor<4xi1>
  // expected-error @below {{must fill a tensor with a constant to be in a kernel}}
  %1 = linalg.fill ins(%c : i1) outs(%0 : tensor<4xi1>) -> tensor<4xi1>
  kernel.yield %1 : tensor<4xi1>
}

// -----

#rows = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#all = affine_map<() -> ()>
// expected-error @below {{results of a row kernel must have its 1 leading dimensions, and then one element or all of the columns' dimensions; it iterates over [4, 8], found 'tensor<f32>'}}
kernel.func @result_without_row row sizeArgs = [] : (tensor<4x8xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>) {
^bb0(%a: tensor<4x8xf32>, %b: tensor<f32>):
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %s = arith.addf %sum, %x : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %e = tensor.empty() : tensor<f32>
  %s = linalg.generic {indexing_maps = [#all, #all], iterator_types = []} ins(%b : tensor<f32>) outs(%e : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<f32>
  kernel.yield %r, %s : tensor<4xf32>, tensor<f32>
}

// -----

#cube = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0)>
// expected-error @below {{results of a row kernel must have its 1 leading dimensions, and then one element or all of the columns' dimensions; it iterates over [0, 0, 0], found 'tensor<0x0xf32>'}}
kernel.func @result_of_other_columns row sizeArgs = [] : (tensor<0x0x0xf32>) -> tensor<0x0xf32> {
^bb0(%a: tensor<0x0x0xf32>):
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<0xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<0xf32>) -> tensor<0xf32>
  %r = linalg.generic {indexing_maps = [#cube, #row], iterator_types = ["parallel", "reduction", "reduction"]} ins(%a : tensor<0x0x0xf32>) outs(%init : tensor<0xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %s = arith.addf %sum, %x : f32
    linalg.yield %s : f32
  } -> tensor<0xf32>
  %e = tensor.expand_shape %r [[0, 1]] output_shape [0, 0] : tensor<0xf32> into tensor<0x0xf32>
  kernel.yield %e : tensor<0x0xf32>
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
kernel.func @reductions_of_two_shapes row sizeArgs = [] : (tensor<4x8xf32>, tensor<4x9xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
^bb0(%a: tensor<4x8xf32>, %b: tensor<4x9xf32>):
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %d = arith.addf %sum, %x : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  // expected-error @below {{reductions of a row kernel must iterate over one shape; found [4, 9] and [4, 8]}}
  %s = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%b : tensor<4x9xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %d = arith.addf %sum, %x : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  kernel.yield %r, %s : tensor<4xf32>, tensor<4xf32>
}

// -----

// Elements of i4 are read; nothing writes half a byte.
#i4 = affine_map<(d0) -> (d0)>
kernel.func @makes_i4 loop sizeArgs = [] : (tensor<8xi8>) -> tensor<8xi8> {
^bb0(%a: tensor<8xi8>):
  %empty = tensor.empty() : tensor<8xi8>
  %r = linalg.generic {indexing_maps = [#i4, #i4], iterator_types = ["parallel"]} ins(%a : tensor<8xi8>) outs(%empty : tensor<8xi8>) {
  ^bb0(%x: i8, %o: i8):
    // expected-error @below {{must not make elements of i4 in a kernel, which reads them and computes with i8}}
    %n = arith.trunci %x : i8 to i4
    %w = arith.extsi %n : i4 to i8
    linalg.yield %w : i8
  } -> tensor<8xi8>
  kernel.yield %r : tensor<8xi8>
}

// -----

#i4 = affine_map<(d0) -> (d0)>
kernel.func @reads_unsigned loop sizeArgs = [] : (tensor<8xi4>) -> tensor<8xi8> {
^bb0(%a: tensor<8xi4>):
  %empty = tensor.empty() : tensor<8xi8>
  %r = linalg.generic {indexing_maps = [#i4, #i4], iterator_types = ["parallel"]} ins(%a : tensor<8xi4>) outs(%empty : tensor<8xi8>) {
  ^bb0(%x: i4, %o: i8):
    // expected-error @below {{must not read elements of i4 as unsigned in a kernel, which reads them and computes with i8}}
    %w = arith.extui %x : i4 to i8
    linalg.yield %w : i8
  } -> tensor<8xi8>
  kernel.yield %r : tensor<8xi8>
}

// -----

// expected-error @below {{must not make elements of i4 in a kernel}}
kernel.func @yields_i4 loop sizeArgs = [] : (tensor<8xi4>) -> tensor<8xi4> {
^bb0(%a: tensor<8xi4>):
  kernel.yield %a : tensor<8xi4>
}

// -----

#i4 = affine_map<(d0) -> (d0)>
kernel.func @copies_i4 loop sizeArgs = [] : (tensor<8xi4>) -> tensor<8xi8> {
^bb0(%a: tensor<8xi4>):
  %empty = tensor.empty() : tensor<8xi4>
  // expected-error @below {{must not make elements of i4 in a kernel}}
  %c = linalg.generic {indexing_maps = [#i4, #i4], iterator_types = ["parallel"]} ins(%a : tensor<8xi4>) outs(%empty : tensor<8xi4>) {
  ^bb0(%x: i4, %o: i4):
    linalg.yield %x : i4
  } -> tensor<8xi4>
  %bytes = tensor.empty() : tensor<8xi8>
  %r = linalg.generic {indexing_maps = [#i4, #i4], iterator_types = ["parallel"]} ins(%c : tensor<8xi4>) outs(%bytes : tensor<8xi8>) {
  ^bb0(%x: i4, %o: i8):
    %w = arith.extsi %x : i4 to i8
    linalg.yield %w : i8
  } -> tensor<8xi8>
  kernel.yield %r : tensor<8xi8>
}

// -----

tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%n: index):
  tripy.plugin_sizes results(%n)
}
kernel.func @plugin_neighbour plugin sizeArgs = [] : (tensor<4xf32>) -> tensor<4xf32> {
^bb0(%x: tensor<4xf32>):
  // expected-error @below {{must not be beside a plugin in a kernel}}
  %e = tensor.empty() : tensor<4xf32>
  %r = kernel.plugin @k(%x) sizes() : (tensor<4xf32>) -> tensor<4xf32>
  kernel.yield %r : tensor<4xf32>
}
