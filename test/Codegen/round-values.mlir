// RUN: tripy-opt %s --kernel-round-values --split-input-file | FileCheck %s

// Which values of 16-bit types a kernel rounds for all readers, and which not.

#id = affine_map<(d0) -> (d0)>

// A comparison reads what memory would hold.
// CHECK-LABEL: kernel.func @compared
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK-NEXT: %[[ROUNDED:.*]] = kernel.round %[[SUM]] : f16
// CHECK-NEXT: arith.cmpf ogt, %[[ROUNDED]],
kernel.func @compared loop sizeArgs = [] : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xi1> {
^bb0(%a: tensor<4xf16>, %b: tensor<4xf16>):
  %e = tensor.empty() : tensor<4xi1>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<4xf16>, tensor<4xf16>) outs(%e : tensor<4xi1>) {
  ^bb0(%x: f16, %y: f16, %out: i1):
    %s = arith.addf %x, %y : f16
    %c = arith.cmpf ogt, %s, %x : f16
    linalg.yield %c : i1
  } -> tensor<4xi1>
  kernel.yield %0 : tensor<4xi1>
}

// -----

#id = affine_map<(d0) -> (d0)>

// So does every operation of which nothing is known.
// CHECK-LABEL: kernel.func @unknown
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK-NEXT: %[[ROUNDED:.*]] = kernel.round %[[SUM]] : bf16
// CHECK-NEXT: math.roundeven %[[ROUNDED]]
// CHECK-NOT: kernel.round
kernel.func @unknown loop sizeArgs = [] : (tensor<4xbf16>) -> tensor<4xbf16> {
^bb0(%a: tensor<4xbf16>):
  %e = tensor.empty() : tensor<4xbf16>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<4xbf16>) outs(%e : tensor<4xbf16>) {
  ^bb0(%x: bf16, %out: bf16):
    %s = arith.addf %x, %x : bf16
    %r = math.roundeven %s : bf16
    linalg.yield %r : bf16
  } -> tensor<4xbf16>
  kernel.yield %0 : tensor<4xbf16>
}

// -----

#id = affine_map<(d0) -> (d0)>

// Arithmetic in f32 that ends in the same type is as good as arithmetic in it;
// numbers from memory are rounded, and so is what is stored and read no more.
// CHECK-LABEL: kernel.func @smooth
// CHECK-NOT: kernel.round
// CHECK: kernel.yield
kernel.func @smooth loop sizeArgs = [] : (tensor<4xf16>, tensor<4xf16>) -> (tensor<4xf16>, tensor<4xi1>) {
^bb0(%a: tensor<4xf16>, %b: tensor<4xf16>):
  %e = tensor.empty() : tensor<4xf16>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<4xf16>, tensor<4xf16>) outs(%e : tensor<4xf16>) {
  ^bb0(%x: f16, %y: f16, %out: f16):
    %s = arith.addf %x, %y : f16
    %w = arith.extf %s : f16 to f32
    %t = math.tanh %w : f32
    %p = arith.mulf %w, %t : f32
    %n = arith.truncf %p : f32 to f16
    %m = arith.mulf %n, %s : f16
    linalg.yield %m : f16
  } -> tensor<4xf16>
  %f = tensor.empty() : tensor<4xi1>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<4xf16>, tensor<4xf16>) outs(%f : tensor<4xi1>) {
  ^bb0(%x: f16, %y: f16, %out: i1):
    %c = arith.cmpf ogt, %x, %y : f16
    linalg.yield %c : i1
  } -> tensor<4xi1>
  kernel.yield %0, %1 : tensor<4xf16>, tensor<4xi1>
}

// -----

#id = affine_map<(d0) -> (d0)>

// Who stores f32, or compares in it, sees all bits, also of what follows.
// CHECK-LABEL: kernel.func @wide
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK-NEXT: %[[ROUNDED:.*]] = kernel.round %[[SUM]] : f16
// CHECK-NEXT: arith.extf %[[ROUNDED]]
kernel.func @wide loop sizeArgs = [] : (tensor<4xf16>) -> tensor<4xf32> {
^bb0(%a: tensor<4xf16>):
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf16>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: f16, %out: f32):
    %s = arith.addf %x, %x : f16
    %w = arith.extf %s : f16 to f32
    %t = math.tanh %w : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  kernel.yield %0 : tensor<4xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// bf16 has another range than f16: its rounding does not hide f16's.
// CHECK-LABEL: kernel.func @other_type
// CHECK: kernel.round {{.*}} : f16
// CHECK-NEXT: arith.extf
// CHECK-NOT: kernel.round
kernel.func @other_type loop sizeArgs = [] : (tensor<4xf16>) -> tensor<4xbf16> {
^bb0(%a: tensor<4xf16>):
  %e = tensor.empty() : tensor<4xbf16>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf16>) outs(%e : tensor<4xbf16>) {
  ^bb0(%x: f16, %out: bf16):
    %s = arith.addf %x, %x : f16
    %w = arith.extf %s : f16 to f32
    %n = arith.truncf %w : f32 to bf16
    linalg.yield %n : bf16
  } -> tensor<4xbf16>
  kernel.yield %0 : tensor<4xbf16>
}

