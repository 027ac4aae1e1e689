// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%k: tensor<i64>) {
  // expected-error @below {{violates [flatir.random_bits C1] each dynamic size of the result has one operand; found 0 operands for 'tensor<?xi64>'}}
  %r = flatir.random_bits %k counter = %k, %k bits = 32 stride = 1 start = 0 sizes() : tensor<?xi64>
  return
}

// -----

func.func @C2(%k: tensor<i64>) {
  // expected-error @below {{violates [flatir.random_bits C2] the element type is i64; found 'i32'}}
  %r = flatir.random_bits %k counter = %k, %k bits = 32 stride = 1 start = 0 sizes() : tensor<4xi32>
  return
}

// -----

func.func @C3(%k: tensor<i64>) {
  // expected-error @below {{violates [flatir.random_bits C3] bits is 32 or 64; bits is 16}}
  %r = flatir.random_bits %k counter = %k, %k bits = 16 stride = 1 start = 0 sizes() : tensor<4xi64>
  return
}

// -----

func.func @C4(%k: tensor<i64>) {
  // expected-error @below {{violates [flatir.random_bits C4] 1 <= stride <= 4 and 0 <= start <= 4; stride is 0, start is 0}}
  %r = flatir.random_bits %k counter = %k, %k bits = 64 stride = 0 start = 0 sizes() : tensor<4xi64>
  return
}

// -----

func.func @C4(%k: tensor<i64>) {
  // expected-error @below {{violates [flatir.random_bits C4] 1 <= stride <= 4 and 0 <= start <= 4; stride is 1, start is -1}}
  %r = flatir.random_bits %k counter = %k, %k bits = 64 stride = 1 start = -1 sizes() : tensor<4xi64>
  return
}
