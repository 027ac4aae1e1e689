// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [flatir.transpose C1] permutation names each dimension once; found [0, 0]}}
  %r = flatir.transpose %a [0, 0] : tensor<2x3xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @C1(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [flatir.transpose C1] permutation names each dimension once; found [-1, 0]}}
  %r = flatir.transpose %a [-1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  return
}

// -----

func.func @C2(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [flatir.transpose C2] the result has the permuted shape; found tensor<2x3xf32>, tensor<2x3xf32>}}
  %r = flatir.transpose %a [1, 0] : tensor<2x3xf32> -> tensor<2x3xf32>
  return
}