// -----

#id = affine_map<(d0) -> (d0)>

// The caller sees the sum, through views and the choice of the larger; exp must
// read the same number. What exp computes is stored only.
// CHECK-LABEL: kernel.func @stored_and_read
// CHECK: arith.addf
// CHECK-NEXT: kernel.round
// CHECK: arith.maximumf
// CHECK-NOT: kernel.round
// CHECK: kernel.yield
kernel.func @stored_and_read loop sizeArgs = [] : (tensor<4xf16>) -> (tensor<2x2xf16>, tensor<4xf16>) {
^bb0(%a: tensor<4xf16>):
  %e = tensor.empty() : tensor<4xf16>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf16>) outs(%e : tensor<4xf16>) {
  ^bb0(%x: f16, %out: f16):
    %s = arith.addf %x, %x : f16
    linalg.yield %s : f16
  } -> tensor<4xf16>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%0 : tensor<4xf16>) outs(%e : tensor<4xf16>) {
  ^bb0(%x: f16, %out: f16):
    %zero = arith.constant 0.0 : f16
    %m = arith.maximumf %x, %zero : f16
    linalg.yield %m : f16
  } -> tensor<4xf16>
  %2 = tensor.expand_shape %1 [[0, 1]] output_shape [2, 2] : tensor<4xf16> into tensor<2x2xf16>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%0 : tensor<4xf16>) outs(%e : tensor<4xf16>) {
  ^bb0(%x: f16, %out: f16):
    %p = math.exp %x : f16
    linalg.yield %p : f16
  } -> tensor<4xf16>
  kernel.yield %2, %3 : tensor<2x2xf16>, tensor<4xf16>
}

// -----

#id = affine_map<(d0) -> (d0)>

// Nobody but memory reads it, in whatever form.
// CHECK-LABEL: kernel.func @stored_only
// CHECK-NOT: kernel.round
// CHECK: kernel.yield
kernel.func @stored_only loop sizeArgs = [] : (tensor<4xf16>) -> (tensor<4xf16>, tensor<2xf16>) {
^bb0(%a: tensor<4xf16>):
  %e = tensor.empty() : tensor<4xf16>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf16>) outs(%e : tensor<4xf16>) {
  ^bb0(%x: f16, %out: f16):
    %s = arith.addf %x, %x : f16
    %n = arith.negf %s : f16
    linalg.yield %n : f16
  } -> tensor<4xf16>
  %1 = tensor.extract_slice %0[1] [2] [1] : tensor<4xf16> to tensor<2xf16>
  kernel.yield %0, %1 : tensor<4xf16>, tensor<2xf16>
}

// -----

#id = affine_map<(d0) -> (d0)>

// Other kernels compute the sum, too.
// CHECK-LABEL: kernel.func @repeated
// CHECK: arith.addf
// CHECK-NEXT: kernel.round
// CHECK: math.exp
kernel.func @repeated loop sizeArgs = [] : (tensor<4xf16>) -> tensor<4xf16> {
^bb0(%a: tensor<4xf16>):
  %e = tensor.empty() : tensor<4xf16>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf16>) outs(%e : tensor<4xf16>) attrs = {kernel.repeated} {
  ^bb0(%x: f16, %out: f16):
    %s = arith.addf %x, %x : f16
    linalg.yield %s : f16
  } -> tensor<4xf16>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%0 : tensor<4xf16>) outs(%e : tensor<4xf16>) {
  ^bb0(%x: f16, %out: f16):
    %p = math.exp %x : f16
    linalg.yield %p : f16
  } -> tensor<4xf16>
  kernel.yield %1 : tensor<4xf16>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0) -> (d0)>

