// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2x3xi32>) {
  // expected-error @below {{violates [trace.var C1] the element type is one of: float; found 'i32'}}
  %r = trace.var %a dims = [1] : (tensor<2x3xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @C2(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.var C2] dims name dimensions of the input, each at most once; found [0, 0], rank is 2}}
  %r = trace.var %a dims = [0, 0] : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @C3(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.var C3] 0 <= correction <= 2^40; correction is -1}}
  %r = trace.var %a dims = [1] correction = -1 : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}
