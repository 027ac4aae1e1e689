// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2xi32>) {
  // expected-error @below {{violates [trace.hard_swish C1] the element type is one of: float; found 'i32'}}
  %r = trace.hard_swish %a : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @C1(%a: tensor<2xf8E4M3FN>) {
  // expected-error @below {{violates [trace.hard_swish C1] the element type is one of: float; found 'f8E4M3FN'}}
  %r = trace.hard_swish %a : (tensor<2xf8E4M3FN>) -> tensor<2xf8E4M3FN>
  return
}
