// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<4xf32>, %n: index) {
  // expected-error @below {{violates [flatir.reshape C1] each dynamic size of the result has one operand; found 1 operands for 'tensor<2x2xf32>'}}
  %r = flatir.reshape %a sizes(%n) : tensor<4xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @C2(%a: tensor<4xf32>) {
  // expected-error @below {{violates [flatir.reshape C2] input and result have one element type; found tensor<4xf32>, tensor<2x2xf16>}}
  %r = flatir.reshape %a sizes() : tensor<4xf32> -> tensor<2x2xf16>
  return
}

// -----

func.func @C3(%a: tensor<4xf32>) {
  // expected-error @below {{violates [flatir.reshape C3] the number of elements stays the same; found tensor<4xf32>, tensor<2x3xf32>}}
  %r = flatir.reshape %a sizes() : tensor<4xf32> -> tensor<2x3xf32>
  return
}
