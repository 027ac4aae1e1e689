// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%s: tensor<i64>) {
  // expected-error @below {{violates [trace.random_normal C1] static sizes are not negative; found [2, -1]}}
  %r = trace.random_normal %s [2, -1] dtype = f32 : (tensor<i64>) -> tensor<2x1xf32>
  return
}

// -----

func.func @C2(%s: tensor<i64>) {
  // expected-error @below {{violates [trace.random_normal C2] each dynamic size has one operand; found 0 operands for 1 dynamic sizes}}
  %r = "trace.random_normal"(%s) {staticSizes = array<i64: -9223372036854775808>, dtype = f32} : (tensor<i64>) -> tensor<?xf32>
  return
}

// -----

func.func @C3(%s: tensor<i64>) {
  // expected-error @below {{violates [trace.random_normal C3] the result has rank at most 8 and at most 2^40 elements; found [1048577, 1048577]}}
  %r = trace.random_normal %s [1048577, 1048577] dtype = f32 : (tensor<i64>) -> tensor<1xf32>
  return
}

// -----

func.func @C4(%s: tensor<i32>) {
  // expected-error @below {{violates [trace.random_normal C4] the seed is one or two numbers: tensor<i64> or tensor<2xi64>; found tensor<i32>}}
  %r = trace.random_normal %s [2] dtype = f32 : (tensor<i32>) -> tensor<2xf32>
  return
}

// -----

func.func @C4(%s: tensor<3xi64>) {
  // expected-error @below {{violates [trace.random_normal C4] the seed is one or two numbers: tensor<i64> or tensor<2xi64>; found tensor<3xi64>}}
  %r = trace.random_normal %s [2] dtype = f32 : (tensor<3xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @C5(%s: tensor<i64>) {
  // expected-error @below {{violates [trace.random_normal C5] dtype is f64, f32, f16 or bf16; found 'i32'}}
  %r = trace.random_normal %s [2] dtype = i32 : (tensor<i64>) -> tensor<2xi32>
  return
}
