// RUN: tripy-opt %s --split-input-file --verify-diagnostics

// Plans that --kernel-plan does not make: what they say of memory, sizes and
// kernels is wrong, and a run would read or write what is not theirs.

// expected-error @below {{kernel.output_names must be an array of names}}
func.func @names_are_numbers(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = [1], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  return %n : index
}

// -----

// expected-error @below {{kernel.constants must be an array of values}}
func.func @no_constants(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  return %n : index
}

// -----

// expected-error @below {{kernel.arena must be a number of bytes, of type i64}}
func.func @negative_arena(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = -1 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  return %n : index
}

// -----

// expected-error @below {{kernel.arena must be a number of bytes, of type i64}}
func.func @narrow_arena(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i32, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  return %n : index
}

// -----

// expected-error @below {{kernel.outputs must be types of ranked tensors; found f32}}
func.func @outputs_are_no_tensors(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [f32]} {
  %n = kernel.input_size 0, 0
  return %n : index
}

// -----

// expected-error @below {{each output must have a name; found 2 for 1}}
func.func @a_name_too_many(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y", "z"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  return %n : index
}

// -----

// expected-error @below {{must return its outputs' dynamic sizes, each of type index; found 1 results for 2 sizes}}
func.func @another_number_of_sizes(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?x?xf32>]} {
  %n = kernel.input_size 0, 0
  return %n : index
}

// -----

// expected-error @below {{must return its outputs' dynamic sizes, each of type index; found 1 results for 1 sizes}}
func.func @sizes_are_no_index(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> i64 attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  %r = arith.constant 1 : i64
  return %r : i64
}

// -----

// expected-error @below {{argument 0 ('arg0') of dynamic shape needs a 'tripy.profile'; its type is 'tensor<?xf32>'}}
func.func @no_profile(%x: tensor<?xf32>) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  return %n : index
}

// -----

// expected-error @below {{kernel.arena is an attribute of functions}}
module attributes {kernel.arena = 4 : i64} {}

// -----

func.func @input_beyond(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  // expected-error @below {{must be one of 1 of kind input; found 1}}
  %b = kernel.buffer input 1
  return %n : index
}

// -----

func.func @input_before(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  // expected-error @below {{must be one of 1 of kind input; found -1}}
  %b = kernel.buffer input -1
  return %n : index
}

// -----

func.func @output_beyond(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  // expected-error @below {{must be one of 1 of kind output; found 1}}
  %b = kernel.buffer output 1
  return %n : index
}

// -----

func.func @constant_beyond(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  // expected-error @below {{must be one of 1 of kind constant; found 1}}
  %b = kernel.buffer constant 1
  return %n : index
}

// -----

func.func @arena_beyond(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  // expected-error @below {{must be one of 1 of kind arena; found 1}}
  %b = kernel.buffer arena 1 size = 4
  return %n : index
}

// -----

func.func @input_with_offset(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  // expected-error @below {{only buffers of the arena have an offset and a size; found 256 and 0}}
  %b = kernel.buffer input 0 offset = 256
  return %n : index
}

// -----

func.func @odd_offset(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  // expected-error @below {{the offset must be a multiple of 256; found 128}}
  %b = kernel.buffer arena 0 offset = 128 size = 4
  return %n : index
}

// -----

func.func @negative_offset(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  // expected-error @below {{the offset must be a multiple of 256; found -256}}
  %b = kernel.buffer arena 0 offset = -256 size = 4
  return %n : index
}

// -----

func.func @end_beyond(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  // expected-error @below {{must lie in the arena of 1024 bytes; found 257 at 768}}
  %b = kernel.buffer arena 0 offset = 768 size = 257
  return %n : index
}

// -----

func.func @size_beyond(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  // expected-error @below {{must lie in the arena of 1024 bytes; found 9223372036854775807 at 0}}
  %b = kernel.buffer arena 0 size = 9223372036854775807
  return %n : index
}

