// RUN: tripy-opt %s --flatir-to-linalg --split-input-file | FileCheck %s
// RUN: tripy-opt %s --flatir-to-linalg --split-input-file --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOC

// Sizes are the kernel's index arguments; equal ones are one argument.
// CHECK-LABEL: kernel.func @k
// CHECK: ^bb0(%[[X:.*]]: tensor<?x2xf32>, %[[B:.*]]: tensor<?xf32>, %[[N:.*]]: index, %[[M:.*]]: index):
// CHECK-NOT: tensor.dim
// CHECK: tensor.empty(%[[M]]) : tensor<?x2xf32>
// CHECK: linalg.generic
// CHECK: arith.cmpi eq, %[[N]], %c1
// CHECK: tensor.empty(%[[M]]) : tensor<?x2xf32>
// CHECK: kernel.yield
kernel.func @k loop sizeArgs = [2, 3, 3] : (tensor<?x2xf32>, tensor<?xf32>, index, index) -> tensor<?x2xf32> {
^bb0(%x: tensor<?x2xf32>, %b: tensor<?xf32>, %n: index, %m: index):
  %0 = flatir.broadcast %x dims = [0, 1] sizes(%m) : tensor<?x2xf32> -> tensor<?x2xf32>
  %1 = flatir.neg %0 : tensor<?x2xf32>
  kernel.yield %1 : tensor<?x2xf32>
}

// -----

// A result that is an argument is copied.
// CHECK-LABEL: kernel.func @copy
// CHECK: %[[R:.*]] = linalg.generic
// CHECK: kernel.yield %[[R]]
kernel.func @copy loop sizeArgs = [] : (tensor<2xf32>) -> tensor<2xf32> {
^bb0(%x: tensor<2xf32>):
  kernel.yield %x : tensor<2xf32>
}

// -----

// Functions keep what calls the kernels.
// CHECK-LABEL: func.func @main
// CHECK: flatir.dim
// CHECK: kernel.call @neg
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %n = flatir.dim %x, 0 : tensor<?xf32>
  %r = kernel.call @neg(%x, %n) sizes(%n) : (tensor<?xf32>, index) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
// CHECK-LABEL: kernel.func @neg
// LOC-LABEL: kernel.func @neg
// LOC: linalg.generic
// LOC: arith.negf %{{.*}} : f32 loc("model.py":3:7)
// LOC: } -> tensor<?xf32> loc("model.py":3:7)
kernel.func @neg loop sizeArgs = [1, 1] : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%x: tensor<?xf32>, %n: index):
  %0 = flatir.neg %x : tensor<?xf32> loc("model.py":3:7)
  kernel.yield %0 : tensor<?xf32>
}
