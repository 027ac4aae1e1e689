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
  // expected-error @below {{must be the only scan of its kernel; found 2}}
  %1 = kernel.scan %0 dim = 0 : tensor<4x8xf32>
  kernel.yield %1 : tensor<4x8xf32>
}

// -----

kernel.func @scan_in_loop loop sizeArgs = [] : (tensor<4x8xf32>) -> tensor<4x8xf32> {
^bb0(%a: tensor<4x8xf32>):
  // expected-error @below {{must be the hero of its kernel, which has no reduction; found hero 'loop' and 0 reductions}}
  %0 = kernel.scan %a dim = 1 : tensor<4x8xf32>
  kernel.yield %0 : tensor<4x8xf32>
}

// -----

kernel.func @scan_of_f16 scan sizeArgs = [] : (tensor<4x8xf16>) -> tensor<4x8xf16> {
^bb0(%a: tensor<4x8xf16>):
  // expected-error @below {{sums are of f32, i32 or i64; found 'f16'}}
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
