// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2x3xi32>) {
  // expected-error @below {{violates [trace.any C1] the element type is one of: bool; found 'i32'}}
  %r = trace.any %a dims = [1] : (tensor<2x3xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @C2(%a: tensor<2x3xi1>) {
  // expected-error @below {{violates [trace.any C2] dims name dimensions of the input, each at most once; found [2], rank is 2}}
  %r = trace.any %a dims = [2] : (tensor<2x3xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @C2(%a: tensor<2x3xi1>) {
  // expected-error @below {{violates [trace.any C2] dims name dimensions of the input, each at most once; found [1, -1], rank is 2}}
  %r = trace.any %a dims = [1, -1] : (tensor<2x3xi1>) -> tensor<2xi1>
  return
}
