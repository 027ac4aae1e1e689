// RUN: tripy-opt %s "--flatir-form-dispatches=sort-blocks=256" --split-input-file --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: tripy-opt %s "--flatir-form-dispatches=sort-blocks=256" --split-input-file --remark-format=emitRemark --remarks-filter="fusion" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tripy-opt %s --flatir-form-dispatches --split-input-file | FileCheck %s --check-prefix=WHOLE

// Without blocks that run side by side, nothing is cut.
// WHOLE-NOT: kernel.digit
// WHOLE-NOT: flatir.iota

// A pass is two kernels. The first one reads the elements, and others the pairs
// that the one before wrote; the last one writes positions.
// CHECK-LABEL: func.func @long(
// CHECK: kernel.dispatch sort
// CHECK: kernel.digit_counts input(%{{.*}} : tensor<1x100000xi16>) descending digit = 2 chunks = 25 -> tensor<1x25x256xi32> loc({{.*}}#tripy.why<rule = "split"
// CHECK: kernel.dispatch sort
// CHECK: kernel.digit_scatter input(%{{.*}} : tensor<1x100000xi16>) counts(%{{.*}} : tensor<1x25x256xi32>) descending digit = 2 -> tensor<1x100000xi64>
// CHECK: kernel.dispatch sort
// CHECK: kernel.digit_counts pairs(%{{.*}} : tensor<1x100000xi64>) digit = 3 chunks = 25 -> tensor<1x25x256xi32>
// CHECK: kernel.dispatch sort
// CHECK: kernel.digit_scatter pairs(%{{.*}} : tensor<1x100000xi64>) counts(%{{.*}} : tensor<1x25x256xi32>) digit = 3 -> tensor<1x100000xi32>
// CHECK-NOT: kernel.dispatch
// REMARK: remark: [Passed] fused{{.*}}'sort' is sorted in 2 passes, with 25 chunks of a row side by side: a row is longer than the 4096 elements that a block sorts
func.func @long(%a: tensor<1x100000xi16>) -> tensor<1x100000xi32> {
  %0 = flatir.sort %a descending : tensor<1x100000xi16> -> tensor<1x100000xi32>
  return %0 : tensor<1x100000xi32>
}

// -----

// A block sorts a row of 4096 elements, whatever rows there are.
// CHECK-LABEL: func.func @short(
// CHECK-NOT: kernel.digit
// CHECK: flatir.sort
// CHECK-NOT: kernel.digit
func.func @short(%a: tensor<4096xf32>) -> tensor<4096xi32> {
  %0 = flatir.sort %a : tensor<4096xf32> -> tensor<4096xi32>
  return %0 : tensor<4096xi32>
}

// -----

// Keys of 64 bits: the upper half is read where the first 4 passes end. Rows
// that are more than blocks have a chunk each. Views are read through.
// CHECK-LABEL: func.func @wide(
// CHECK: flatir.transpose
// CHECK: kernel.digit_counts input({{.*}}) digit = 0 chunks = 1
// CHECK-NOT: flatir.transpose %{{.*}}tensor<300x5000xi64>
// CHECK: kernel.digit_scatter pairs({{.*}}) counts({{.*}}) digit = 3 -> tensor<300x5000xi64>
// CHECK: kernel.digit_counts input(%{{.*}} : tensor<300x5000xf64>) pairs(%{{.*}} : tensor<300x5000xi64>) digit = 4 chunks = 1
// CHECK: kernel.digit_scatter input(%{{.*}} : tensor<300x5000xf64>) pairs(%{{.*}} : tensor<300x5000xi64>) counts({{.*}}) digit = 4 -> tensor<300x5000xi64>
// CHECK: kernel.digit_counts pairs({{.*}}) digit = 5
// CHECK: kernel.digit_scatter pairs({{.*}}) digit = 7 -> tensor<300x5000xi32>
func.func @wide(%a: tensor<5000x300xf64>) -> tensor<300x5000xi32> {
  %0 = flatir.transpose %a [1, 0] : tensor<5000x300xf64> -> tensor<300x5000xf64>
  %1 = flatir.sort %0 : tensor<300x5000xf64> -> tensor<300x5000xi32>
  return %1 : tensor<300x5000xi32>
}

// -----

// Dynamic rows are as long as in the profile's `opt`.
// CHECK-LABEL: func.func @dynamic(
// CHECK: kernel.digit_counts input(%{{.*}} : tensor<?x?xf32>) digit = 0 chunks = 37 -> tensor<?x37x256xi32>
// CHECK: kernel.digit_scatter pairs({{.*}}) digit = 3 -> tensor<?x?xi32>
func.func @dynamic(%a: tensor<?x?xf32> {tripy.profile = #tripy.profile<min = [0, 0], opt = [2, 300000], max = [4, 1000000]>}) -> tensor<?x?xi32> {
  %0 = flatir.sort %a : tensor<?x?xf32> -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}

// -----

// CHECK-LABEL: func.func @usually_short(
// CHECK-NOT: kernel.digit
// CHECK: flatir.sort
// CHECK-NOT: kernel.digit
func.func @usually_short(%a: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [1000], max = [1000000]>}) -> tensor<?xi32> {
  %0 = flatir.sort %a : tensor<?xf32> -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// -----

// A selection from 64 parts, and from the 40 elements of each.
// CHECK-LABEL: func.func @select(
// CHECK: flatir.sort %{{.*}} descending count = 40 : tensor<64x2004xf16> -> tensor<64x40xi32> loc({{.*}}#tripy.why<rule = "split"
// CHECK: flatir.gather
// CHECK: flatir.sort %{{.*}} descending count = 40 : tensor<1x2560xf16> -> tensor<1x40xi32>
// CHECK: flatir.floor_div
// CHECK: flatir.gather
// REMARK: remark: [Passed] fused{{.*}}'sort' selects from 64 parts of each row side by side, and then from what they gave: its rows alone leave the device empty
func.func @select(%a: tensor<1x128256xf16>) -> tensor<1x40xi32> {
  %0 = flatir.sort %a descending count = 40 : tensor<1x128256xf16> -> tensor<1x40xi32>
  return %0 : tensor<1x40xi32>
}

// -----

// Enough rows, a short one, and one that has no equal parts.
// CHECK-LABEL: func.func @select_whole(
// CHECK: flatir.sort {{.*}} : tensor<64x65536xf32>
// CHECK: flatir.sort {{.*}} : tensor<16384xf32>
// CHECK: flatir.sort {{.*}} : tensor<40009xf32>
// REMARK: 'sort' in two steps: a row of 40009 elements cannot be cut in 32 to 126 equal parts
func.func @select_whole(%a: tensor<64x65536xf32>, %b: tensor<16384xf32>, %c: tensor<40009xf32>) -> (tensor<64x10xi32>, tensor<10xi32>, tensor<10xi32>) {
  %0 = flatir.sort %a count = 10 : tensor<64x65536xf32> -> tensor<64x10xi32>
  %1 = flatir.sort %b count = 10 : tensor<16384xf32> -> tensor<10xi32>
  %2 = flatir.sort %c count = 10 : tensor<40009xf32> -> tensor<10xi32>
  return %0, %1, %2 : tensor<64x10xi32>, tensor<10xi32>, tensor<10xi32>
}
