// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C4(%a: tensor<4xf8E4M3FN>) {
  // expected-error @below {{violates [trace.add C4] the element type is one of: float, integer, bool; found 'f8E4M3FN'}}
  %r = trace.add %a, %a : (tensor<4xf8E4M3FN>, tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN>
  return
}

// -----

func.func @C1(%a: tensor<4xf8E4M3FN>) {
  // expected-error @below {{violates [trace.exp C1] the element type is one of: float; found 'f8E4M3FN'}}
  %r = trace.exp %a : (tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN>
  return
}

// -----

func.func @C1(%a: tensor<4xf8E4M3FN>) {
  // expected-error @below {{violates [trace.sum C1] the element type is one of: float, integer; found 'f8E4M3FN'}}
  %r = trace.sum %a dims = [0] : (tensor<4xf8E4M3FN>) -> tensor<f8E4M3FN>
  return
}

// -----

func.func @C1(%a: tensor<4xf8E4M3FN>) {
  // expected-error @below {{violates [trace.cumsum C1] the element type is one of: float, integer; found 'f8E4M3FN'}}
  %r = trace.cumsum %a dim = 0 : (tensor<4xf8E4M3FN>) -> tensor<4xf8E4M3FN>
  return
}

// -----

func.func @C4(%a: tensor<4xf8E5M2>) {
  // expected-error @below {{violates [trace.maximum C4] the element type is one of: float, integer, bool; found 'f8E5M2'}}
  %r = trace.maximum %a, %a : (tensor<4xf8E5M2>, tensor<4xf8E5M2>) -> tensor<4xf8E5M2>
  return
}
