// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<4xi1>) {
  // expected-error @below {{violates [trace.cumsum C1] the element type is one of: float, integer; found 'i1'}}
  %r = trace.cumsum %a dim = 0 : (tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @C2(%a: tensor<f32>) {
  // expected-error @below {{violates [trace.cumsum C2] -rank <= dim < rank; dim is 0, rank is 0}}
  %r = trace.cumsum %a dim = 0 : (tensor<f32>) -> tensor<f32>
  return
}
