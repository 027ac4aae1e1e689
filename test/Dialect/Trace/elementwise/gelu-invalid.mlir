// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2xf8E5M2>) {
  // expected-error @below {{violates [trace.gelu C1] the element type is one of: float, integer; found 'f8E5M2'}}
  %r = trace.gelu %a : (tensor<2xf8E5M2>) -> tensor<2xf8E5M2>
  return
}

// -----

func.func @C1(%a: tensor<2xi1>) {
  // expected-error @below {{violates [trace.gelu C1] the element type is one of: float, integer; found 'i1'}}
  %r = trace.gelu %a : (tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @C2(%a: tensor<2xf32>) {
  // expected-error @below {{violates [trace.gelu C2] approximate is 'tanh' or 'erf'; found 'none'}}
  %r = trace.gelu %a {approximate = "none"} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
