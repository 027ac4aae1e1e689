// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%x: tensor<2xi32>, %s: tensor<f32>) {
  // expected-error @below {{violates [trace.dequantize C1] the input's element type is i8, i4, f8E4M3FN or f8E5M2; found 'i32'}}
  %r = trace.dequantize %x, %s : (tensor<2xi32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @C1(%x: tensor<2xui8>, %s: tensor<f32>) {
  // expected-error @below {{violates [trace.dequantize C1] the input's element type is i8, i4, f8E4M3FN or f8E5M2; found 'ui8'}}
  %r = trace.dequantize %x, %s : (tensor<2xui8>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @C2(%x: tensor<2xi8>, %s: tensor<f64>) {
  // expected-error @below {{violates [trace.dequantize C2] the scale's element type is f32, f16 or bf16; found 'f64'}}
  %r = trace.dequantize %x, %s : (tensor<2xi8>, tensor<f64>) -> tensor<2xf64>
  return
}

// -----

func.func @C2(%x: tensor<2xi8>, %s: tensor<i8>) {
  // expected-error @below {{violates [trace.dequantize C2] the scale's element type is f32, f16 or bf16; found 'i8'}}
  %r = trace.dequantize %x, %s : (tensor<2xi8>, tensor<i8>) -> tensor<2xi8>
  return
}

// -----

func.func @C3(%x: tensor<2x4xi8>, %s: tensor<4xf32>) {
  // expected-error @below {{violates [trace.dequantize C3] -rank <= dim < rank; dim is 2, rank is 2}}
  %r = trace.dequantize %x, %s dim = 2 : (tensor<2x4xi8>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @C3(%x: tensor<2x4xi8>, %s: tensor<4xf32>) {
  // expected-error @below {{violates [trace.dequantize C3] -rank <= dim < rank; dim is -3, rank is 2}}
  %r = trace.dequantize %x, %s dim = -3 : (tensor<2x4xi8>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @C3(%x: tensor<i8>, %s: tensor<1xf32>) {
  // expected-error @below {{violates [trace.dequantize C3] -rank <= dim < rank; dim is 0, rank is 0}}
  %r = trace.dequantize %x, %s dim = 0 : (tensor<i8>, tensor<1xf32>) -> tensor<f32>
  return
}

// -----

func.func @C4(%x: tensor<2x4xi8>, %s: tensor<3xf32>) {
  // expected-error @below {{violates [trace.dequantize C4] with dim, the scale is a vector of that dimension; found tensor<2x4xi8>, tensor<3xf32>}}
  %r = trace.dequantize %x, %s dim = 1 : (tensor<2x4xi8>, tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @C4(%x: tensor<2x4xi8>, %s: tensor<f32>) {
  // expected-error @below {{violates [trace.dequantize C4] with dim, the scale is a vector of that dimension; found tensor<2x4xi8>, tensor<f32>}}
  %r = trace.dequantize %x, %s dim = 1 : (tensor<2x4xi8>, tensor<f32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @C4(%x: tensor<2x4xi8>, %s: tensor<4xf32>) {
  // expected-error @below {{violates [trace.dequantize C4] with dim, the scale is a vector of that dimension; found tensor<2x4xi8>, tensor<4xf32>}}
  %r = trace.dequantize %x, %s dim = -2 : (tensor<2x4xi8>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @C4(%x: tensor<2x4xi8>, %s: tensor<2x4xf32>) {
  // expected-error @below {{violates [trace.dequantize C4] with dim, the scale is a vector of that dimension; found tensor<2x4xi8>, tensor<2x4xf32>}}
  %r = trace.dequantize %x, %s dim = 0 : (tensor<2x4xi8>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @C5(%x: tensor<2x4xi8>, %s: tensor<4xf32>) {
  // expected-error @below {{violates [trace.dequantize C5] without dim, the scale has rank 0, or the input's rank, from 2 to 7; found tensor<2x4xi8>, tensor<4xf32>}}
  %r = trace.dequantize %x, %s : (tensor<2x4xi8>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @C5(%x: tensor<4xi8>, %s: tensor<4xf32>) {
  // expected-error @below {{violates [trace.dequantize C5] without dim, the scale has rank 0, or the input's rank, from 2 to 7; found tensor<4xi8>, tensor<4xf32>}}
  %r = trace.dequantize %x, %s : (tensor<4xi8>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @C5(%x: tensor<2x4x4xi8>, %s: tensor<2x4xf32>) {
  // expected-error @below {{violates [trace.dequantize C5] without dim, the scale has rank 0, or the input's rank, from 2 to 7; found tensor<2x4x4xi8>, tensor<2x4xf32>}}
  %r = trace.dequantize %x, %s : (tensor<2x4x4xi8>, tensor<2x4xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

func.func @C5(%x: tensor<1x1x1x1x1x1x2x4xi8>, %s: tensor<1x1x1x1x1x1x2x4xf32>) {
  // expected-error @below {{violates [trace.dequantize C5] without dim, the scale has rank 0, or the input's rank, from 2 to 7; found tensor<1x1x1x1x1x1x2x4xi8>, tensor<1x1x1x1x1x1x2x4xf32>}}
  %r = trace.dequantize %x, %s : (tensor<1x1x1x1x1x1x2x4xi8>, tensor<1x1x1x1x1x1x2x4xf32>) -> tensor<1x1x1x1x1x1x2x4xf32>
  return
}

// -----

func.func @C6(%x: tensor<6x4xi8>, %s: tensor<4x4xf32>) {
  // expected-error @below {{violates [trace.dequantize C6] a scale of the input's rank has the input's sizes, but in the last dimension but one a static size that divides the input's; found tensor<6x4xi8>, tensor<4x4xf32>}}
  %r = trace.dequantize %x, %s : (tensor<6x4xi8>, tensor<4x4xf32>) -> tensor<6x4xf32>
  return
}

// -----

func.func @C6(%x: tensor<6x4xi8>, %s: tensor<3x2xf32>) {
  // expected-error @below {{violates [trace.dequantize C6] a scale of the input's rank has the input's sizes, but in the last dimension but one a static size that divides the input's; found tensor<6x4xi8>, tensor<3x2xf32>}}
  %r = trace.dequantize %x, %s : (tensor<6x4xi8>, tensor<3x2xf32>) -> tensor<6x4xf32>
  return
}

// -----

func.func @C6(%x: tensor<6x4xi8>, %s: tensor<0x4xf32>) {
  // expected-error @below {{violates [trace.dequantize C6] a scale of the input's rank has the input's sizes, but in the last dimension but one a static size that divides the input's; found tensor<6x4xi8>, tensor<0x4xf32>}}
  %r = trace.dequantize %x, %s : (tensor<6x4xi8>, tensor<0x4xf32>) -> tensor<6x4xf32>
  return
}

// -----

func.func @C6(%x: tensor<6x4xi8>, %s: tensor<?x4xf32>) {
  // expected-error @below {{violates [trace.dequantize C6] a scale of the input's rank has the input's sizes, but in the last dimension but one a static size that divides the input's; found tensor<6x4xi8>, tensor<?x4xf32>}}
  %r = trace.dequantize %x, %s : (tensor<6x4xi8>, tensor<?x4xf32>) -> tensor<6x4xf32>
  return
}

// -----

func.func @C6(%x: tensor<3x6x4xi8>, %s: tensor<1x3x4xf32>) {
  // expected-error @below {{violates [trace.dequantize C6] a scale of the input's rank has the input's sizes, but in the last dimension but one a static size that divides the input's; found tensor<3x6x4xi8>, tensor<1x3x4xf32>}}
  %r = trace.dequantize %x, %s : (tensor<3x6x4xi8>, tensor<1x3x4xf32>) -> tensor<3x6x4xf32>
  return
}

// -----

func.func @C6(%x: tensor<3x4xi8>, %s: tensor<6x4xf32>) {
  // expected-error @below {{violates [trace.dequantize C6] a scale of the input's rank has the input's sizes, but in the last dimension but one a static size that divides the input's; found tensor<3x4xi8>, tensor<6x4xf32>}}
  %r = trace.dequantize %x, %s : (tensor<3x4xi8>, tensor<6x4xf32>) -> tensor<3x4xf32>
  return
}
