// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%x: tensor<1x2x8xi32>) {
  // expected-error @below {{violates [trace.avgpool C1] the element type is float or i8; found 'i32'}}
  %r = trace.avgpool %x window = [3] : (tensor<1x2x8xi32>) -> tensor<1x2x6xi32>
  return
}

// -----

// Of the integers i8 alone, and no floats of 8 bits.
func.func @C1(%x: tensor<1x2x8xi16>) {
  // expected-error @below {{violates [trace.avgpool C1] the element type is float or i8; found 'i16'}}
  %r = trace.avgpool %x window = [3] : (tensor<1x2x8xi16>) -> tensor<1x2x6xi16>
  return
}

// -----

func.func @C1(%x: tensor<1x2x8xui8>) {
  // expected-error @below {{violates [trace.avgpool C1] the element type is float or i8; found 'ui8'}}
  %r = trace.avgpool %x window = [3] : (tensor<1x2x8xui8>) -> tensor<1x2x6xui8>
  return
}

// -----

func.func @C1(%x: tensor<1x2x8xf8E4M3FN>) {
  // expected-error @below {{violates [trace.avgpool C1] the element type is float or i8; found 'f8E4M3FN'}}
  %r = trace.avgpool %x window = [3] : (tensor<1x2x8xf8E4M3FN>) -> tensor<1x2x6xf8E4M3FN>
  return
}

// -----

func.func @C2(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{violates [trace.avgpool C2] window has 1 to 3 sizes of at least 1, for the input's last dimensions; found [] for 'tensor<1x2x8xf32>'}}
  %r = trace.avgpool %x window = [] : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  return
}

// -----

func.func @C2(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{violates [trace.avgpool C2] window has 1 to 3 sizes of at least 1, for the input's last dimensions; found [0] for 'tensor<1x2x8xf32>'}}
  %r = trace.avgpool %x window = [0] : (tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  return
}

// -----

func.func @C2(%x: tensor<8xf32>) {
  // expected-error @below {{violates [trace.avgpool C2] window has 1 to 3 sizes of at least 1, for the input's last dimensions; found [2, 2] for 'tensor<8xf32>'}}
  %r = trace.avgpool %x window = [2, 2] : (tensor<8xf32>) -> tensor<1x2x8xf32>
  return
}

// -----

func.func @C2(%x: tensor<2x2x2x2xf32>) {
  // expected-error @below {{violates [trace.avgpool C2] window has 1 to 3 sizes of at least 1, for the input's last dimensions; found [1, 1, 1, 1] for 'tensor<2x2x2x2xf32>'}}
  %r = trace.avgpool %x window = [1, 1, 1, 1] : (tensor<2x2x2x2xf32>) -> tensor<1x2x8xf32>
  return
}

// -----

func.func @C3(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{violates [trace.avgpool C3] stride, dilation, low and high have one number for each of window's, or none}}
  %r = trace.avgpool %x window = [3] stride = [1, 1] : (tensor<1x2x8xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @C4(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{violates [trace.avgpool C4] strides and dilations are from 1 to 2^20; found [-1] and []}}
  %r = trace.avgpool %x window = [3] stride = [-1] : (tensor<1x2x8xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @C4(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{violates [trace.avgpool C4] strides and dilations are from 1 to 2^20; found [] and [0]}}
  %r = trace.avgpool %x window = [3] dilation = [0] : (tensor<1x2x8xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @C5(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{violates [trace.avgpool C5] padding is not negative and less than a window with its gaps; found [3] and []}}
  %r = trace.avgpool %x window = [3] low = [3] : (tensor<1x2x8xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @C5(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{violates [trace.avgpool C5] padding is not negative and less than a window with its gaps; found [] and [-1]}}
  %r = trace.avgpool %x window = [3] high = [-1] : (tensor<1x2x8xf32>) -> tensor<1x3x6xf32>
  return
}

// -----

func.func @C6(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{violates [trace.avgpool C6] the dimensions are not empty, and a window fits into the padded input; found tensor<1x2x8xf32>}}
  %r = trace.avgpool %x window = [9] : (tensor<1x2x8xf32>) -> tensor<1x2x0xf32>
  return
}

// -----

func.func @C6(%x: tensor<1x2x0xf32>) {
  // expected-error @below {{violates [trace.avgpool C6] the dimensions are not empty, and a window fits into the padded input; found tensor<1x2x0xf32>}}
  %r = trace.avgpool %x window = [2] low = [1] high = [1] : (tensor<1x2x0xf32>) -> tensor<1x2x1xf32>
  return
}

// -----

func.func @C7(%x: tensor<1x1x1x1x1x1x1x8xf32>) {
  // expected-error @below {{violates [trace.avgpool C7] there is room for the windows: rank at most 8, and at most 2^40 elements in all of them; found tensor<1x1x1x1x1x1x1x8xf32>}}
  %r = trace.avgpool %x window = [3] : (tensor<1x1x1x1x1x1x1x8xf32>) -> tensor<1x1x1x1x1x1x1x6xf32>
  return
}
