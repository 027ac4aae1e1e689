// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1() {
  // expected-error @below {{violates [flatir.concatenate C1] there is at least one input}}
  %r = "flatir.concatenate"() {dim = 0 : i64} : () -> tensor<2xf32>
  return
}

// -----

func.func @C2(%a: tensor<2xf32>, %b: tensor<2xf16>) {
  // expected-error @below {{violates [flatir.concatenate C2] all inputs have one rank and one element type; found tensor<2xf32>, tensor<2xf16>}}
  %r = flatir.concatenate %a, %b dim = 0 : (tensor<2xf32>, tensor<2xf16>) -> tensor<4xf32>
  return
}

// -----

func.func @C3(%a: tensor<2xf32>) {
  // expected-error @below {{violates [flatir.concatenate C3] 0 <= dim < rank; dim is -1, rank is 1}}
  %r = flatir.concatenate %a, %a dim = -1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @C3(%a: tensor<2xf32>) {
  // expected-error @below {{violates [flatir.concatenate C3] 0 <= dim < rank; dim is 1, rank is 1}}
  %r = flatir.concatenate %a, %a dim = 1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @C4(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error @below {{violates [flatir.concatenate C4] all other dimensions agree; found tensor<2x3xf32>, tensor<2x4xf32>}}
  %r = flatir.concatenate %a, %b dim = 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @C5(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [flatir.concatenate C5] the result has the sizes summed along dim; found tensor<5x3xf32>}}
  %r = flatir.concatenate %a, %a dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<5x3xf32>
  return
}
