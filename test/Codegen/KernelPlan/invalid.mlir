// RUN: tripy-opt %s --kernel-plan --split-input-file --verify-diagnostics

// An intermediate result that cannot be placed: at the user's line.
func.func @large(%x: tensor<?x1048576xf32> {tripy.profile = #tripy.profile<min = [0, 1048576], opt = [4, 1048576], max = [1048576, 1048576]>})
    -> tensor<?x1048576xf32> {
  %n = flatir.dim %x, 0 : tensor<?x1048576xf32>
  // expected-error @below {{a tensor must have at most 2^40 bytes for the largest sizes of the profile; 'tensor<?x1048576xf32>' needs 4398046511104 bytes}}
  %0 = kernel.call @k(%x, %n) sizes(%n) : (tensor<?x1048576xf32>, index) -> tensor<?x1048576xf32>
  return %0 : tensor<?x1048576xf32>
}
kernel.func @k loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?x1048576xf32>, index) -> tensor<?x1048576xf32> {
^bb0(%a: tensor<?x1048576xf32>, %d: index):
  kernel.yield %a : tensor<?x1048576xf32>
}

// -----

func.func @noProfile(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{no code was emitted for its kernel 'k'}}
  %0 = kernel.call @k(%x) sizes() : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
kernel.func @k loop sizeArgs = [] : (tensor<4xf32>) -> tensor<4xf32> {
^bb0(%a: tensor<4xf32>):
  kernel.yield %a : tensor<4xf32>
}

// -----

func.func @outside(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{computes a tensor outside of a kernel}}
  %0 = flatir.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @argument(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{each result must be computed by a kernel, and returned once; found another result 0}}
  return %x : tensor<4xf32>
}

// -----

// What the list of operations on sizes does not have has no expression.
func.func @shift(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [1099511627775]>}) -> tensor<4xf32> {
  %n = flatir.dim %x, 0 : tensor<?xf32>
  // expected-error @below {{a size must be computed from input sizes by the arithmetic that sizes may use; found 'arith.shli'}}
  %m = arith.shli %n, %n : index
  %0 = kernel.call @k(%m) sizes() : (index) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
kernel.func @k loop sizeArgs = [] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (index) -> tensor<4xf32> {
^bb0(%n: index):
  %0 = tensor.empty() : tensor<4xf32>
  kernel.yield %0 : tensor<4xf32>
}

// -----

// Nothing has a result here.
func.func @zero(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> tensor<4xf32> {
  %n = flatir.dim %x, 0 : tensor<?xf32>
  %c0 = arith.constant 0 : index
  // expected-error @below {{a size must be divided by another number than 0, and the quotient must fit 64 bits; the sizes are 0 to 8 and 0}}
  %m = arith.floordivsi %n, %c0 : index
  %0 = kernel.call @k(%m) sizes() : (index) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
kernel.func @k loop sizeArgs = [] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (index) -> tensor<4xf32> {
^bb0(%n: index):
  %0 = tensor.empty() : tensor<4xf32>
  kernel.yield %0 : tensor<4xf32>
}
