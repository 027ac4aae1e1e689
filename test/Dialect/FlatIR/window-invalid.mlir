// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%x: tensor<?xf32>) {
  // expected-error @below {{violates [flatir.window C1] each dynamic size of the result has one operand; found 0 operands for 'tensor<3x?xf32>'}}
  %r = flatir.window %x dims = [0] window = [3] strides = [1] dilations = [1] interior = [1] low = [1] value = 0.0 : f32 sizes() : tensor<?xf32> -> tensor<3x?xf32>
  return
}

// -----

func.func @C2(%x: tensor<8xf32>) {
  // expected-error @below {{violates [flatir.window C2] input, result and value have one element type; found tensor<8xf32>, tensor<3x8xf32> and 0.000000e+00 : f16}}
  %r = flatir.window %x dims = [0] window = [3] strides = [1] dilations = [1] interior = [1] low = [1] value = 0.0 : f16 sizes() : tensor<8xf32> -> tensor<3x8xf32>
  return
}

// -----

func.func @C2(%x: tensor<8xf32>) {
  // expected-error @below {{violates [flatir.window C2] input, result and value have one element type; found tensor<8xf32>, tensor<3x8xf16> and 0.000000e+00 : f32}}
  %r = flatir.window %x dims = [0] window = [3] strides = [1] dilations = [1] interior = [1] low = [1] value = 0.0 : f32 sizes() : tensor<8xf32> -> tensor<3x8xf16>
  return
}

// -----

func.func @C3(%x: tensor<8x8xf32>) {
  // expected-error @below {{violates [flatir.window C3] dims ascend, within the input's rank, at least one; found [1, 0]}}
  %r = flatir.window %x dims = [1, 0] window = [3, 3] strides = [1, 1] dilations = [1, 1] interior = [1, 1] low = [1, 1] value = 0.0 : f32 sizes() : tensor<8x8xf32> -> tensor<3x3x8x8xf32>
  return
}

// -----

func.func @C3(%x: tensor<8xf32>) {
  // expected-error @below {{violates [flatir.window C3] dims ascend, within the input's rank, at least one; found []}}
  %r = flatir.window %x dims = [] window = [] strides = [] dilations = [] interior = [] low = [] value = 0.0 : f32 sizes() : tensor<8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @C3(%x: tensor<8xf32>) {
  // expected-error @below {{violates [flatir.window C3] dims ascend, within the input's rank, at least one; found [1]}}
  %r = flatir.window %x dims = [1] window = [3] strides = [1] dilations = [1] interior = [1] low = [1] value = 0.0 : f32 sizes() : tensor<8xf32> -> tensor<3x8xf32>
  return
}

// -----

func.func @C4(%x: tensor<8xf32>) {
  // expected-error @below {{violates [flatir.window C4] window, strides, dilations, interior and low have one number for each of dims}}
  %r = flatir.window %x dims = [0] window = [3] strides = [1, 1] dilations = [1] interior = [1] low = [1] value = 0.0 : f32 sizes() : tensor<8xf32> -> tensor<3x8xf32>
  return
}

// -----

func.func @C5(%x: tensor<8xf32>) {
  // expected-error @below {{violates [flatir.window C5] window sizes are at least 1; found [0]}}
  %r = flatir.window %x dims = [0] window = [0] strides = [1] dilations = [1] interior = [1] low = [1] value = 0.0 : f32 sizes() : tensor<8xf32> -> tensor<0x8xf32>
  return
}

// -----

func.func @C6(%x: tensor<8xf32>) {
  // expected-error @below {{violates [flatir.window C6] strides and interior are from 1 to 2^20, dilations too, or negative, and low is at most 2^61 in magnitude; found [0], [1], [1] and [1]}}
  %r = flatir.window %x dims = [0] window = [3] strides = [0] dilations = [1] interior = [1] low = [1] value = 0.0 : f32 sizes() : tensor<8xf32> -> tensor<3x8xf32>
  return
}

// -----

func.func @C6(%x: tensor<8xf32>) {
  // expected-error @below {{violates [flatir.window C6] strides and interior are from 1 to 2^20, dilations too, or negative, and low is at most 2^61 in magnitude; found [1], [1048577], [1] and [1]}}
  %r = flatir.window %x dims = [0] window = [3] strides = [1] dilations = [1] interior = [1048577] low = [1] value = 0.0 : f32 sizes() : tensor<8xf32> -> tensor<3x8xf32>
  return
}

// -----

func.func @C6(%x: tensor<8xf32>) {
  // expected-error @below {{violates [flatir.window C6] strides and interior are from 1 to 2^20, dilations too, or negative, and low is at most 2^61 in magnitude; found [1], [1], [0] and [1]}}
  %r = flatir.window %x dims = [0] window = [3] strides = [1] dilations = [0] interior = [1] low = [1] value = 0.0 : f32 sizes() : tensor<8xf32> -> tensor<3x8xf32>
  return
}

// -----

func.func @C6(%x: tensor<8xf32>) {
  // expected-error @below {{violates [flatir.window C6] strides and interior are from 1 to 2^20, dilations too, or negative, and low is at most 2^61 in magnitude; found [1], [1], [1] and [-9223372036854775807]}}
  %r = flatir.window %x dims = [0] window = [3] strides = [1] dilations = [1] interior = [1] low = [-9223372036854775807] value = 0.0 : f32 sizes() : tensor<8xf32> -> tensor<3x8xf32>
  return
}

// -----

func.func @C7(%x: tensor<4x8xf32>) {
  // expected-error @below {{violates [flatir.window C7] the result has the window's sizes, and then the input's but for dims; found tensor<4x8xf32>, tensor<2x4x8xf32>}}
  %r = flatir.window %x dims = [1] window = [3] strides = [1] dilations = [1] interior = [1] low = [1] value = 0.0 : f32 sizes() : tensor<4x8xf32> -> tensor<2x4x8xf32>
  return
}

// -----

func.func @C7(%x: tensor<4x8xf32>) {
  // expected-error @below {{violates [flatir.window C7] the result has the window's sizes, and then the input's but for dims; found tensor<4x8xf32>, tensor<3x5x8xf32>}}
  %r = flatir.window %x dims = [1] window = [3] strides = [1] dilations = [1] interior = [1] low = [1] value = 0.0 : f32 sizes() : tensor<4x8xf32> -> tensor<3x5x8xf32>
  return
}

// -----

func.func @C8(%x: tensor<4x0xf32>) {
  // expected-error @below {{violates [flatir.window C8] dims of the input are not empty, unless the result is; found tensor<4x0xf32>, tensor<3x4x2xf32>}}
  %r = flatir.window %x dims = [1] window = [3] strides = [1] dilations = [1] interior = [1] low = [2] value = 0.0 : f32 sizes() : tensor<4x0xf32> -> tensor<3x4x2xf32>
  return
}
