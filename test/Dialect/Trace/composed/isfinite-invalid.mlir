// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2xi32>) {
  // expected-error @below {{violates [trace.isfinite C1] the element type is one of: float; found 'i32'}}
  %r = trace.isfinite %a : (tensor<2xi32>) -> tensor<2xi1>
  return
}
