// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%x: tensor<2xi32>, %s: tensor<i32>) {
  // expected-error @below {{violates [trace.quantize C1] the input's element type is f32, f16 or bf16; found 'i32'}}
  %r = trace.quantize %x, %s to i8 : (tensor<2xi32>, tensor<i32>) -> tensor<2xi8>
  return
}

// -----

func.func @C1(%x: tensor<2xf64>, %s: tensor<f64>) {
  // expected-error @below {{violates [trace.quantize C1] the input's element type is f32, f16 or bf16; found 'f64'}}
  %r = trace.quantize %x, %s to i8 : (tensor<2xf64>, tensor<f64>) -> tensor<2xi8>
  return
}

// -----

func.func @C2(%x: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error @below {{violates [trace.quantize C2] dtype is i8, i4, f8E4M3FN or f8E5M2; found 'ui8'}}
  %r = trace.quantize %x, %s to ui8 : (tensor<2xf32>, tensor<f32>) -> tensor<2xui8>
  return
}

// -----

func.func @C2(%x: tensor<2xf32>, %s: tensor<f32>) {
  // expected-error @below {{violates [trace.quantize C2] dtype is i8, i4, f8E4M3FN or f8E5M2; found 'i2'}}
  %r = trace.quantize %x, %s to i2 : (tensor<2xf32>, tensor<f32>) -> tensor<2xi8>
  return
}

// -----

func.func @C3(%x: tensor<2xf16>, %s: tensor<f32>) {
  // expected-error @below {{violates [trace.quantize C3] input and scale have one element type; found tensor<2xf16>, tensor<f32>}}
  %r = trace.quantize %x, %s to i8 : (tensor<2xf16>, tensor<f32>) -> tensor<2xi8>
  return
}

// -----

func.func @C4(%x: tensor<2x4xf32>, %s: tensor<4xf32>) {
  // expected-error @below {{violates [trace.quantize C4] -rank <= dim < rank; dim is 2, rank is 2}}
  %r = trace.quantize %x, %s to i8 dim = 2 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi8>
  return
}

// -----

func.func @C4(%x: tensor<2x4xf32>, %s: tensor<4xf32>) {
  // expected-error @below {{violates [trace.quantize C4] -rank <= dim < rank; dim is -3, rank is 2}}
  %r = trace.quantize %x, %s to i8 dim = -3 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi8>
  return
}

// -----

func.func @C4(%x: tensor<f32>, %s: tensor<1xf32>) {
  // expected-error @below {{violates [trace.quantize C4] -rank <= dim < rank; dim is 0, rank is 0}}
  %r = trace.quantize %x, %s to i8 dim = 0 : (tensor<f32>, tensor<1xf32>) -> tensor<i8>
  return
}

// -----

func.func @C5(%x: tensor<2x4xf32>, %s: tensor<3xf32>) {
  // expected-error @below {{violates [trace.quantize C5] with dim, the scale is a vector of that dimension; found tensor<2x4xf32>, tensor<3xf32>}}
  %r = trace.quantize %x, %s to i8 dim = 1 : (tensor<2x4xf32>, tensor<3xf32>) -> tensor<2x4xi8>
  return
}

// -----

func.func @C5(%x: tensor<2x4xf32>, %s: tensor<f32>) {
  // expected-error @below {{violates [trace.quantize C5] with dim, the scale is a vector of that dimension; found tensor<2x4xf32>, tensor<f32>}}
  %r = trace.quantize %x, %s to i8 dim = 1 : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xi8>
  return
}

// -----

func.func @C5(%x: tensor<2x4xf32>, %s: tensor<4xf32>) {
  // expected-error @below {{violates [trace.quantize C5] with dim, the scale is a vector of that dimension; found tensor<2x4xf32>, tensor<4xf32>}}
  %r = trace.quantize %x, %s to i8 dim = -2 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi8>
  return
}

// -----

func.func @C5(%x: tensor<2x4xf32>, %s: tensor<2x4xf32>) {
  // expected-error @below {{violates [trace.quantize C5] with dim, the scale is a vector of that dimension; found tensor<2x4xf32>, tensor<2x4xf32>}}
  %r = trace.quantize %x, %s to i8 dim = 0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xi8>
  return
}

// -----

func.func @C6(%x: tensor<2x4xf32>, %s: tensor<4xf32>) {
  // expected-error @below {{violates [trace.quantize C6] without dim, the scale has rank 0, or the input's rank, from 2 to 7; found tensor<2x4xf32>, tensor<4xf32>}}
  %r = trace.quantize %x, %s to i8 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xi8>
  return
}

