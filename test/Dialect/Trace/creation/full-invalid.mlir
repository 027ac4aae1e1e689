// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1() {
  // expected-error @below {{violates [trace.full C1] static sizes are not negative; found [2, -3]}}
  %r = trace.full [2, -3] value = 1.0 : f32 -> tensor<2x3xf32>
  return
}

// -----

func.func @C2(%n: index) {
  // expected-error @below {{violates [trace.full C2] each dynamic size has one operand; found 0 operands for 1 dynamic sizes}}
  %r = trace.full [2, -9223372036854775808] value = 1.0 : f32 -> tensor<2x?xf32>
  return
}

// -----

func.func @C2(%n: index) {
  // expected-error @below {{violates [trace.full C2] each dynamic size has one operand; found 1 operands for 0 dynamic sizes}}
  %r = "trace.full"(%n) {staticSizes = array<i64: 2>, value = 1.0 : f32} : (index) -> tensor<2xf32>
  return
}

// -----

func.func @C3() {
  // expected-error @below {{violates [trace.full C3] the result has rank at most 8 and at most 2^40 elements; found [1, 1, 1, 1, 1, 1, 1, 1, 1]}}
  %r = trace.full [1, 1, 1, 1, 1, 1, 1, 1, 1] value = 1.0 : f32 -> tensor<1xf32>
  return
}

// -----

func.func @C3() {
  // expected-error @below {{violates [trace.full C3] the result has rank at most 8 and at most 2^40 elements; found [9223372036854775807, 2]}}
  %r = trace.full [9223372036854775807, 2] value = 1.0 : f32 -> tensor<1xf32>
  return
}

// -----

func.func @C3() {
  // expected-error @below {{violates [trace.full C3] the result has rank at most 8 and at most 2^40 elements; found [0, 1099511627777]}}
  %r = trace.full [0, 1099511627777] value = 1.0 : f32 -> tensor<1xf32>
  return
}

// -----

func.func @C4() {
  // expected-error @below {{violates [trace.full C4] the value is a number of an element type; found 1 : index}}
  %r = trace.full [2] value = 1 : index -> tensor<2xf32>
  return
}

// -----

func.func @C4() {
  // expected-error @below {{violates [trace.full C4] the value is a number of an element type; found dense<1.000000e+00> : tensor<1xf32>}}
  %r = trace.full [2] value = dense<1.0> : tensor<1xf32> -> tensor<2xf32>
  return
}