// -----

func.func @negative_size(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  // expected-error @below {{must lie in the arena of 1024 bytes; found -1 at 0}}
  %b = kernel.buffer arena 0 size = -1
  return %n : index
}

// -----

func.func @odd_zeroed(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  // expected-error @below {{what is zeroed must be a multiple of 4 bytes; found 6}}
  %b = kernel.buffer zeroed 0 size = 6
  return %n : index
}

// -----

func.func @not_planned(%x: tensor<2xf32>) {
  // expected-error @below {{must be in a function that --kernel-plan made}}
  %b = kernel.buffer arena 0 size = 4
  return
}

// -----

func.func @input_is_a_size(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}, %s: index {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  // expected-error @below {{must be an input that is a tensor; found 'index'}}
  %b = kernel.buffer input 1
  return %n : index
}

// -----

func.func @size_of_no_input(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  // expected-error @below {{must name one of 1 inputs; found 1}}
  %m = kernel.input_size 1, 0
  return %n : index
}

// -----

func.func @size_of_a_negative_input(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  // expected-error @below {{must name one of 1 inputs; found -1}}
  %m = kernel.input_size -1, 0
  return %n : index
}

// -----

func.func @size_of_no_dimension(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  // expected-error @below {{must name a dynamic dimension; found 1 of 'tensor<?xf32>'}}
  %m = kernel.input_size 0, 1
  return %n : index
}

// -----

