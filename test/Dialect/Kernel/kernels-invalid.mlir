// RUN: tripy-opt %s --split-input-file --verify-diagnostics

// What kernels, dispatches, calls, scans and sorts are made of.

func.func @scan_dim(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{dim names a dimension; found 2 for rank 2}}
  %0 = kernel.scan %a dim = 2 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @scan_negative(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{dim names a dimension; found -1 for rank 2}}
  %0 = kernel.scan %a dim = -1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

func.func @scan_of_truth(%a: tensor<4xi1>) -> tensor<4xi1> {
  // expected-error @below {{sums numbers; found 'i1'}}
  %0 = kernel.scan %a dim = 0 : tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

func.func @sort_of_number(%a: tensor<f32>) -> tensor<i32> {
  // expected-error @below {{the input has rank at least 1; found 'tensor<f32>'}}
  %0 = kernel.sort %a : tensor<f32> -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

func.func @sort_negative(%a: tensor<?xf32>) -> tensor<1xi32> {
  // expected-error @below {{count is not negative; found -1}}
  %0 = kernel.sort %a count = -1 : tensor<?xf32> -> tensor<1xi32>
  return %0 : tensor<1xi32>
}

// -----

func.func @sort_too_many(%a: tensor<4xf32>) -> tensor<5xi32> {
  // expected-error @below {{count is at most the last dimension; found 5 of 4}}
  %0 = kernel.sort %a count = 5 : tensor<4xf32> -> tensor<5xi32>
  return %0 : tensor<5xi32>
}

// -----

func.func @sort_type(%a: tensor<4xf32>) -> tensor<4xi64> {
  // expected-error @below {{the result is 'tensor<4xi32>'; found 'tensor<4xi64>'}}
  %0 = kernel.sort %a : tensor<4xf32> -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// -----

// expected-error @below {{the region's arguments must have the inputs' types}}
kernel.func @other_arguments loop sizeArgs = [] : (tensor<4xf32>) -> tensor<4xf32> {
^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
  kernel.yield %a : tensor<4xf32>
}

// -----

// expected-error @below {{the region must yield the results' types}}
kernel.func @other_results loop sizeArgs = [] : (tensor<4xf32>) -> tensor<8xf32> {
^bb0(%a: tensor<4xf32>):
  kernel.yield %a : tensor<4xf32>
}

// -----

// expected-error @below {{inputs must be tensors or sizes; found 'f32'}}
kernel.func @number loop sizeArgs = [] : (tensor<4xf32>, f32) -> tensor<4xf32> {
^bb0(%a: tensor<4xf32>, %b: f32):
  kernel.yield %a : tensor<4xf32>
}

// -----

// expected-error @below {{sizeArgs must have one entry for each dynamic dimension; found 1 for 2}}
kernel.func @missing_size loop sizeArgs = [1] : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{sizeArgs must name index inputs; found 0}}
kernel.func @size_is_tensor loop sizeArgs = [1, 0] : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{sizeArgs must name index inputs; found 2}}
kernel.func @size_beyond loop sizeArgs = [2, 1] : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{sizeArgs must name index inputs; found -1}}
kernel.func @size_negative loop sizeArgs = [1, -1] : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{results must be ranked tensors; found 'index'}}
kernel.func @size_result loop sizeArgs = [] : (index) -> index {
^bb0(%n: index):
  kernel.yield %n : index
}

// -----

func.func @result_size(%a: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  // expected-error @below {{there must be one size for each dynamic dimension of the results; found 0 for 1}}
  %0 = kernel.dispatch loop (%a, %n) sizes() sizeArgs = [1, 1] : (tensor<?xf32>, index) -> tensor<?xf32> {
  ^bb0(%x: tensor<?xf32>, %m: index):
    kernel.yield %x : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

func.func @other_types(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{operands and results must have the types of the callee, '(tensor<4xf32>) -> tensor<4xf32>'}}
  %0 = kernel.call @k(%a) sizes() : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
kernel.func @k loop sizeArgs = [] : (tensor<4xf32>) -> tensor<4xf32> {
^bb0(%a: tensor<4xf32>):
  kernel.yield %a : tensor<4xf32>
}

// -----

func.func @no_kernel(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{callee must be a kernel.func; found @no_kernel}}
  %0 = kernel.call @no_kernel(%a) sizes() : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @call_without_size(%a: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  // expected-error @below {{there must be one size for each dynamic dimension of the results; found 0 for 1}}
  %0 = kernel.call @k(%a, %n) sizes() : (tensor<?xf32>, index) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
kernel.func @k loop sizeArgs = [1, 1] : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}
