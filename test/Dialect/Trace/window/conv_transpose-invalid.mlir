// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%x: tensor<1x2x4xi1>, %w: tensor<2x3x3xi1>) {
  // expected-error @below {{violates [trace.conv_transpose C1] the element type is one of: float, integer; found 'i1'}}
  %r = trace.conv_transpose %x, %w : (tensor<1x2x4xi1>, tensor<2x3x3xi1>) -> tensor<1x3x6xi1>
  return
}

// -----

func.func @C2(%x: tensor<1x2x4xf32>, %w: tensor<2x3x3xf16>) {
  // expected-error @below {{violates [trace.conv_transpose C2] input, weight and bias have one element type; found tensor<1x2x4xf32>, tensor<2x3x3xf16>}}
  %r = trace.conv_transpose %x, %w : (tensor<1x2x4xf32>, tensor<2x3x3xf16>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @C3(%x: tensor<1x2x4xf32>, %w: tensor<2x3x3x3xf32>) {
  // expected-error @below {{violates [trace.conv_transpose C3] input and weight have one rank, from 3 to 5; found tensor<1x2x4xf32>, tensor<2x3x3x3xf32>}}
  %r = trace.conv_transpose %x, %w : (tensor<1x2x4xf32>, tensor<2x3x3x3xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @C4(%x: tensor<1x2x4xf32>, %w: tensor<2x3x?xf32>) {
  // expected-error @below {{violates [trace.conv_transpose C4] the weight's spatial sizes are static and at least 1; found tensor<2x3x?xf32>}}
  %r = trace.conv_transpose %x, %w : (tensor<1x2x4xf32>, tensor<2x3x?xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @C5(%x: tensor<1x2x4xf32>, %w: tensor<2x3x3xf32>) {
  // expected-error @below {{violates [trace.conv_transpose C5] stride, dilation, low and high have one number for each spatial dimension, or none}}
  %r = trace.conv_transpose %x, %w high = [1, 1] : (tensor<1x2x4xf32>, tensor<2x3x3xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @C6(%x: tensor<1x2x4xf32>, %w: tensor<2x3x3xf32>) {
  // expected-error @below {{violates [trace.conv_transpose C6] strides and dilations are from 1 to 2^20; found [0] and []}}
  %r = trace.conv_transpose %x, %w stride = [0] : (tensor<1x2x4xf32>, tensor<2x3x3xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @C7(%x: tensor<1x2x4xf32>, %w: tensor<2x3x3xf32>) {
  // expected-error @below {{violates [trace.conv_transpose C7] padding is from 0 to 2^40; found [] and [-2]}}
  %r = trace.conv_transpose %x, %w high = [-2] : (tensor<1x2x4xf32>, tensor<2x3x3xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @C8(%x: tensor<1x2x4xf32>, %w: tensor<2x3x3xf32>) {
  // expected-error @below {{violates [trace.conv_transpose C8] output_padding has one number for each spatial dimension, or none, and is less than the stride or the dilation; found [1]}}
  %r = trace.conv_transpose %x, %w output_padding = [1] : (tensor<1x2x4xf32>, tensor<2x3x3xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @C8(%x: tensor<1x2x4xf32>, %w: tensor<2x3x3xf32>) {
  // expected-error @below {{violates [trace.conv_transpose C8] output_padding has one number for each spatial dimension, or none, and is less than the stride or the dilation; found [-1]}}
  %r = trace.conv_transpose %x, %w output_padding = [-1] : (tensor<1x2x4xf32>, tensor<2x3x3xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @C8(%x: tensor<1x2x4xf32>, %w: tensor<2x3x3xf32>) {
  // expected-error @below {{violates [trace.conv_transpose C8] output_padding has one number for each spatial dimension, or none, and is less than the stride or the dilation; found [0, 0]}}
  %r = trace.conv_transpose %x, %w output_padding = [0, 0] : (tensor<1x2x4xf32>, tensor<2x3x3xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @C9(%x: tensor<1x2x4xf32>, %w: tensor<3x3x3xf32>) {
  // expected-error @below {{violates [trace.conv_transpose C9] the input has as many channels as the weight's dimension 0, and groups divide them; groups is 1, found tensor<1x2x4xf32>, tensor<3x3x3xf32>}}
  %r = trace.conv_transpose %x, %w : (tensor<1x2x4xf32>, tensor<3x3x3xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @C9(%x: tensor<1x2x4xf32>, %w: tensor<2x3x3xf32>) {
  // expected-error @below {{violates [trace.conv_transpose C9] the input has as many channels as the weight's dimension 0, and groups divide them; groups is 3, found tensor<1x2x4xf32>, tensor<2x3x3xf32>}}
  %r = trace.conv_transpose %x, %w groups = 3 : (tensor<1x2x4xf32>, tensor<2x3x3xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @C9(%x: tensor<1x2x4xf32>, %w: tensor<2x3x3xf32>) {
  // expected-error @below {{violates [trace.conv_transpose C9] the input has as many channels as the weight's dimension 0, and groups divide them; groups is 0, found tensor<1x2x4xf32>, tensor<2x3x3xf32>}}
  %r = trace.conv_transpose %x, %w groups = 0 : (tensor<1x2x4xf32>, tensor<2x3x3xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @C10(%x: tensor<1x2x4xf32>, %w: tensor<2x3x3xf32>, %b: tensor<2xf32>) {
  // expected-error @below {{violates [trace.conv_transpose C10] the bias is a vector of the output channels, groups times the weight's dimension 1; found tensor<2x3x3xf32>, tensor<2xf32>}}
  %r = trace.conv_transpose %x, %w, %b : (tensor<1x2x4xf32>, tensor<2x3x3xf32>, tensor<2xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @C11(%x: tensor<1x2x4xf32>, %w: tensor<2x3x3xf32>) {
  // expected-error @below {{violates [trace.conv_transpose C11] spatial dimensions are not empty, and those of the result have a size of at least 1; found tensor<1x2x4xf32>, tensor<2x3x3xf32>}}
  %r = trace.conv_transpose %x, %w low = [3] high = [3] : (tensor<1x2x4xf32>, tensor<2x3x3xf32>) -> tensor<1x3x0xf32>
  return
}

// -----

func.func @C11(%x: tensor<1x2x0xf32>, %w: tensor<2x3x3xf32>) {
  // expected-error @below {{violates [trace.conv_transpose C11] spatial dimensions are not empty, and those of the result have a size of at least 1; found tensor<1x2x0xf32>, tensor<2x3x3xf32>}}
  %r = trace.conv_transpose %x, %w : (tensor<1x2x0xf32>, tensor<2x3x3xf32>) -> tensor<1x3x2xf32>
  return
}

// -----

func.func @C12(%x: tensor<1x2x1048576xf32>, %w: tensor<2x3x3xf32>) {
  // expected-error @below {{violates [trace.conv_transpose C12] the result and all windows together have at most 2^40 elements; found tensor<1x2x1048576xf32>, tensor<2x3x3xf32>}}
  %r = trace.conv_transpose %x, %w stride = [1048576] : (tensor<1x2x1048576xf32>, tensor<2x3x3xf32>) -> tensor<1x3x4xf32>
  return
}

// -----

func.func @C13(%x: tensor<1x2x4xf16>, %w: tensor<2x3x3xf16>) {
  // expected-error @below {{violates [trace.conv_transpose C13] allow_tf32 is for f32 operands; found 'f16'}}
  %r = trace.conv_transpose %x, %w allow_tf32 : (tensor<1x2x4xf16>, tensor<2x3x3xf16>) -> tensor<1x3x6xf16>
  return
}