func.func @size_of_static(%x: tensor<?x2xf32> {tripy.profile = #tripy.profile<min = [0, 2], opt = [4, 2], max = [8, 2]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  // expected-error @below {{must name a dynamic dimension; found 1 of 'tensor<?x2xf32>'}}
  %m = kernel.input_size 0, 1
  return %n : index
}

// -----

func.func @unknown_condition(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  // expected-error @below {{the kind of a condition must be one of 'equal', 'broadcastable', 'at_most', 'sum', 'difference', 'product', 'quotient', 'remainder'; found 'less'}}
  kernel.require less %n, %n "it is less"
  return %n : index
}

// -----

func.func @grid_of_two(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  %c1 = arith.constant 1 : index
  %in = kernel.buffer input 0
  %out = kernel.buffer output 0
  %t = kernel.buffer arena 0 size = 32
  %u = kernel.buffer arena 0 offset = 256 size = 256
  %w = kernel.buffer arena 0 size = 512
  %z = kernel.buffer zeroed 0 offset = 256 size = 4
  %c = kernel.buffer constant 0
  %many = arith.constant 64 : index
  // expected-error @below {{grid must have three sizes; found 2}}
  kernel.launch @k grid(%n, %c1) buffers(%in, %out) bytes(%n, %n) sizes(%n) written = 1
  return %n : index
}
kernel.func @k loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

func.func @bytes_of_one(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  %c1 = arith.constant 1 : index
  %in = kernel.buffer input 0
  %out = kernel.buffer output 0
  %t = kernel.buffer arena 0 size = 32
  %u = kernel.buffer arena 0 offset = 256 size = 256
  %w = kernel.buffer arena 0 size = 512
  %z = kernel.buffer zeroed 0 offset = 256 size = 4
  %c = kernel.buffer constant 0
  %many = arith.constant 64 : index
  // expected-error @below {{each buffer must have a size in bytes; found 1 for 2}}
  kernel.launch @k grid(%n, %c1, %c1) buffers(%in, %out) bytes(%n) sizes(%n) written = 1
  return %n : index
}
kernel.func @k loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

func.func @writes_nothing(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  %c1 = arith.constant 1 : index
  %in = kernel.buffer input 0
  %out = kernel.buffer output 0
  %t = kernel.buffer arena 0 size = 32
  %u = kernel.buffer arena 0 offset = 256 size = 256
  %w = kernel.buffer arena 0 size = 512
  %z = kernel.buffer zeroed 0 offset = 256 size = 4
  %c = kernel.buffer constant 0
  %many = arith.constant 64 : index
  // expected-error @below {{written must be 1 to the number of buffers; found 0 of 2}}
  kernel.launch @k grid(%n, %c1, %c1) buffers(%in, %out) bytes(%n, %n) sizes(%n) written = 0
  return %n : index
}
kernel.func @k loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

func.func @writes_more(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  %c1 = arith.constant 1 : index
  %in = kernel.buffer input 0
  %out = kernel.buffer output 0
  %t = kernel.buffer arena 0 size = 32
  %u = kernel.buffer arena 0 offset = 256 size = 256
  %w = kernel.buffer arena 0 size = 512
  %z = kernel.buffer zeroed 0 offset = 256 size = 4
  %c = kernel.buffer constant 0
  %many = arith.constant 64 : index
  // expected-error @below {{written must be 1 to the number of buffers; found 3 of 2}}
  kernel.launch @k grid(%n, %c1, %c1) buffers(%in, %out) bytes(%n, %n) sizes(%n) written = 3
  return %n : index
}
kernel.func @k loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

func.func @writes_an_input(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  %c1 = arith.constant 1 : index
  %in = kernel.buffer input 0
  %out = kernel.buffer output 0
  %t = kernel.buffer arena 0 size = 32
  %u = kernel.buffer arena 0 offset = 256 size = 256
  %w = kernel.buffer arena 0 size = 512
  %z = kernel.buffer zeroed 0 offset = 256 size = 4
  %c = kernel.buffer constant 0
  %many = arith.constant 64 : index
  // expected-error @below {{may write outputs and the arena only; buffer 1 is of kind input}}
  kernel.launch @k grid(%n, %c1, %c1) buffers(%out, %in) bytes(%n, %n) sizes(%n) written = 1
  return %n : index
}
kernel.func @k loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

func.func @writes_a_constant(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  %c1 = arith.constant 1 : index
  %in = kernel.buffer input 0
  %out = kernel.buffer output 0
  %t = kernel.buffer arena 0 size = 32
  %u = kernel.buffer arena 0 offset = 256 size = 256
  %w = kernel.buffer arena 0 size = 512
  %z = kernel.buffer zeroed 0 offset = 256 size = 4
  %c = kernel.buffer constant 0
  %many = arith.constant 64 : index
  // expected-error @below {{may write outputs and the arena only; buffer 1 is of kind constant}}
  kernel.launch @k grid(%n, %c1, %c1) buffers(%in, %c) bytes(%n, %n) sizes(%n) written = 1
  return %n : index
}
kernel.func @k loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

func.func @in_place(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  %c1 = arith.constant 1 : index
  %in = kernel.buffer input 0
  %out = kernel.buffer output 0
  %t = kernel.buffer arena 0 size = 32
  %u = kernel.buffer arena 0 offset = 256 size = 256
  %w = kernel.buffer arena 0 size = 512
  %z = kernel.buffer zeroed 0 offset = 256 size = 4
  %c = kernel.buffer constant 0
  %many = arith.constant 64 : index
  // expected-error @below {{what it writes must not overlap its other buffers; found that number 1 overlaps number 0}}
  kernel.launch @k grid(%n, %c1, %c1) buffers(%w, %u) bytes(%n, %n) sizes(%n) written = 1
  return %n : index
}
kernel.func @k loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

func.func @same_output(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  %c1 = arith.constant 1 : index
  %in = kernel.buffer input 0
  %out = kernel.buffer output 0
  %t = kernel.buffer arena 0 size = 32
  %u = kernel.buffer arena 0 offset = 256 size = 256
  %w = kernel.buffer arena 0 size = 512
  %z = kernel.buffer zeroed 0 offset = 256 size = 4
  %c = kernel.buffer constant 0
  %many = arith.constant 64 : index
  // expected-error @below {{what it writes must not overlap its other buffers; found that number 1 overlaps number 0}}
  kernel.launch @k grid(%n, %c1, %c1) buffers(%out, %out) bytes(%n, %n) sizes(%n) written = 1
  return %n : index
}
kernel.func @k loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

func.func @over_zeros(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  %c1 = arith.constant 1 : index
  %in = kernel.buffer input 0
  %out = kernel.buffer output 0
  %t = kernel.buffer arena 0 size = 32
  %u = kernel.buffer arena 0 offset = 256 size = 256
  %w = kernel.buffer arena 0 size = 512
  %z = kernel.buffer zeroed 0 offset = 256 size = 4
  %c = kernel.buffer constant 0
  %many = arith.constant 64 : index
  // expected-error @below {{what it writes must not overlap its other buffers; found that number 1 overlaps number 0}}
  kernel.launch @k grid(%n, %c1, %c1) buffers(%z, %u) bytes(%n, %n) sizes(%n) written = 1
  return %n : index
}
kernel.func @k loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

func.func @too_many_bytes(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  %c1 = arith.constant 1 : index
  %in = kernel.buffer input 0
  %out = kernel.buffer output 0
  %t = kernel.buffer arena 0 size = 32
  %u = kernel.buffer arena 0 offset = 256 size = 256
  %w = kernel.buffer arena 0 size = 512
  %z = kernel.buffer zeroed 0 offset = 256 size = 4
  %c = kernel.buffer constant 0
  %many = arith.constant 64 : index
  // expected-error @below {{a kernel must not touch more bytes than its buffer has; found 64 of 32}}
  kernel.launch @k grid(%n, %c1, %c1) buffers(%in, %t) bytes(%n, %many) sizes(%n) written = 1
  return %n : index
}
kernel.func @k loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

func.func @writes_two(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  %c1 = arith.constant 1 : index
  %in = kernel.buffer input 0
  %out = kernel.buffer output 0
  %t = kernel.buffer arena 0 size = 32
  %u = kernel.buffer arena 0 offset = 256 size = 256
  %w = kernel.buffer arena 0 size = 512
  %z = kernel.buffer zeroed 0 offset = 256 size = 4
  %c = kernel.buffer constant 0
  %many = arith.constant 64 : index
  // expected-error @below {{written must be the callee's 1 results and 0 of workspace; found 2}}
  kernel.launch @k grid(%n, %c1, %c1) buffers(%t, %out) bytes(%n, %n) sizes(%n) written = 2
  return %n : index
}
kernel.func @k loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

func.func @three_buffers(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  %c1 = arith.constant 1 : index
  %in = kernel.buffer input 0
  %out = kernel.buffer output 0
  %t = kernel.buffer arena 0 size = 32
  %u = kernel.buffer arena 0 offset = 256 size = 256
  %w = kernel.buffer arena 0 size = 512
  %z = kernel.buffer zeroed 0 offset = 256 size = 4
  %c = kernel.buffer constant 0
  %many = arith.constant 64 : index
  // expected-error @below {{buffers must be the callee's 2 tensors and 0 of workspace; found 3}}
  kernel.launch @k grid(%n, %c1, %c1) buffers(%in, %in, %out) bytes(%n, %n, %n) sizes(%n) written = 1
  return %n : index
}
kernel.func @k loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

func.func @two_sizes(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  %c1 = arith.constant 1 : index
  %in = kernel.buffer input 0
  %out = kernel.buffer output 0
  %t = kernel.buffer arena 0 size = 32
  %u = kernel.buffer arena 0 offset = 256 size = 256
  %w = kernel.buffer arena 0 size = 512
  %z = kernel.buffer zeroed 0 offset = 256 size = 4
  %c = kernel.buffer constant 0
  %many = arith.constant 64 : index
  // expected-error @below {{sizes must be the callee's 1 index arguments; found 2}}
  kernel.launch @k grid(%n, %c1, %c1) buffers(%in, %out) bytes(%n, %n) sizes(%n, %n) written = 1
  return %n : index
}
kernel.func @k loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

func.func @no_callee(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  %c1 = arith.constant 1 : index
  %in = kernel.buffer input 0
  %out = kernel.buffer output 0
  %t = kernel.buffer arena 0 size = 32
  %u = kernel.buffer arena 0 offset = 256 size = 256
  %w = kernel.buffer arena 0 size = 512
  %z = kernel.buffer zeroed 0 offset = 256 size = 4
  %c = kernel.buffer constant 0
  %many = arith.constant 64 : index
  // expected-error @below {{callee must be a kernel.func; found @none}}
  kernel.launch @none grid(%n, %c1, %c1) buffers(%in, %out) bytes(%n, %n) sizes(%n) written = 1
  return %n : index
}
kernel.func @k loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

func.func @no_code(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  %c1 = arith.constant 1 : index
  %in = kernel.buffer input 0
  %out = kernel.buffer output 0
  %t = kernel.buffer arena 0 size = 32
  %u = kernel.buffer arena 0 offset = 256 size = 256
  %w = kernel.buffer arena 0 size = 512
  %z = kernel.buffer zeroed 0 offset = 256 size = 4
  %c = kernel.buffer constant 0
  %many = arith.constant 64 : index
  // expected-error @below {{callee must have a config, which the emitted code has; found none on @k}}
  kernel.launch @k grid(%n, %c1, %c1) buffers(%in, %out) bytes(%n, %n) sizes(%n) written = 1 {}
  return %n : index
}
kernel.func @k loop sizeArgs = [1, 1] : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

// expected-error @below {{arguments must be tensors or sizes; found '!kernel.buffer'}}
func.func @buffer_of_nowhere(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}, %b: !kernel.buffer) -> index attributes {kernel.arena = 1024 : i64, kernel.constants = [dense<1.0> : tensor<2xf32>], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  %c1 = arith.constant 1 : index
  %in = kernel.buffer input 0
  kernel.launch @k grid(%n, %c1, %c1) buffers(%in, %b) bytes(%n, %n) sizes(%n) written = 1
  return %n : index
}
kernel.func @k loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}

