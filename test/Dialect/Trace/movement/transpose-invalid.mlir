// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.transpose C1] -rank <= dim0 < rank; dim0 is 2, rank is 2}}
  %r = trace.transpose %a dims = 2, 0 : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @C2(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.transpose C2] -rank <= dim1 < rank; dim1 is -3, rank is 2}}
  %r = trace.transpose %a dims = 0, -3 : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}
