// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2xf8E5M2>) {
  // expected-error @below {{violates [trace.silu C1] the element type is one of: float, integer; found 'f8E5M2'}}
  %r = trace.silu %a : (tensor<2xf8E5M2>) -> tensor<2xf8E5M2>
  return
}

// -----

func.func @C1(%a: tensor<2xi1>) {
  // expected-error @below {{violates [trace.silu C1] the element type is one of: float, integer; found 'i1'}}
  %r = trace.silu %a : (tensor<2xi1>) -> tensor<2xi1>
  return
}
