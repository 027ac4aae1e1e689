// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%x: tensor<1x2x4xi1>, %w: tensor<2x2x3xi1>) {
  // expected-error @below {{violates [trace.convolution C1] the element type is one of: float, integer; found 'i1'}}
  %r = trace.convolution %x, %w : (tensor<1x2x4xi1>, tensor<2x2x3xi1>) -> tensor<1x2x2xi1>
  return
}

// -----

func.func @C2(%x: tensor<1x2x4xf32>, %w: tensor<2x2x3xf16>) {
  // expected-error @below {{violates [trace.convolution C2] input, weight and bias have one element type; found tensor<1x2x4xf32>, tensor<2x2x3xf16>}}
  %r = trace.convolution %x, %w : (tensor<1x2x4xf32>, tensor<2x2x3xf16>) -> tensor<1x2x2xf32>
  return
}

// -----

func.func @C2(%x: tensor<1x2x4xf32>, %w: tensor<2x2x3xf32>, %b: tensor<2xf16>) {
  // expected-error @below {{violates [trace.convolution C2] input, weight and bias have one element type; found tensor<1x2x4xf32>, tensor<2x2x3xf32>, tensor<2xf16>}}
  %r = trace.convolution %x, %w, %b : (tensor<1x2x4xf32>, tensor<2x2x3xf32>, tensor<2xf16>) -> tensor<1x2x2xf32>
  return
}

// -----

