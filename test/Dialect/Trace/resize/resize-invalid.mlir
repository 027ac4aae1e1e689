// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%x: tensor<1x2x8xi32>) {
  // expected-error @below {{violates [trace.resize C1] the element type is float or i8, or for mode 'nearest' any; found 'i32'}}
  %r = trace.resize %x to [-1, -1, 4] mode = "linear" : (tensor<1x2x8xi32>) -> tensor<1x2x4xf32>
  return
}

// -----

// Of the integers i8 alone, and no floats of 8 bits.
func.func @C1(%x: tensor<1x2x8xi16>) {
  // expected-error @below {{violates [trace.resize C1] the element type is float or i8, or for mode 'nearest' any; found 'i16'}}
  %r = trace.resize %x to [-1, -1, 4] mode = "cubic" : (tensor<1x2x8xi16>) -> tensor<1x2x4xi16>
  return
}

// -----

func.func @C1(%x: tensor<1x2x8xui8>) {
  // expected-error @below {{violates [trace.resize C1] the element type is float or i8, or for mode 'nearest' any; found 'ui8'}}
  %r = trace.resize %x to [-1, -1, 4] mode = "cubic" : (tensor<1x2x8xui8>) -> tensor<1x2x4xui8>
  return
}

// -----

func.func @C1(%x: tensor<1x2x8xf8E4M3FN>) {
  // expected-error @below {{violates [trace.resize C1] the element type is float or i8, or for mode 'nearest' any; found 'f8E4M3FN'}}
  %r = trace.resize %x to [-1, -1, 4] mode = "cubic" : (tensor<1x2x8xf8E4M3FN>) -> tensor<1x2x4xf8E4M3FN>
  return
}

// -----

func.func @C2(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{violates [trace.resize C2] mode is 'nearest', 'linear' or 'cubic'; found 'area'}}
  %r = trace.resize %x to [-1, -1, 4] mode = "area" : (tensor<1x2x8xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @C3(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{violates [trace.resize C3] coordinates are 'half_pixel', 'asymmetric' or, but for mode 'nearest', 'align_corners'; found 'corners'}}
  %r = trace.resize %x to [-1, -1, 4] mode = "linear" coordinates = "corners" : (tensor<1x2x8xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @C3(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{violates [trace.resize C3] coordinates are 'half_pixel', 'asymmetric' or, but for mode 'nearest', 'align_corners'; found 'align_corners'}}
  %r = trace.resize %x to [-1, -1, 4] mode = "nearest" coordinates = "align_corners" : (tensor<1x2x8xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @C4(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{violates [trace.resize C4] either sizes or scales are given, one for each dimension; found 1 sizes and 0 scales, rank is 3}}
  %r = trace.resize %x to [4] mode = "linear" : (tensor<1x2x8xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @C4(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{violates [trace.resize C4] either sizes or scales are given, one for each dimension; found 0 sizes and 0 scales, rank is 3}}
  %r = trace.resize %x mode = "linear" : (tensor<1x2x8xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @C4(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{violates [trace.resize C4] either sizes or scales are given, one for each dimension; found 3 sizes and 3 scales, rank is 3}}
  %r = trace.resize %x to [-1, -1, 4] scales = [1.0, 1.0, 0.5] mode = "linear" : (tensor<1x2x8xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @C5(%x: tensor<1x2x8xf32>, %n: index) {
  // expected-error @below {{violates [trace.resize C5] each dynamic size has one operand; found 1 operands for 0 dynamic sizes}}
  %r = "trace.resize"(%x, %n) {staticSizes = array<i64: -1, -1, 4>, mode = "linear"} : (tensor<1x2x8xf32>, index) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @C6(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{violates [trace.resize C6] sizes are not negative, but for -1, and at most 2^30; found [-1, -2, 4]}}
  %r = trace.resize %x to [-1, -2, 4] mode = "linear" : (tensor<1x2x8xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @C6(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{violates [trace.resize C6] sizes are not negative, but for -1, and at most 2^30; found [-1, -1, 1073741825]}}
  %r = trace.resize %x to [-1, -1, 1073741825] mode = "linear" : (tensor<1x2x8xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @C7(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{violates [trace.resize C7] scales are from 2^-20 to 2^20}}
  %r = trace.resize %x scales = [1.0, 1.0, 0.0] mode = "linear" : (tensor<1x2x8xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @C7(%x: tensor<1x2x8xf32>) {
  // expected-error @below {{violates [trace.resize C7] scales are from 2^-20 to 2^20}}
  %r = trace.resize %x scales = [1.0, 1.0, 0x7FF8000000000000 : f64] mode = "linear" : (tensor<1x2x8xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @C8(%x: tensor<1x2x0xf32>) {
  // expected-error @below {{violates [trace.resize C8] a dimension that changes has 1 to 2^30 elements and gets at most 2^30, unless the result is empty; found tensor<1x2x0xf32>}}
  %r = trace.resize %x to [-1, -1, 4] mode = "linear" : (tensor<1x2x0xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @C8(%x: tensor<1048576xf32>) {
  // expected-error @below {{violates [trace.resize C8] a dimension that changes has 1 to 2^30 elements and gets at most 2^30, unless the result is empty; found tensor<1048576xf32>}}
  %r = trace.resize %x scales = [2048.0] mode = "linear" : (tensor<1048576xf32>) -> tensor<2147483648xf32>
  return
}

// -----

func.func @C9(%x: tensor<1024x1024x1024xf32>) {
  // expected-error @below {{violates [trace.resize C9] the result has at most 2^40 elements; found tensor<1024x1024x1024xf32>}}
  %r = trace.resize %x to [-1, 1048576, 1048576] mode = "linear" : (tensor<1024x1024x1024xf32>) -> tensor<1x2x4xf32>
  return
}
