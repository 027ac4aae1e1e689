// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2x3xi32>) {
  // expected-error @below {{violates [trace.softmax C1] the element type is one of: float; found 'i32'}}
  %r = trace.softmax %a dim = 1 : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @C2(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.softmax C2] -rank <= dim < rank; dim is -3, rank is 2}}
  %r = trace.softmax %a dim = -3 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
