// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%x: tensor<2x8xi32>, %w: tensor<8xi32>, %b: tensor<8xi32>) {
  // expected-error @below {{violates [trace.layer_norm C1] the element type is one of: float; found 'i32'}}
  %r = trace.layer_norm %x, %w, %b eps = 1.0e-5 : (tensor<2x8xi32>, tensor<8xi32>, tensor<8xi32>) -> tensor<2x8xi32>
  return
}

// -----

func.func @C2(%x: tensor<2x8xf32>, %w: tensor<8xf16>, %b: tensor<8xf16>) {
  // expected-error @below {{violates [trace.layer_norm C2] input, weight and bias have one element type; found tensor<2x8xf32>, tensor<8xf16>, tensor<8xf16>}}
  %r = trace.layer_norm %x, %w, %b eps = 1.0e-5 : (tensor<2x8xf32>, tensor<8xf16>, tensor<8xf16>) -> tensor<2x8xf32>
  return
}

// -----

func.func @C3(%x: tensor<2x8xf32>, %w: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{violates [trace.layer_norm C3] the weight has the shape of the input's trailing dimensions, at least one; found tensor<4xf32>, tensor<2x8xf32>}}
  %r = trace.layer_norm %x, %w, %b eps = 1.0e-5 : (tensor<2x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @C3(%x: tensor<2x8xf32>, %w: tensor<f32>, %b: tensor<f32>) {
  // expected-error @below {{violates [trace.layer_norm C3] the weight has the shape of the input's trailing dimensions, at least one; found tensor<f32>, tensor<2x8xf32>}}
  %r = trace.layer_norm %x, %w, %b eps = 1.0e-5 : (tensor<2x8xf32>, tensor<f32>, tensor<f32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @C3(%x: tensor<8xf32>, %w: tensor<2x8xf32>, %b: tensor<2x8xf32>) {
  // expected-error @below {{violates [trace.layer_norm C3] the weight has the shape of the input's trailing dimensions, at least one; found tensor<2x8xf32>, tensor<8xf32>}}
  %r = trace.layer_norm %x, %w, %b eps = 1.0e-5 : (tensor<8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @C4(%x: tensor<2x8xf32>, %w: tensor<8xf32>, %b: tensor<2x8xf32>) {
  // expected-error @below {{violates [trace.layer_norm C4] the bias has the weight's shape; found tensor<8xf32>, tensor<2x8xf32>}}
  %r = trace.layer_norm %x, %w, %b eps = 1.0e-5 : (tensor<2x8xf32>, tensor<8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @C5(%x: tensor<2x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{violates [trace.layer_norm C5] eps is finite and not negative; eps is -1.000000e+00}}
  %r = trace.layer_norm %x, %w, %b eps = -1.0 : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @C5(%x: tensor<2x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{violates [trace.layer_norm C5] eps is finite and not negative}}
  %r = trace.layer_norm %x, %w, %b eps = 0x7FF0000000000000 : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  return
}
