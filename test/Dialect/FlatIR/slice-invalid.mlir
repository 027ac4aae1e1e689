// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<4x8xf32>) {
  // expected-error @below {{violates [flatir.slice C1] each dynamic size of the result has one operand; found 0 operands for 'tensor<?x8xf32>'}}
  %r = flatir.slice %a [0, 0] strides = [1, 1] sizes() : tensor<4x8xf32> -> tensor<?x8xf32>
  return
}

// -----

func.func @C2(%a: tensor<4x8xf32>) {
  // expected-error @below {{violates [flatir.slice C2] input and result have one rank and element type; found tensor<4x8xf32>, tensor<4xf32>}}
  %r = flatir.slice %a [0, 0] strides = [1, 1] sizes() : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @C3(%a: tensor<4x8xf32>) {
  // expected-error @below {{violates [flatir.slice C3] there is one offset and one stride for each dimension; found [0]}}
  %r = flatir.slice %a [0] strides = [1, 1] sizes() : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @C3(%a: tensor<4x8xf32>) {
  // expected-error @below {{violates [flatir.slice C3] there is one offset and one stride for each dimension; found [0, 0]}}
  %r = flatir.slice %a [0, 0] strides = [1] sizes() : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @C3(%a: tensor<4x8xf32>) {
  // expected-error @below {{violates [flatir.slice C3] there is one offset and one stride for each dimension; found [0, ?]}}
  %r = flatir.slice %a [0, -9223372036854775808] strides = [1, 1] sizes() : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @C4(%a: tensor<4x8xf32>) {
  // expected-error @below {{violates [flatir.slice C4] strides are not 0; found [1, 0]}}
  %r = flatir.slice %a [0, 0] strides = [1, 0] sizes() : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @C5(%a: tensor<4x8xf32>) {
  // expected-error @below {{violates [flatir.slice C5] all elements are inside the input; found tensor<4x8xf32>, tensor<4x8xf32>}}
  %r = flatir.slice %a [1, 0] strides = [1, 1] sizes() : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @C5(%a: tensor<4x8xf32>) {
  // expected-error @below {{violates [flatir.slice C5] all elements are inside the input; found tensor<4x8xf32>, tensor<4x8xf32>}}
  %r = flatir.slice %a [-1, 0] strides = [1, 1] sizes() : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @C5(%a: tensor<4x8xf32>) {
  // expected-error @below {{violates [flatir.slice C5] all elements are inside the input; found tensor<4x8xf32>, tensor<4x5xf32>}}
  %r = flatir.slice %a [0, 6] strides = [1, -2] sizes() : tensor<4x8xf32> -> tensor<4x5xf32>
  return
}

// -----

func.func @C5(%a: tensor<4x8xf32>) {
  // expected-error @below {{violates [flatir.slice C5] all elements are inside the input; found tensor<4x8xf32>, tensor<4x8xf32>}}
  %r = flatir.slice %a [0, 0] strides = [1, 1099511627776] sizes() : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @C5(%a: tensor<4x8xf32>) {
  // expected-error @below {{violates [flatir.slice C5] all elements are inside the input; found tensor<4x8xf32>, tensor<4x1xf32>}}
  %r = flatir.slice %a [0, 9223372036854775807] strides = [1, 1] sizes() : tensor<4x8xf32> -> tensor<4x1xf32>
  return
}
