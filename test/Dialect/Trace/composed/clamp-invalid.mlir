// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2xi1>) {
  // expected-error @below {{violates [trace.clamp C1] the element type is one of: float, integer; found 'i1'}}
  %r = trace.clamp %a, %a, %a : (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @C2(%a: tensor<2xf32>, %b: tensor<f16>) {
  // expected-error @below {{violates [trace.clamp C2] all operands have one element type; found tensor<2xf32>, tensor<f16>, tensor<f16>}}
  %r = trace.clamp %a, %b, %b : (tensor<2xf32>, tensor<f16>, tensor<f16>) -> tensor<2xf32>
  return
}

// -----

func.func @C3(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{violates [trace.clamp C3] aligned at the last dimension, sizes are equal or one of them is 1; found tensor<2xf32>, tensor<3xf32>, tensor<3xf32>}}
  %r = trace.clamp %a, %b, %b : (tensor<2xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @C4(%a: tensor<1048577x1xf32>, %b: tensor<1x1048577xf32>) {
  // expected-error @below {{violates [trace.clamp C4] the result has at most 2^40 elements; found tensor<1048577x1xf32>, tensor<1x1048577xf32>, tensor<1x1048577xf32>}}
  %r = trace.clamp %a, %b, %b : (tensor<1048577x1xf32>, tensor<1x1048577xf32>, tensor<1x1048577xf32>) -> tensor<1xf32>
  return
}