// -----

func.func @C6(%x: tensor<4xf32>, %s: tensor<4xf32>) {
  // expected-error @below {{violates [trace.quantize C6] without dim, the scale has rank 0, or the input's rank, from 2 to 7; found tensor<4xf32>, tensor<4xf32>}}
  %r = trace.quantize %x, %s to i8 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi8>
  return
}

// -----

func.func @C6(%x: tensor<2x4x4xf32>, %s: tensor<2x4xf32>) {
  // expected-error @below {{violates [trace.quantize C6] without dim, the scale has rank 0, or the input's rank, from 2 to 7; found tensor<2x4x4xf32>, tensor<2x4xf32>}}
  %r = trace.quantize %x, %s to i8 : (tensor<2x4x4xf32>, tensor<2x4xf32>) -> tensor<2x4x4xi8>
  return
}

// -----

func.func @C6(%x: tensor<1x1x1x1x1x1x2x4xf32>, %s: tensor<1x1x1x1x1x1x2x4xf32>) {
  // expected-error @below {{violates [trace.quantize C6] without dim, the scale has rank 0, or the input's rank, from 2 to 7; found tensor<1x1x1x1x1x1x2x4xf32>, tensor<1x1x1x1x1x1x2x4xf32>}}
  %r = trace.quantize %x, %s to i8 : (tensor<1x1x1x1x1x1x2x4xf32>, tensor<1x1x1x1x1x1x2x4xf32>) -> tensor<1x1x1x1x1x1x2x4xi8>
  return
}

// -----

func.func @C7(%x: tensor<6x4xf32>, %s: tensor<4x4xf32>) {
  // expected-error @below {{violates [trace.quantize C7] a scale of the input's rank has the input's sizes, but in the last dimension but one a static size that divides the input's; found tensor<6x4xf32>, tensor<4x4xf32>}}
  %r = trace.quantize %x, %s to i8 : (tensor<6x4xf32>, tensor<4x4xf32>) -> tensor<6x4xi8>
  return
}

// -----

func.func @C7(%x: tensor<6x4xf32>, %s: tensor<3x2xf32>) {
  // expected-error @below {{violates [trace.quantize C7] a scale of the input's rank has the input's sizes, but in the last dimension but one a static size that divides the input's; found tensor<6x4xf32>, tensor<3x2xf32>}}
  %r = trace.quantize %x, %s to i8 : (tensor<6x4xf32>, tensor<3x2xf32>) -> tensor<6x4xi8>
  return
}

// -----

func.func @C7(%x: tensor<6x4xf32>, %s: tensor<0x4xf32>) {
  // expected-error @below {{violates [trace.quantize C7] a scale of the input's rank has the input's sizes, but in the last dimension but one a static size that divides the input's; found tensor<6x4xf32>, tensor<0x4xf32>}}
  %r = trace.quantize %x, %s to i8 : (tensor<6x4xf32>, tensor<0x4xf32>) -> tensor<6x4xi8>
  return
}

// -----

func.func @C7(%x: tensor<6x4xf32>, %s: tensor<?x4xf32>) {
  // expected-error @below {{violates [trace.quantize C7] a scale of the input's rank has the input's sizes, but in the last dimension but one a static size that divides the input's; found tensor<6x4xf32>, tensor<?x4xf32>}}
  %r = trace.quantize %x, %s to i8 : (tensor<6x4xf32>, tensor<?x4xf32>) -> tensor<6x4xi8>
  return
}

// -----

func.func @C7(%x: tensor<3x6x4xf32>, %s: tensor<1x3x4xf32>) {
  // expected-error @below {{violates [trace.quantize C7] a scale of the input's rank has the input's sizes, but in the last dimension but one a static size that divides the input's; found tensor<3x6x4xf32>, tensor<1x3x4xf32>}}
  %r = trace.quantize %x, %s to i8 : (tensor<3x6x4xf32>, tensor<1x3x4xf32>) -> tensor<3x6x4xi8>
  return
}

// -----

func.func @C7(%x: tensor<3x4xf32>, %s: tensor<6x4xf32>) {
  // expected-error @below {{violates [trace.quantize C7] a scale of the input's rank has the input's sizes, but in the last dimension but one a static size that divides the input's; found tensor<3x4xf32>, tensor<6x4xf32>}}
  %r = trace.quantize %x, %s to i8 : (tensor<3x4xf32>, tensor<6x4xf32>) -> tensor<3x4xi8>
  return
}