// -----

func.func @buffer_of_branches(%c: i1) {
  // expected-error @below {{must be in a function that --kernel-plan made}}
  %a = kernel.buffer arena 0 offset = 0 size = 4
  return
}

// -----

// expected-error @below {{must be in a function}}
%n = kernel.input_size 0, 0

// -----

// expected-error @below {{a plan must be straight-line code; found 2 blocks}}
func.func @branches(%n: index {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) attributes {kernel.arena = 0 : i64, kernel.constants = [], kernel.output_names = [], kernel.outputs = []} {
  cf.br ^bb1
^bb1:
  return
}

// -----

// expected-error @below {{kernel.outputs must be an array of types}}
func.func @outputs_are_names() attributes {kernel.arena = 0 : i64, kernel.constants = [], kernel.output_names = ["y"], kernel.outputs = ["y"]} {
  return
}

// -----

func.func @buffer_of_select(%x: tensor<2xf32>) attributes {kernel.arena = 0 : i64, kernel.constants = [], kernel.output_names = ["y"], kernel.outputs = [tensor<2xf32>]} {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %true = arith.constant true
  %a = kernel.buffer input 0
  %in = arith.select %true, %a, %a : !kernel.buffer
  %out = kernel.buffer output 0
  // expected-error @below {{buffers must be made by kernel.buffer; found another as number 0}}
  kernel.launch @k grid(%c1, %c1, %c1) buffers(%in, %out) bytes(%c8, %c8) sizes() written = 1
  return
}
kernel.func @k loop sizeArgs = [] config = <grid = () -> (1, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<2xf32>) -> tensor<2xf32> {
^bb0(%a: tensor<2xf32>):
  kernel.yield %a : tensor<2xf32>
}
