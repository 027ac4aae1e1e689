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

// -----

func.func @C7(%a: tensor<2x2xf16>, %b: tensor<2x2xf16>) {
  // expected-error @below {{violates [trace.matmul C7] allow_tf32 is for f32 operands; found 'f16'}}
  %r = trace.matmul %a, %b allow_tf32 : (tensor<2x2xf16>, tensor<2x2xf16>) -> tensor<2x2xf16>
  return
}

// -----

func.func @C8(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) {
  // expected-error @below {{violates [trace.matmul C8] dtype is the operands' element type, f32 for floats of fewer bits, f16 or bf16 for those of 8, or i32 for integers of fewer bits; found 'f16' for 'f32'}}
  %r = trace.matmul %a, %b dtype = f16 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf16>
  return
}

// -----

func.func @C8(%a: tensor<2x2xi32>, %b: tensor<2x2xi32>) {
  // expected-error @below {{violates [trace.matmul C8] dtype is the operands' element type, f32 for floats of fewer bits, f16 or bf16 for those of 8, or i32 for integers of fewer bits; found 'f32' for 'i32'}}
  %r = trace.matmul %a, %b dtype = f32 : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @C8(%a: tensor<2x2xf64>, %b: tensor<2x2xf64>) {
  // expected-error @below {{violates [trace.matmul C8] dtype is the operands' element type, f32 for floats of fewer bits, f16 or bf16 for those of 8, or i32 for integers of fewer bits; found 'f32' for 'f64'}}
  %r = trace.matmul %a, %b dtype = f32 : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf32>
  return
}

// -----

func.func @C8(%a: tensor<2x2xi8>, %b: tensor<2x2xi8>) {
  // expected-error @below {{or i32 for integers of fewer bits; found 'i16' for 'i8'}}
  %r = trace.matmul %a, %b dtype = i16 : (tensor<2x2xi8>, tensor<2x2xi8>) -> tensor<2x2xi16>
  return
}

// -----

func.func @C8(%a: tensor<2x2xi64>, %b: tensor<2x2xi64>) {
  // expected-error @below {{or i32 for integers of fewer bits; found 'i32' for 'i64'}}
  %r = trace.matmul %a, %b dtype = i32 : (tensor<2x2xi64>, tensor<2x2xi64>) -> tensor<2x2xi32>
  return
}

// -----

func.func @not_declared(%a: tensor<2x2xf8E4M3FN>, %b: tensor<2x2xf8E4M3FN>) {
  // expected-error @below {{tensor<2x2xf8E4M3FN>}}
  %r = trace.matmul %a, %b : (tensor<2x2xf8E4M3FN>, tensor<2x2xf8E4M3FN>) -> tensor<2x2xf32>
  return
}
