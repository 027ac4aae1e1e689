// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%x: tensor<2x4x8xi32>, %m0: tensor<4xi32>, %v1: tensor<4xi32>, %w2: tensor<4xi32>, %b3: tensor<4xi32>) {
  // expected-error @below {{violates [trace.batch_norm C1] the element type is one of: float; found 'i32'}}
  %r = trace.batch_norm %x, %m0, %v1, %w2, %b3 eps = 1.0e-5 : (tensor<2x4x8xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<2x4x8xi32>
  return
}

// -----

func.func @C2(%x: tensor<2x4x8xf32>, %m0: tensor<4xf32>, %v1: tensor<4xf32>, %w2: tensor<4xf32>, %b3: tensor<4xf16>) {
  // expected-error @below {{violates [trace.batch_norm C2] input, mean, variance, weight, bias have one element type; found tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf16>}}
  %r = trace.batch_norm %x, %m0, %v1, %w2, %b3 eps = 1.0e-5 : (tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf16>) -> tensor<2x4x8xf32>
  return
}

// -----

func.func @C3(%x: tensor<4xf32>, %m0: tensor<4xf32>, %v1: tensor<4xf32>, %w2: tensor<4xf32>, %b3: tensor<4xf32>) {
  // expected-error @below {{violates [trace.batch_norm C3] the input has rank at least 2, and mean, variance, weight, bias are vectors of its dimension 1; found tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>}}
  %r = trace.batch_norm %x, %m0, %v1, %w2, %b3 eps = 1.0e-5 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @C3(%x: tensor<2x4x8xf32>, %m0: tensor<4xf32>, %v1: tensor<4xf32>, %w2: tensor<4xf32>, %b3: tensor<3xf32>) {
  // expected-error @below {{violates [trace.batch_norm C3] the input has rank at least 2, and mean, variance, weight, bias are vectors of its dimension 1; found tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3xf32>}}
  %r = trace.batch_norm %x, %m0, %v1, %w2, %b3 eps = 1.0e-5 : (tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

func.func @C3(%x: tensor<2x4x8xf32>, %m0: tensor<4x1xf32>, %v1: tensor<4xf32>, %w2: tensor<4xf32>, %b3: tensor<4xf32>) {
  // expected-error @below {{violates [trace.batch_norm C3] the input has rank at least 2, and mean, variance, weight, bias are vectors of its dimension 1; found tensor<2x4x8xf32>, tensor<4x1xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>}}
  %r = trace.batch_norm %x, %m0, %v1, %w2, %b3 eps = 1.0e-5 : (tensor<2x4x8xf32>, tensor<4x1xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

func.func @C4(%x: tensor<2x4x8xf32>, %m0: tensor<4xf32>, %v1: tensor<4xf32>, %w2: tensor<4xf32>, %b3: tensor<4xf32>) {
  // expected-error @below {{violates [trace.batch_norm C4] eps is finite and not negative; eps is -1.000000e+00}}
  %r = trace.batch_norm %x, %m0, %v1, %w2, %b3 eps = -1.0 : (tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8xf32>
  return
}
