// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2xi32>) {
  // expected-error @below {{violates [trace.elu C1] the element type is one of: float; found 'i32'}}
  %r = trace.elu %a alpha = 1.0 : (tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @C1(%a: tensor<2xf8E4M3FN>) {
  // expected-error @below {{violates [trace.elu C1] the element type is one of: float; found 'f8E4M3FN'}}
  %r = trace.elu %a alpha = 1.0 : (tensor<2xf8E4M3FN>) -> tensor<2xf8E4M3FN>
  return
}

// -----

func.func @C2(%a: tensor<2xf32>) {
  // expected-error @below {{violates [trace.elu C2] alpha is finite; alpha is INF}}
  %r = trace.elu %a alpha = 0x7FF0000000000000 : (tensor<2xf32>) -> tensor<2xf32>
  return
}
