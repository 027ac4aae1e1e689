// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.flip C1] dims name dimensions of the input, each at most once; found [2], rank is 2}}
  %r = trace.flip %a dims = [2] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @C1(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.flip C1] dims name dimensions of the input, each at most once; found [1, -1], rank is 2}}
  %r = trace.flip %a dims = [1, -1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @C1(%a: tensor<f32>) {
  // expected-error @below {{violates [trace.flip C1] dims name dimensions of the input, each at most once; found [0], rank is 0}}
  %r = trace.flip %a dims = [0] : (tensor<f32>) -> tensor<f32>
  return
}
