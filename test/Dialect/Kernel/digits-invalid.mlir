// RUN: tripy-opt %s --split-input-file --verify-diagnostics

// Halves of a pass of a radix sort.

func.func @nothing() -> tensor<2x256xi32> {
  // expected-error @below {{must have an input, or pairs, or both}}
  %0 = kernel.digit_counts digit = 0 chunks = 2 -> tensor<2x256xi32>
  return %0 : tensor<2x256xi32>
}

// -----

func.func @rank(%a: tensor<f32>) -> tensor<2x256xi32> {
  // expected-error @below {{rows are along the last dimension; found 'tensor<f32>'}}
  %0 = kernel.digit_counts input(%a : tensor<f32>) digit = 0 chunks = 2 -> tensor<2x256xi32>
  return %0 : tensor<2x256xi32>
}

// -----

func.func @pairs(%p: tensor<9xi32>) -> tensor<2x256xi32> {
  // expected-error @below {{pairs are of i64; found 'tensor<9xi32>'}}
  %0 = kernel.digit_counts pairs(%p : tensor<9xi32>) digit = 0 chunks = 2 -> tensor<2x256xi32>
  return %0 : tensor<2x256xi32>
}

// -----

func.func @shapes(%a: tensor<8xf64>, %p: tensor<9xi64>) -> tensor<2x256xi32> {
  // expected-error @below {{input and pairs have one shape; found 'tensor<8xf64>' and 'tensor<9xi64>'}}
  %0 = kernel.digit_counts input(%a : tensor<8xf64>) pairs(%p : tensor<9xi64>) digit = 4 chunks = 2 -> tensor<2x256xi32>
  return %0 : tensor<2x256xi32>
}

// -----

func.func @digit(%a: tensor<8xf32>) -> tensor<2x256xi32> {
  // expected-error @below {{a key has 4 digits; found digit 4}}
  %0 = kernel.digit_counts input(%a : tensor<8xf32>) digit = 4 chunks = 2 -> tensor<2x256xi32>
  return %0 : tensor<2x256xi32>
}

// -----

func.func @wide_digit(%a: tensor<8xf64>) -> tensor<2x256xi32> {
  // expected-error @below {{a key has 8 digits; found digit 8}}
  %0 = kernel.digit_counts input(%a : tensor<8xf64>) digit = 8 chunks = 2 -> tensor<2x256xi32>
  return %0 : tensor<2x256xi32>
}

// -----

func.func @chunks(%a: tensor<8xf32>) -> tensor<0x256xi32> {
  // expected-error @below {{rows have at least 1 chunk; found 0}}
  %0 = kernel.digit_counts input(%a : tensor<8xf32>) digit = 0 chunks = 0 -> tensor<0x256xi32>
  return %0 : tensor<0x256xi32>
}

// -----

func.func @counts_type(%a: tensor<4x8xf32>) -> tensor<2x256xi32> {
  // expected-error @below {{the result is 'tensor<4x2x256xi32>'; found 'tensor<2x256xi32>'}}
  %0 = kernel.digit_counts input(%a : tensor<4x8xf32>) digit = 0 chunks = 2 -> tensor<2x256xi32>
  return %0 : tensor<2x256xi32>
}

// -----

func.func @counts(%a: tensor<4x8xf32>, %c: tensor<4x2x128xi32>) -> tensor<4x8xi32> {
  // expected-error @below {{counts are 'tensor<4x1x256xi32>' or of more chunks; found 'tensor<4x2x128xi32>'}}
  %0 = kernel.digit_scatter input(%a : tensor<4x8xf32>) counts(%c : tensor<4x2x128xi32>) digit = 0 -> tensor<4x8xi32>
  return %0 : tensor<4x8xi32>
}

// -----

func.func @scatter_type(%a: tensor<4x8xf32>, %c: tensor<4x2x256xi32>) -> tensor<4x8xf32> {
  // expected-error @below {{the result has the rows' shape, and is of i64 or, of positions alone, i32; found 'tensor<4x8xf32>'}}
  %0 = kernel.digit_scatter input(%a : tensor<4x8xf32>) counts(%c : tensor<4x2x256xi32>) digit = 0 -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