func.func @C3(%x: tensor<1x2x4xf32>, %w: tensor<2x2x3x3xf32>) {
  // expected-error @below {{violates [trace.convolution C3] input and weight have one rank, from 3 to 5; found tensor<1x2x4xf32>, tensor<2x2x3x3xf32>}}
  %r = trace.convolution %x, %w : (tensor<1x2x4xf32>, tensor<2x2x3x3xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

func.func @C3(%x: tensor<1x2xf32>, %w: tensor<2x2xf32>) {
  // expected-error @below {{violates [trace.convolution C3] input and weight have one rank, from 3 to 5; found tensor<1x2xf32>, tensor<2x2xf32>}}
  %r = trace.convolution %x, %w : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  return
}

// -----

func.func @C4(%x: tensor<1x2x4xf32>, %w: tensor<2x2x?xf32>) {
  // expected-error @below {{violates [trace.convolution C4] the weight's spatial sizes are static and at least 1; found tensor<2x2x?xf32>}}
  %r = trace.convolution %x, %w : (tensor<1x2x4xf32>, tensor<2x2x?xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

func.func @C4(%x: tensor<1x2x4xf32>, %w: tensor<2x2x0xf32>) {
  // expected-error @below {{violates [trace.convolution C4] the weight's spatial sizes are static and at least 1; found tensor<2x2x0xf32>}}
  %r = trace.convolution %x, %w : (tensor<1x2x4xf32>, tensor<2x2x0xf32>) -> tensor<1x2x5xf32>
  return
}

// -----

func.func @C5(%x: tensor<1x2x4xf32>, %w: tensor<2x2x3xf32>) {
  // expected-error @below {{violates [trace.convolution C5] stride, dilation, low and high have one number for each spatial dimension, or none}}
  %r = trace.convolution %x, %w stride = [1, 1] : (tensor<1x2x4xf32>, tensor<2x2x3xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

func.func @C6(%x: tensor<1x2x4xf32>, %w: tensor<2x2x3xf32>) {
  // expected-error @below {{violates [trace.convolution C6] strides and dilations are from 1 to 2^20; found [0] and [1]}}
  %r = trace.convolution %x, %w stride = [0] dilation = [1] : (tensor<1x2x4xf32>, tensor<2x2x3xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

func.func @C6(%x: tensor<1x2x4xf32>, %w: tensor<2x2x3xf32>) {
  // expected-error @below {{violates [trace.convolution C6] strides and dilations are from 1 to 2^20; found [1] and [1048577]}}
  %r = trace.convolution %x, %w stride = [1] dilation = [1048577] : (tensor<1x2x4xf32>, tensor<2x2x3xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

func.func @C7(%x: tensor<1x2x4xf32>, %w: tensor<2x2x3xf32>) {
  // expected-error @below {{violates [trace.convolution C7] padding is from 0 to 2^40; found [-1] and [1]}}
  %r = trace.convolution %x, %w low = [-1] high = [1] : (tensor<1x2x4xf32>, tensor<2x2x3xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

func.func @C8(%x: tensor<1x3x4xf32>, %w: tensor<2x2x3xf32>) {
  // expected-error @below {{violates [trace.convolution C8] the input has groups times as many channels as the weight's dimension 1, and groups divide the output channels; groups is 1, found tensor<1x3x4xf32>, tensor<2x2x3xf32>}}
  %r = trace.convolution %x, %w : (tensor<1x3x4xf32>, tensor<2x2x3xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

func.func @C8(%x: tensor<1x4x4xf32>, %w: tensor<3x2x3xf32>) {
  // expected-error @below {{violates [trace.convolution C8] the input has groups times as many channels as the weight's dimension 1, and groups divide the output channels; groups is 2, found tensor<1x4x4xf32>, tensor<3x2x3xf32>}}
  %r = trace.convolution %x, %w groups = 2 : (tensor<1x4x4xf32>, tensor<3x2x3xf32>) -> tensor<1x3x2xf32>
  return
}

// -----

func.func @C8(%x: tensor<1x4x4xf32>, %w: tensor<3x2x3xf32>) {
  // expected-error @below {{violates [trace.convolution C8] the input has groups times as many channels as the weight's dimension 1, and groups divide the output channels; groups is 0, found tensor<1x4x4xf32>, tensor<3x2x3xf32>}}
  %r = trace.convolution %x, %w groups = 0 : (tensor<1x4x4xf32>, tensor<3x2x3xf32>) -> tensor<1x3x2xf32>
  return
}

// -----

func.func @C9(%x: tensor<1x2x4xf32>, %w: tensor<3x2x3xf32>, %b: tensor<2xf32>) {
  // expected-error @below {{violates [trace.convolution C9] the bias is a vector of the weight's first dimension; found tensor<3x2x3xf32>, tensor<2xf32>}}
  %r = trace.convolution %x, %w, %b : (tensor<1x2x4xf32>, tensor<3x2x3xf32>, tensor<2xf32>) -> tensor<1x3x2xf32>
  return
}

// -----

func.func @C10(%x: tensor<1x2x4xf32>, %w: tensor<3x2x7xf32>) {
  // expected-error @below {{violates [trace.convolution C10] spatial dimensions are not empty, and a window fits into the padded input; found tensor<1x2x4xf32>, tensor<3x2x7xf32>}}
  %r = trace.convolution %x, %w low = [1] high = [1] : (tensor<1x2x4xf32>, tensor<3x2x7xf32>) -> tensor<1x3x0xf32>
  return
}

// -----

func.func @C10(%x: tensor<1x2x0xf32>, %w: tensor<3x2x1xf32>) {
  // expected-error @below {{violates [trace.convolution C10] spatial dimensions are not empty, and a window fits into the padded input; found tensor<1x2x0xf32>, tensor<3x2x1xf32>}}
  %r = trace.convolution %x, %w low = [1] high = [1] : (tensor<1x2x0xf32>, tensor<3x2x1xf32>) -> tensor<1x3x2xf32>
  return
}

// -----

func.func @C11(%x: tensor<1x2x1048576xf32>, %w: tensor<1x2x1000000xf32>) {
  // expected-error @below {{violates [trace.convolution C11] the result and all windows together have at most 2^40 elements}}
  %r = trace.convolution %x, %w low = [1048576] high = [1048576] : (tensor<1x2x1048576xf32>, tensor<1x2x1000000xf32>) -> tensor<1x1x2145729xf32>
  return
}

// -----

func.func @C12(%x: tensor<1x2x4xf16>, %w: tensor<3x2x3xf16>) {
  // expected-error @below {{violates [trace.convolution C12] allow_tf32 is for f32 operands; found 'f16'}}
  %r = trace.convolution %x, %w allow_tf32 : (tensor<1x2x4xf16>, tensor<3x2x3xf16>) -> tensor<1x3x2xf16>
  return
}
