// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%x: tensor<1x2xi1>, %w: tensor<3x2xi1>) {
  // expected-error @below {{violates [trace.linear C1] the element type is one of: float, integer; found 'i1'}}
  %r = trace.linear %x, %w : (tensor<1x2xi1>, tensor<3x2xi1>) -> tensor<1x3xi1>
  return
}

// -----

func.func @C2(%x: tensor<1x2xf32>, %w: tensor<3x2xf16>) {
  // expected-error @below {{violates [trace.linear C2] input and weight have one element type, and the bias the result's; found tensor<1x2xf32>, tensor<3x2xf16>}}
  %r = trace.linear %x, %w : (tensor<1x2xf32>, tensor<3x2xf16>) -> tensor<1x3xf32>
  return
}

// -----

func.func @C2(%x: tensor<1x2xf32>, %w: tensor<3x2xf32>, %b: tensor<3xf16>) {
  // expected-error @below {{violates [trace.linear C2] input and weight have one element type, and the bias the result's; found tensor<1x2xf32>, tensor<3x2xf32>, tensor<3xf16>}}
  %r = trace.linear %x, %w, %b : (tensor<1x2xf32>, tensor<3x2xf32>, tensor<3xf16>) -> tensor<1x3xf32>
  return
}

// -----

func.func @C3(%x: tensor<f32>, %w: tensor<3x2xf32>) {
  // expected-error @below {{violates [trace.linear C3] the input has rank at least 1 and the weight rank 2; found tensor<f32>, tensor<3x2xf32>}}
  %r = trace.linear %x, %w : (tensor<f32>, tensor<3x2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @C3(%x: tensor<2xf32>, %w: tensor<2xf32>) {
  // expected-error @below {{violates [trace.linear C3] the input has rank at least 1 and the weight rank 2; found tensor<2xf32>, tensor<2xf32>}}
  %r = trace.linear %x, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @C4(%x: tensor<1x2xf32>, %w: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.linear C4] the last dimensions of input and weight agree; found tensor<1x2xf32>, tensor<2x3xf32>}}
  %r = trace.linear %x, %w : (tensor<1x2xf32>, tensor<2x3xf32>) -> tensor<1x2xf32>
  return
}

// -----

func.func @C5(%x: tensor<1x2xf32>, %w: tensor<3x2xf32>, %b: tensor<2xf32>) {
  // expected-error @below {{violates [trace.linear C5] the bias is a vector of the weight's first dimension; found tensor<3x2xf32>, tensor<2xf32>}}
  %r = trace.linear %x, %w, %b : (tensor<1x2xf32>, tensor<3x2xf32>, tensor<2xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @C5(%x: tensor<1x2xf32>, %w: tensor<3x2xf32>, %b: tensor<1x3xf32>) {
  // expected-error @below {{violates [trace.linear C5] the bias is a vector of the weight's first dimension; found tensor<3x2xf32>, tensor<1x3xf32>}}
  %r = trace.linear %x, %w, %b : (tensor<1x2xf32>, tensor<3x2xf32>, tensor<1x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @C6(%x: tensor<1048577x0xf32>, %w: tensor<1048577x0xf32>) {
  // expected-error @below {{violates [trace.linear C6] the result has at most 2^40 elements; found tensor<1048577x0xf32>, tensor<1048577x0xf32>}}
  %r = trace.linear %x, %w : (tensor<1048577x0xf32>, tensor<1048577x0xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @C2(%x: tensor<1x2xf8E4M3FN>, %w: tensor<3x2xf8E4M3FN>, %b: tensor<3xf32>) {
  // expected-error @below {{violates [trace.linear C2] input and weight have one element type, and the bias the result's; found tensor<1x2xf8E4M3FN>, tensor<3x2xf8E4M3FN>, tensor<3xf32>}}
  %r = trace.linear %x, %w, %b dtype = f16 : (tensor<1x2xf8E4M3FN>, tensor<3x2xf8E4M3FN>, tensor<3xf32>) -> tensor<1x3xf16>
  return
}

// -----

func.func @C7(%x: tensor<1x2xi32>, %w: tensor<3x2xi32>) {
  // expected-error @below {{violates [trace.linear C7] allow_tf32 is for f32 operands; found 'i32'}}
  %r = trace.linear %x, %w allow_tf32 : (tensor<1x2xi32>, tensor<3x2xi32>) -> tensor<1x3xi32>
  return
}

// -----

func.func @C8(%x: tensor<1x2xf16>, %w: tensor<3x2xf16>) {
  // expected-error @below {{violates [trace.linear C8] dtype is the operands' element type, f32 for floats of fewer bits, f16 or bf16 for those of 8, or i32 for integers of fewer bits; found 'bf16' for 'f16'}}
  %r = trace.linear %x, %w dtype = bf16 : (tensor<1x2xf16>, tensor<3x2xf16>) -> tensor<1x3xbf16>
  return
}
