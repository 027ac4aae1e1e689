// RUN: tripy-opt %s --flatir-form-dispatches | FileCheck %s
// RUN: tripy-opt %s --flatir-form-dispatches --kernel-outline --remark-format=emitRemark --remarks-filter=sizes 2>&1 | FileCheck %s --check-prefix=MERGED

// Ranges and optimum of the sizes that a kernel has, also of computed ones.

// CHECK-LABEL: func.func @computed(
// CHECK: kernel.dispatch {{.*}}sizes = #kernel.sizes<[1, 5, 8], [3, 7, 10]>
func.func @computed(%x: tensor<?x3xf32> {tripy.profile = #tripy.profile<min = [1, 3], opt = [5, 3], max = [8, 3]>},
                    %y: tensor<2x3xf32>) -> tensor<?x3xf32> {
  %c = flatir.concatenate %x, %y dim = 0 : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<?x3xf32>
  %r = flatir.neg %c : tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}

// A program without a profile says nothing.
// CHECK-LABEL: func.func @unknown(
// CHECK-NOT: #kernel.sizes
// CHECK-LABEL: func.func @shared(
func.func @unknown(%x: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %r = flatir.exp %x : tensor<?x5xf32>
  return %r : tensor<?x5xf32>
}

// One kernel for both: right for all sizes, planned for the larger ones.
// MERGED: planned for sizes 40; another call expects 3
// MERGED: kernel.func @shared_loop_0_neg loop {{.*}}sizes = #kernel.sizes<[1, 40, 90]>
// MERGED-NOT: kernel.func @shared
func.func @shared(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [2], opt = [3], max = [4]>},
                  %y: tensor<?xf32> {tripy.profile = #tripy.profile<min = [1], opt = [40], max = [90]>}) -> (tensor<?xf32>, tensor<?xf32>) {
  %a = flatir.neg %x : tensor<?xf32>
  %b = flatir.neg %y : tensor<?xf32>
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}
