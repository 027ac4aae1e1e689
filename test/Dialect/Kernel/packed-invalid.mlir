// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @element(%b: tensor<8xi8>) -> tensor<3x5xi8> {
  // expected-error @below {{its result must be a tensor of i4; found 'tensor<3x5xi8>'}}
  %r = kernel.packed %b sizes() : tensor<8xi8> -> tensor<3x5xi8>
  return %r : tensor<3x5xi8>
}

// -----

func.func @bytes(%b: tensor<2x4xi8>) -> tensor<3x5xi4> {
  // expected-error @below {{the bytes must be a tensor of i8 of rank 1; found 'tensor<2x4xi8>'}}
  %r = kernel.packed %b sizes() : tensor<2x4xi8> -> tensor<3x5xi4>
  return %r : tensor<3x5xi4>
}

// -----

func.func @count(%b: tensor<7xi8>) -> tensor<3x5xi4> {
  // expected-error @below {{there must be one byte for two elements, 8; found 7}}
  %r = kernel.packed %b sizes() : tensor<7xi8> -> tensor<3x5xi4>
  return %r : tensor<3x5xi4>
}

// -----

func.func @sizes(%b: tensor<?xi8>) -> tensor<?x5xi4> {
  // expected-error @below {{each dynamic size of the result must have one operand; found 0 for 'tensor<?x5xi4>'}}
  %r = kernel.packed %b sizes() : tensor<?xi8> -> tensor<?x5xi4>
  return %r : tensor<?x5xi4>
}
