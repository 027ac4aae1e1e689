// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%w: tensor<4x2xf16>, %i: tensor<3xf16>) {
  // expected-error @below {{violates [trace.embedding C1] the element type is one of: integer; found 'f16'}}
  %r = trace.embedding %w, %i : (tensor<4x2xf16>, tensor<3xf16>) -> tensor<3x2xf16>
  return
}

// -----

func.func @C2(%w: tensor<4xf32>, %i: tensor<3xi32>) {
  // expected-error @below {{violates [trace.embedding C2] the weight has rank 2; found tensor<4xf32>}}
  %r = trace.embedding %w, %i : (tensor<4xf32>, tensor<3xi32>) -> tensor<3xf32>
  return
}

// -----

func.func @C3(%w: tensor<4x2xf32>, %i: tensor<1x1x1x1x1x1x1x1xi32>) {
  // expected-error @below {{violates [trace.embedding C3] the result has rank at most 8 and at most 2^40 elements; found tensor<4x2xf32>, tensor<1x1x1x1x1x1x1x1xi32>}}
  %r = trace.embedding %w, %i : (tensor<4x2xf32>, tensor<1x1x1x1x1x1x1x1xi32>) -> tensor<1xf32>
  return
}

// -----

func.func @C4(%w: tensor<0x2xf32>, %i: tensor<1xi32>) {
  // expected-error @below {{violates [trace.embedding C4] there is a row to take: the weight is not empty, unless the index is; found tensor<0x2xf32>, tensor<1xi32>}}
  %r = trace.embedding %w, %i : (tensor<0x2xf32>, tensor<1xi32>) -> tensor<1x2xf32>
  return
}
