// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.dim C1] -rank <= dim < rank; dim is 2, rank is 2}}
  %r = trace.dim %a dim = 2 : (tensor<2x3xf32>) -> index
  return
}

// -----

func.func @C1(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.dim C1] -rank <= dim < rank; dim is -3, rank is 2}}
  %r = trace.dim %a dim = -3 : (tensor<2x3xf32>) -> index
  return
}
