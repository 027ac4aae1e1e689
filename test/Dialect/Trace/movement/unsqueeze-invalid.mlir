// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<3xf32>) {
  // expected-error @below {{violates [trace.unsqueeze C1] -rank - 1 <= dim <= rank; dim is 2, rank is 1}}
  %r = trace.unsqueeze %a dim = 2 : (tensor<3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @C1(%a: tensor<3xf32>) {
  // expected-error @below {{violates [trace.unsqueeze C1] -rank - 1 <= dim <= rank; dim is -3, rank is 1}}
  %r = trace.unsqueeze %a dim = -3 : (tensor<3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @C2(%a: tensor<1x1x1x1x1x1x1x1xf32>) {
  // expected-error @below {{violates [trace.unsqueeze C2] the result has rank at most 8; input is 'tensor<1x1x1x1x1x1x1x1xf32>'}}
  %r = trace.unsqueeze %a dim = 0 : (tensor<1x1x1x1x1x1x1x1xf32>) -> tensor<1xf32>
  return
}
