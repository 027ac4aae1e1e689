// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2x3xi1>) {
  // expected-error @below {{violates [trace.mean C1] the element type is one of: float, integer; found 'i1'}}
  %r = trace.mean %a dims = [1] : (tensor<2x3xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @C2(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.mean C2] dims name dimensions of the input, each at most once; found [2], rank is 2}}
  %r = trace.mean %a dims = [2] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @C2(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.mean C2] dims name dimensions of the input, each at most once; found [1, -1], rank is 2}}
  %r = trace.mean %a dims = [1, -1] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}
