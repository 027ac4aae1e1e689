// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2x2xi1>, %b: tensor<2x2xi1>) {
  // expected-error @below {{violates [trace.matmul C1] the element type is one of: float, integer; found 'i1'}}
  %r = trace.matmul %a, %b : (tensor<2x2xi1>, tensor<2x2xi1>) -> tensor<2x2xi1>
  return
}

// -----

func.func @C2(%a: tensor<2x2xf32>, %b: tensor<2x2xf16>) {
  // expected-error @below {{violates [trace.matmul C2] both operands have one element type; found 'f32' and 'f16'}}
  %r = trace.matmul %a, %b : (tensor<2x2xf32>, tensor<2x2xf16>) -> tensor<2x2xf32>
  return
}

// -----

func.func @C3(%a: tensor<f32>, %b: tensor<2x2xf32>) {
  // expected-error @below {{violates [trace.matmul C3] both operands have rank at least 1; found tensor<f32>, tensor<2x2xf32>}}
  %r = trace.matmul %a, %b : (tensor<f32>, tensor<2x2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @C4(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.matmul C4] the last dimension of the left operand agrees with the contracted one of the right; found tensor<2x3xf32>, tensor<2x3xf32>}}
  %r = trace.matmul %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @C4(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error @below {{violates [trace.matmul C4] the last dimension of the left operand agrees with the contracted one of the right; found tensor<2x3xf32>, tensor<2xf32>}}
  %r = trace.matmul %a, %b : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @C5(%a: tensor<4x2x3xf32>, %b: tensor<5x3x2xf32>) {
  // expected-error @below {{violates [trace.matmul C5] leading dimensions, aligned at the end, are equal or one of them is 1; found tensor<4x2x3xf32>, tensor<5x3x2xf32>}}
  %r = trace.matmul %a, %b : (tensor<4x2x3xf32>, tensor<5x3x2xf32>) -> tensor<4x2x2xf32>
  return
}

// -----

func.func @C6(%a: tensor<1048577x0xf32>, %b: tensor<0x1048577xf32>) {
  // expected-error @below {{violates [trace.matmul C6] the result has at most 2^40 elements; found tensor<1048577x0xf32>, tensor<0x1048577xf32>}}
  %r = trace.matmul %a, %b : (tensor<1048577x0xf32>, tensor<0x1048577xf32>) -> tensor<2xf32>
  return
}
