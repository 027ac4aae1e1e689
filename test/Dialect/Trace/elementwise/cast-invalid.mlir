// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2xf32>) {
  // expected-error @below {{violates [trace.cast C1] dtype is an element type of tensors; found 'f80'}}
  %r = trace.cast %a to f80 : (tensor<2xf32>) -> tensor<2xf32>
  return
}
