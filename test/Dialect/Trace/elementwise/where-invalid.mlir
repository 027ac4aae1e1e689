// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%c: tensor<2xf32>, %a: tensor<2xf32>, %b: tensor<2xf32>) {
  // expected-error @below {{violates [trace.where C1] the condition's element type is i1; found 'f32'}}
  %r = trace.where %c, %a, %b : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @C2(%c: tensor<2xi1>, %a: tensor<2xf32>, %b: tensor<2xf16>) {
  // expected-error @below {{violates [trace.where C2] both choices have one element type; found 'f32' and 'f16'}}
  %r = trace.where %c, %a, %b : (tensor<2xi1>, tensor<2xf32>, tensor<2xf16>) -> tensor<2xf32>
  return
}

// -----

func.func @C3(%c: tensor<4xi1>, %a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{violates [trace.where C3] aligned at the last dimension, sizes are equal or one of them is 1; found tensor<4xi1>, tensor<2x3xf32>, tensor<3xf32>}}
  %r = trace.where %c, %a, %b : (tensor<4xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @C4(%c: tensor<1048577x1xi1>, %a: tensor<1048577xf32>, %b: tensor<f32>) {
  // expected-error @below {{violates [trace.where C4] the result has at most 2^40 elements; found tensor<1048577x1xi1>, tensor<1048577xf32>, tensor<f32>}}
  %r = trace.where %c, %a, %b : (tensor<1048577x1xi1>, tensor<1048577xf32>, tensor<f32>) -> tensor<2xf32>
  return
}
