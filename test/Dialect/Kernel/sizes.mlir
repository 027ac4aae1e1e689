// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// What the index arguments of a kernel are by the profile.

// CHECK: kernel.func @twice loop {{.*}}{sizes = #kernel.sizes<[1, 64, 8192]>}
kernel.func @twice loop sizeArgs = [1, 1] {sizes = #kernel.sizes<[1, 64, 8192]>} : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  %0 = flatir.add %a, %a : tensor<?xf32>
  kernel.yield %0 : tensor<?xf32>
}

// CHECK: kernel.dispatch loop{{.*}}{sizes = #kernel.sizes<[0, 0, 3], [2, 4, 4]>}
func.func @dispatch(%x: tensor<?x?xf32>, %n: index, %m: index) -> tensor<?x?xf32> {
  %r = kernel.dispatch loop (%x, %n, %m) sizes(%n, %m) sizeArgs = [1, 2, 1, 2] {sizes = #kernel.sizes<[0, 0, 3], [2, 4, 4]>} : (tensor<?x?xf32>, index, index) -> tensor<?x?xf32> {
  ^bb0(%a: tensor<?x?xf32>, %i: index, %j: index):
    %0 = flatir.neg %a : tensor<?x?xf32>
    kernel.yield %0 : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}
