// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<4x8xf16>, %b: tensor<5x8xf32>) {
  // expected-error @below {{violates [flatir.dot C1] operands are numbers of one element type; found tensor<4x8xf16>, tensor<5x8xf32>}}
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [1] : (tensor<4x8xf16>, tensor<5x8xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @C1(%a: tensor<4x8xi1>, %b: tensor<5x8xi1>) {
  // expected-error @below {{violates [flatir.dot C1] operands are numbers of one element type; found tensor<4x8xi1>, tensor<5x8xi1>}}
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [1] : (tensor<4x8xi1>, tensor<5x8xi1>) -> tensor<4x5xi1>
  return
}

// -----

func.func @C2(%a: tensor<4x8xf16>, %b: tensor<5x8xf16>) {
  // expected-error @below {{violates [flatir.dot C2] batch and contract name as many dimensions of both operands, each at most once}}
  %r = flatir.dot %a, %b batch = [] x [] contract = [2] x [1] : (tensor<4x8xf16>, tensor<5x8xf16>) -> tensor<4x5xf16>
  return
}

// -----

func.func @C2(%a: tensor<4x8xf16>, %b: tensor<5x8xf16>) {
  // expected-error @below {{violates [flatir.dot C2] batch and contract name as many dimensions of both operands, each at most once}}
  %r = flatir.dot %a, %b batch = [1] x [1] contract = [1] x [1] : (tensor<4x8xf16>, tensor<5x8xf16>) -> tensor<4x5xf16>
  return
}

// -----

func.func @C2(%a: tensor<4x8xf16>, %b: tensor<5x8xf16>) {
  // expected-error @below {{violates [flatir.dot C2] batch and contract name as many dimensions of both operands, each at most once}}
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [] : (tensor<4x8xf16>, tensor<5x8xf16>) -> tensor<4x5xf16>
  return
}

// -----

func.func @C3(%a: tensor<4x8xf16>, %b: tensor<5x7xf16>) {
  // expected-error @below {{violates [flatir.dot C3] paired dimensions agree; found tensor<4x8xf16>, tensor<5x7xf16>}}
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [1] : (tensor<4x8xf16>, tensor<5x7xf16>) -> tensor<4x5xf16>
  return
}

// -----

func.func @C4(%a: tensor<4x8xf16>, %b: tensor<5x8xf16>) {
  // expected-error @below {{violates [flatir.dot C4] the result has the batch, left and right dimensions; found tensor<4x8xf16>, tensor<5x8xf16>, tensor<5x4xf16>}}
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [1] : (tensor<4x8xf16>, tensor<5x8xf16>) -> tensor<5x4xf16>
  return
}

// -----

func.func @C5(%a: tensor<4x8xi32>, %b: tensor<5x8xi32>) {
  // expected-error @below {{violates [flatir.dot C5] the result's element type is the operands', f32 for floats of fewer bits, f16 or bf16 for those of 8, or i32 for integers of fewer bits; found tensor<4x8xi32>, tensor<4x5xf32>}}
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [1] : (tensor<4x8xi32>, tensor<5x8xi32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @C5(%a: tensor<4x8xbf16>, %b: tensor<5x8xbf16>) {
  // expected-error @below {{violates [flatir.dot C5] the result's element type is the operands', f32 for floats of fewer bits, f16 or bf16 for those of 8, or i32 for integers of fewer bits; found tensor<4x8xbf16>, tensor<4x5xf16>}}
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [1] : (tensor<4x8xbf16>, tensor<5x8xbf16>) -> tensor<4x5xf16>
  return
}

// -----

func.func @C6(%a: tensor<4x8xf8E4M3FN>, %b: tensor<5x8xf8E4M3FN>) {
  // expected-error @below {{violates [flatir.dot C6] allow_tf32 is for f32 operands; found 'f8E4M3FN'}}
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [1] allow_tf32 : (tensor<4x8xf8E4M3FN>, tensor<5x8xf8E4M3FN>) -> tensor<4x5xf32>
  return
}
