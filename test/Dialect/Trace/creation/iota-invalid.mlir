// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1() {
  // expected-error @below {{violates [trace.iota C1] static sizes are not negative; found [2, -3]}}
  %r = trace.iota [2, -3] dim = 0 dtype = f32 -> tensor<2x3xf32>
  return
}

// -----

func.func @C2(%n: index) {
  // expected-error @below {{violates [trace.iota C2] each dynamic size has one operand; found 0 operands for 1 dynamic sizes}}
  %r = trace.iota [2, -9223372036854775808] dim = 0 dtype = f32 -> tensor<2x?xf32>
  return
}

// -----

func.func @C2(%n: index) {
  // expected-error @below {{violates [trace.iota C2] each dynamic size has one operand; found 1 operands for 0 dynamic sizes}}
  %r = "trace.iota"(%n) {staticSizes = array<i64: 2>, dim = 0 : i64, dtype = f32} : (index) -> tensor<2xf32>
  return
}

// -----

func.func @C3() {
  // expected-error @below {{violates [trace.iota C3] the result has rank at most 8 and at most 2^40 elements; found [1, 1, 1, 1, 1, 1, 1, 1, 1]}}
  %r = trace.iota [1, 1, 1, 1, 1, 1, 1, 1, 1] dim = 0 dtype = f32 -> tensor<1xf32>
  return
}

// -----

func.func @C3() {
  // expected-error @below {{violates [trace.iota C3] the result has rank at most 8 and at most 2^40 elements; found [9223372036854775807, 2]}}
  %r = trace.iota [9223372036854775807, 2] dim = 0 dtype = f32 -> tensor<1xf32>
  return
}

// -----

func.func @C3() {
  // expected-error @below {{violates [trace.iota C3] the result has rank at most 8 and at most 2^40 elements; found [0, 1099511627777]}}
  %r = trace.iota [0, 1099511627777] dim = 0 dtype = f32 -> tensor<1xf32>
  return
}

// -----

func.func @C4() {
  // expected-error @below {{violates [trace.iota C4] -rank <= dim < rank; dim is 1, rank is 1}}
  %r = trace.iota [2] dim = 1 dtype = f32 -> tensor<2xf32>
  return
}

// -----

func.func @C4() {
  // expected-error @below {{violates [trace.iota C4] -rank <= dim < rank; dim is 0, rank is 0}}
  %r = trace.iota [] dim = 0 dtype = f32 -> tensor<f32>
  return
}

// -----

func.func @C5() {
  // expected-error @below {{violates [trace.iota C5] dtype is a float or integer type; found 'i1'}}
  %r = trace.iota [2] dim = 0 dtype = i1 -> tensor<2xi1>
  return
}

// -----

func.func @C5() {
  // expected-error @below {{violates [trace.iota C5] dtype is a float or integer type; found 'index'}}
  %r = trace.iota [2] dim = 0 dtype = index -> tensor<2xi32>
  return
}