// The largest element is one of them: who compares it compares all of them.
// Steps of the reduction are not rounded.
// CHECK-LABEL: kernel.func @largest
// CHECK: arith.subf
// CHECK-NEXT: kernel.round
// CHECK: arith.maximumf
// CHECK-NEXT: linalg.yield
// CHECK: kernel.round
// CHECK-NEXT: linalg.yield
// CHECK: arith.cmpf oeq
kernel.func @largest row sizeArgs = [] : (tensor<4x8xf16>, tensor<4x8xf16>) -> tensor<4x8xi1> {
^bb0(%a: tensor<4x8xf16>, %b: tensor<4x8xf16>):
  %e = tensor.empty() : tensor<4x8xf16>
  %0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<4x8xf16>, tensor<4x8xf16>) outs(%e : tensor<4x8xf16>) {
  ^bb0(%x: f16, %y: f16, %out: f16):
    %s = arith.subf %x, %y : f16
    linalg.yield %s : f16
  } -> tensor<4x8xf16>
  %low = arith.constant 0xFC00 : f16
  %f = tensor.empty() : tensor<4xf16>
  %init = linalg.fill ins(%low : f16) outs(%f : tensor<4xf16>) -> tensor<4xf16>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%0 : tensor<4x8xf16>) outs(%init : tensor<4xf16>) {
  ^bb0(%x: f16, %out: f16):
    %s = arith.maximumf %out, %x : f16
    linalg.yield %s : f16
  } -> tensor<4xf16>
  %g = tensor.empty() : tensor<4x8xi1>
  %c = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0, %m : tensor<4x8xf16>, tensor<4xf16>) outs(%g : tensor<4x8xi1>) {
  ^bb0(%x: f16, %y: f16, %out: i1):
    %q = arith.cmpf oeq, %x, %y : f16
    linalg.yield %q : i1
  } -> tensor<4x8xi1>
  kernel.yield %c : tensor<4x8xi1>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// A sum in f16 is rounded after its last step.
// CHECK-LABEL: kernel.func @sum
// CHECK: arith.addf
// CHECK-NEXT: linalg.yield
// CHECK: kernel.round
// CHECK-NEXT: linalg.yield
// CHECK: arith.cmpf
kernel.func @sum row sizeArgs = [] : (tensor<4x8xf16>) -> tensor<4x8xi1> {
^bb0(%a: tensor<4x8xf16>):
  %zero = arith.constant 0.0 : f16
  %f = tensor.empty() : tensor<4xf16>
  %init = linalg.fill ins(%zero : f16) outs(%f : tensor<4xf16>) -> tensor<4xf16>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x8xf16>) outs(%init : tensor<4xf16>) {
  ^bb0(%x: f16, %out: f16):
    %s = arith.addf %out, %x : f16
    linalg.yield %s : f16
  } -> tensor<4xf16>
  %g = tensor.empty() : tensor<4x8xi1>
  %c = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %m : tensor<4x8xf16>, tensor<4xf16>) outs(%g : tensor<4x8xi1>) {
  ^bb0(%x: f16, %y: f16, %out: i1):
    %q = arith.cmpf olt, %x, %y : f16
    linalg.yield %q : i1
  } -> tensor<4x8xi1>
  kernel.yield %c : tensor<4x8xi1>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#lhs = affine_map<(d0, d1, d2) -> (d0, d2)>
#rhs = affine_map<(d0, d1, d2) -> (d2, d1)>
#res = affine_map<(d0, d1, d2) -> (d0, d1)>

// Tensor cores take rounded operands, other code may not: one reader more, and
// the operand is rounded for both. Alone, it needs nothing.
// CHECK-LABEL: kernel.func @multiplied
// CHECK: math.sqrt
// CHECK-NEXT: linalg.yield
// CHECK: arith.addf
// CHECK-NEXT: kernel.round
// CHECK: arith.mulf
// CHECK-NOT: kernel.round
// CHECK: kernel.yield
kernel.func @multiplied gemm sizeArgs = [] : (tensor<16x16xf16>, tensor<16x16xf16>) -> tensor<16x16xf16> {
^bb0(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>):
  %e = tensor.empty() : tensor<16x16xf16>
  %alone = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<16x16xf16>) outs(%e : tensor<16x16xf16>) {
  ^bb0(%x: f16, %out: f16):
    %s = math.sqrt %x : f16
    linalg.yield %s : f16
  } -> tensor<16x16xf16>
  %both = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<16x16xf16>) outs(%e : tensor<16x16xf16>) {
  ^bb0(%x: f16, %out: f16):
    %s = arith.addf %x, %x : f16
    linalg.yield %s : f16
  } -> tensor<16x16xf16>
  %zero = arith.constant 0.0 : f32
  %f = tensor.empty() : tensor<16x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
  %m = linalg.generic {indexing_maps = [#lhs, #rhs, #res], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%alone, %both : tensor<16x16xf16>, tensor<16x16xf16>) outs(%init : tensor<16x16xf32>) {
  ^bb0(%x: f16, %y: f16, %out: f32):
    %l = arith.extf %x : f16 to f32
    %r = arith.extf %y : f16 to f32
    %p = arith.mulf %l, %r : f32
    %s = arith.addf %out, %p : f32
    linalg.yield %s : f32
  } -> tensor<16x16xf32>
  %c = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%m, %both : tensor<16x16xf32>, tensor<16x16xf16>) outs(%e : tensor<16x16xf16>) {
  ^bb0(%x: f32, %y: f16, %out: f16):
    %n = arith.truncf %x : f32 to f16
    %q = arith.addf %n, %y : f16
    linalg.yield %q : f16
  } -> tensor<16x16xf16>
  kernel.yield %c : tensor<16x16xf16>
}
