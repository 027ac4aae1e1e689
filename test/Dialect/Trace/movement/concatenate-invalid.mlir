// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1() {
  // expected-error @below {{violates [trace.concatenate C1] there is at least one input}}
  %r = "trace.concatenate"() {dim = 0 : i64} : () -> tensor<2xf32>
  return
}

// -----

func.func @C2(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{violates [trace.concatenate C2] all inputs have one rank and one element type; found tensor<2x3xf32>, tensor<3xf32>}}
  %r = trace.concatenate %a, %b dim = 0 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @C2(%a: tensor<2x3xf32>, %b: tensor<2x3xf16>) {
  // expected-error @below {{violates [trace.concatenate C2] all inputs have one rank and one element type; found tensor<2x3xf32>, tensor<2x3xf16>}}
  %r = trace.concatenate %a, %b dim = 0 : (tensor<2x3xf32>, tensor<2x3xf16>) -> tensor<4x3xf32>
  return
}

// -----

func.func @C3(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.concatenate C3] -rank <= dim < rank; dim is 7, rank is 2}}
  %r = trace.concatenate %a, %a dim = 7 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @C3(%a: tensor<f32>) {
  // expected-error @below {{violates [trace.concatenate C3] -rank <= dim < rank; dim is 0, rank is 0}}
  %r = trace.concatenate %a, %a dim = 0 : (tensor<f32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @C4(%a: tensor<2x3xf32>, %b: tensor<1x4xf32>) {
  // expected-error @below {{violates [trace.concatenate C4] all other dimensions agree; found tensor<2x3xf32>, tensor<1x4xf32>}}
  %r = trace.concatenate %a, %b dim = 0 : (tensor<2x3xf32>, tensor<1x4xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @C5(%a: tensor<1099511627776xf32>) {
  // expected-error @below {{violates [trace.concatenate C5] the result has at most 2^40 elements; found tensor<1099511627776xf32>, tensor<1099511627776xf32>}}
  %r = trace.concatenate %a, %a dim = 0 : (tensor<1099511627776xf32>, tensor<1099511627776xf32>) -> tensor<2xf32>
  return
}
