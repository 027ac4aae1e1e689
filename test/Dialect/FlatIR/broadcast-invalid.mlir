// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<3xf32>) {
  // expected-error @below {{violates [flatir.broadcast C1] each dynamic size of the result has one operand; found 0 operands for 'tensor<?x3xf32>'}}
  %r = flatir.broadcast %a dims = [1] sizes() : tensor<3xf32> -> tensor<?x3xf32>
  return
}

// -----

func.func @C2(%a: tensor<3xf32>) {
  // expected-error @below {{violates [flatir.broadcast C2] input and result have one element type; found tensor<3xf32>, tensor<2x3xf16>}}
  %r = flatir.broadcast %a dims = [1] sizes() : tensor<3xf32> -> tensor<2x3xf16>
  return
}

// -----

func.func @C3(%a: tensor<3x3xf32>) {
  // expected-error @below {{violates [flatir.broadcast C3] dims ascend, one for each dimension of the input, within the result's rank; found [1, 0]}}
  %r = flatir.broadcast %a dims = [1, 0] sizes() : tensor<3x3xf32> -> tensor<3x3xf32>
  return
}

// -----

func.func @C3(%a: tensor<3xf32>) {
  // expected-error @below {{violates [flatir.broadcast C3] dims ascend, one for each dimension of the input, within the result's rank; found [2]}}
  %r = flatir.broadcast %a dims = [2] sizes() : tensor<3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @C3(%a: tensor<3xf32>) {
  // expected-error @below {{violates [flatir.broadcast C3] dims ascend, one for each dimension of the input, within the result's rank; found []}}
  %r = flatir.broadcast %a dims = [] sizes() : tensor<3xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @C4(%a: tensor<4xf32>) {
  // expected-error @below {{violates [flatir.broadcast C4] a size of the input is 1 or that of the result's dimension; found tensor<4xf32>, tensor<2x3xf32>}}
  %r = flatir.broadcast %a dims = [1] sizes() : tensor<4xf32> -> tensor<2x3xf32>
  return
}
