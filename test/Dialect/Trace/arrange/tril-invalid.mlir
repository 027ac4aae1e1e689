// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<3xf32>) {
  // expected-error @below {{violates [trace.tril C1] the input has rank at least 2; found tensor<3xf32>}}
  %r = trace.tril %a diagonal = 0 : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @C2(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.tril C2] the diagonal is at most 2^40 in magnitude; diagonal is 1099511627777}}
  %r = trace.tril %a diagonal = 1099511627777 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
