// RUN: tripy-opt %s --split-input-file --verify-diagnostics

// Configurations that no emitted code has: a launch would read or write beyond
// what there is, or not start.

// expected-error @below {{the grid must have 3 results of the kernel's 1 sizes as symbols; found affine_map<()[s0] -> (s0, 1)>}}
kernel.func @grid_of_two loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{the grid must have 3 results of the kernel's 1 sizes as symbols; found}}
kernel.func @grid_of_other_sizes loop sizeArgs = [1, 1] config = <grid = ()[s0, s1] -> (s0, s1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{the grid must have 3 results of the kernel's 1 sizes as symbols; found}}
kernel.func @grid_of_a_loop loop sizeArgs = [1, 1] config = <grid = (d0)[s0] -> (s0, d0, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{the block must be 3 numbers of at least 1 and at most 1024, 1024 and 64, whose product is at most 1024; found [1, 1]}}
kernel.func @block_of_two loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{the block must be 3 numbers of at least 1 and at most 1024, 1024 and 64, whose product is at most 1024; found [0, 1, 1]}}
kernel.func @empty_block loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [0, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{the block must be 3 numbers of at least 1 and at most 1024, 1024 and 64, whose product is at most 1024; found [1, 1, 65]}}
kernel.func @deep_block loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 65], cluster = [1, 1, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{the block must be 3 numbers of at least 1 and at most 1024, 1024 and 64, whose product is at most 1024; found [512, 4, 1]}}
kernel.func @large_block loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [512, 4, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{the block must be 3 numbers of at least 1 and at most 1024, 1024 and 64, whose product is at most 1024; found [-1, 1, 1]}}
kernel.func @negative_block loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [-1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{the cluster must be 3 numbers of at least 1 and at most 16, 16 and 16, whose product is at most 16; found [1, 1]}}
kernel.func @cluster_of_two loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{the cluster must be 3 numbers of at least 1 and at most 16, 16 and 16, whose product is at most 16; found [1, 0, 1]}}
kernel.func @empty_cluster loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 0, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{the cluster must be 3 numbers of at least 1 and at most 16, 16 and 16, whose product is at most 16; found [8, 4, 1]}}
kernel.func @large_cluster loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [8, 4, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{scratch must not be negative; found -1}}
kernel.func @negative_scratch loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = -1> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{the workspace must be none or 2 numbers of bytes, multiples of 4; found [4]}}
kernel.func @one_workspace loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0 workspace = [4]> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{the workspace must be none or 2 numbers of bytes, multiples of 4; found [4, 2]}}
kernel.func @odd_workspace loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0 workspace = [4, 2]> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{the workspace must be none or 2 numbers of bytes, multiples of 4; found [-4, 4]}}
kernel.func @negative_workspace loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0 workspace = [-4, 4]> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{a tensor map must be of one of 2 tensors; found 2}}
kernel.func @map_of_no_tensor loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0, tensor_maps = [<buffer = 2, dims = ()[s0] -> (s0), strides = ()[s0] -> (), box = [64], swizzle = 128>]> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{the box of a tensor map must have sizes of 1 to 256; found 0}}
kernel.func @empty_box loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0, tensor_maps = [<buffer = 0, dims = ()[s0] -> (s0), strides = ()[s0] -> (), box = [0], swizzle = 128>]> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{the box of a tensor map must have 1 to 5 sizes; found 6}}
kernel.func @box_of_six loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0, tensor_maps = [<buffer = 0, dims = ()[s0] -> (s0), strides = ()[s0] -> (), box = [1, 1, 1, 1, 1, 1], swizzle = 128>]> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{the swizzle of a tensor map must be 0, 32, 64 or 128; found 100}}
kernel.func @odd_swizzle loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0, tensor_maps = [<buffer = 0, dims = ()[s0] -> (s0), strides = ()[s0] -> (), box = [64], swizzle = 100>]> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{dims of a tensor map must have 2 results of the kernel's 1 sizes as symbols; found}}
kernel.func @box_of_another_rank loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0, tensor_maps = [<buffer = 0, dims = ()[s0] -> (s0), strides = ()[s0] -> (), box = [64, 1], swizzle = 128>]> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{strides of a tensor map must have 0 results of the kernel's 1 sizes as symbols; found}}
kernel.func @stride_too_many loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0, tensor_maps = [<buffer = 0, dims = ()[s0] -> (s0), strides = ()[s0] -> (s0), box = [64], swizzle = 128>]> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{a product must have one result, and operands among 2 tensor arguments; found 1 results and operands 0, 2 and -1}}
kernel.func @product_of_no_tensor gemm sizeArgs = [] {product = #kernel.product<a = 0, b = 2, bias = -1, transposedA = false, transposedB = false, allowTF32 = false, batch = 1, m = 2, n = 8, k = 4>} : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32> {
^bb0(%a: tensor<2x4xf32>, %b: tensor<4x8xf32>):
  %0 = tensor.empty() : tensor<2x8xf32>
  kernel.yield %0 : tensor<2x8xf32>
}

// -----

// expected-error @below {{a product must have one result, and operands among 2 tensor arguments; found 1 results and operands 0, 1 and 2}}
kernel.func @bias_of_no_tensor gemm sizeArgs = [] {product = #kernel.product<a = 0, b = 1, bias = 2, transposedA = false, transposedB = false, allowTF32 = false, batch = 1, m = 2, n = 8, k = 4>} : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32> {
^bb0(%a: tensor<2x4xf32>, %b: tensor<4x8xf32>):
  %0 = tensor.empty() : tensor<2x8xf32>
  kernel.yield %0 : tensor<2x8xf32>
}

// -----

// expected-error @below {{a product's tensors must have its sizes; found 1 of 2x8x5 for}}
kernel.func @product_of_other_sizes gemm sizeArgs = [] {product = #kernel.product<a = 0, b = 1, bias = -1, transposedA = false, transposedB = false, allowTF32 = false, batch = 1, m = 2, n = 8, k = 5>} : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32> {
^bb0(%a: tensor<2x4xf32>, %b: tensor<4x8xf32>):
  %0 = tensor.empty() : tensor<2x8xf32>
  kernel.yield %0 : tensor<2x8xf32>
}

// -----

// expected-error @below {{a product's tensors must have its sizes; found 9223372036854775807 of 2x8x4 for}}
kernel.func @product_beyond_64_bits gemm sizeArgs = [] {product = #kernel.product<a = 0, b = 1, bias = -1, transposedA = false, transposedB = false, allowTF32 = false, batch = 9223372036854775807, m = 2, n = 8, k = 4>} : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32> {
^bb0(%a: tensor<2x4xf32>, %b: tensor<4x8xf32>):
  %0 = tensor.empty() : tensor<2x8xf32>
  kernel.yield %0 : tensor<2x8xf32>
}

// -----

// expected-error @below {{waitsFor must have one entry for each tensor argument; found 1 for 2}}
kernel.func @waits_for_another_number gemm sizeArgs = [] {waitsFor = array<i1: true>} : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32> {
^bb0(%a: tensor<2x4xf32>, %b: tensor<4x8xf32>):
  %0 = tensor.empty() : tensor<2x8xf32>
  kernel.yield %0 : tensor<2x8xf32>
}
