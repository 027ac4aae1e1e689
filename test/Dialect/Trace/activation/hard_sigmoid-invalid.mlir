// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2xi32>) {
  // expected-error @below {{violates [trace.hard_sigmoid C1] the element type is one of: float; found 'i32'}}
  %r = trace.hard_sigmoid %a alpha = 0.2 beta = 0.5 : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @C1(%a: tensor<2xf8E4M3FN>) {
  // expected-error @below {{violates [trace.hard_sigmoid C1] the element type is one of: float; found 'f8E4M3FN'}}
  %r = trace.hard_sigmoid %a alpha = 0.2 beta = 0.5 : (tensor<2xf8E4M3FN>) -> tensor<2xf8E4M3FN>
  return
}

// -----

func.func @C2(%a: tensor<2xf32>) {
  // expected-error @below {{violates [trace.hard_sigmoid C2] alpha is finite; alpha is -INF}}
  %r = trace.hard_sigmoid %a alpha = 0xFFF0000000000000 beta = 0.5 : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @C3(%a: tensor<2xf32>) {
  // expected-error @below {{violates [trace.hard_sigmoid C3] beta is finite; beta is INF}}
  %r = trace.hard_sigmoid %a alpha = 0.2 beta = 0x7FF0000000000000 : (tensor<2xf32>) -> tensor<2xf32>
  return
}
