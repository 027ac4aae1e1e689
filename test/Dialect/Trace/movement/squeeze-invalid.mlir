// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<1x3xf32>) {
  // expected-error @below {{violates [trace.squeeze C1] dims name dimensions of the input, each at most once; found [2], rank is 2}}
  %r = trace.squeeze %a dims = [2] : (tensor<1x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @C1(%a: tensor<1x3xf32>) {
  // expected-error @below {{violates [trace.squeeze C1] dims name dimensions of the input, each at most once; found [0, -2], rank is 2}}
  %r = trace.squeeze %a dims = [0, -2] : (tensor<1x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @C2(%a: tensor<1x3xf32>) {
  // expected-error @below {{violates [trace.squeeze C2] the dimensions removed have size 1; input is 'tensor<1x3xf32>', dims are [1]}}
  %r = trace.squeeze %a dims = [1] : (tensor<1x3xf32>) -> tensor<1xf32>
  return
}
