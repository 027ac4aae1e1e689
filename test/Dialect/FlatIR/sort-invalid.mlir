// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<f32>) {
  // expected-error @below {{violates [flatir.sort C1] the input has rank at least 1}}
  %r = flatir.sort %a : tensor<f32> -> tensor<i32>
  return
}

// -----

func.func @C2(%a: tensor<2147483648xi8>) {
  // expected-error @below {{violates [flatir.sort C2] the last dimension has at most 2^31 - 1 elements}}
  %r = flatir.sort %a : tensor<2147483648xi8> -> tensor<2147483648xi32>
  return
}

// -----

func.func @C3(%a: tensor<4xf32>) {
  // expected-error @below {{violates [flatir.sort C3] 0 <= count <= the last dimension; count is 5, the input is 'tensor<4xf32>'}}
  %r = flatir.sort %a count = 5 : tensor<4xf32> -> tensor<5xi32>
  return
}

// -----

func.func @C3(%a: tensor<?xf32>) {
  // expected-error @below {{violates [flatir.sort C3] 0 <= count <= the last dimension; count is -1, the input is 'tensor<?xf32>'}}
  %r = flatir.sort %a count = -1 : tensor<?xf32> -> tensor<1xi32>
  return
}

// -----

func.func @C4(%a: tensor<2x4xf32>) {
  // expected-error @below {{violates [flatir.sort C4] the result has the input's shape, with count as the last size, and element type i32}}
  %r = flatir.sort %a descending count = 3 : tensor<2x4xf32> -> tensor<2x4xi32>
  return
}
