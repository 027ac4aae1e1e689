// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%s: tensor<i64>) {
  // expected-error @below {{violates [trace.random_bernoulli C1] static sizes are not negative; found [2, -1]}}
  %r = trace.random_bernoulli %s [2, -1] p = 0.5 : (tensor<i64>) -> tensor<2x1xi1>
  return
}

// -----

func.func @C2(%s: tensor<i64>) {
  // expected-error @below {{violates [trace.random_bernoulli C2] each dynamic size has one operand; found 0 operands for 1 dynamic sizes}}
  %r = "trace.random_bernoulli"(%s) {staticSizes = array<i64: -9223372036854775808>, p = 0.5} : (tensor<i64>) -> tensor<?xi1>
  return
}

// -----

func.func @C3(%s: tensor<i64>) {
  // expected-error @below {{violates [trace.random_bernoulli C3] the result has rank at most 8 and at most 2^40 elements; found [1048577, 1048577]}}
  %r = trace.random_bernoulli %s [1048577, 1048577] p = 0.5 : (tensor<i64>) -> tensor<1xi1>
  return
}

// -----

func.func @C4(%s: tensor<i32>) {
  // expected-error @below {{violates [trace.random_bernoulli C4] the seed is one or two numbers: tensor<i64> or tensor<2xi64>; found tensor<i32>}}
  %r = trace.random_bernoulli %s [2] p = 0.5 : (tensor<i32>) -> tensor<2xi1>
  return
}

// -----

func.func @C4(%s: tensor<3xi64>) {
  // expected-error @below {{violates [trace.random_bernoulli C4] the seed is one or two numbers: tensor<i64> or tensor<2xi64>; found tensor<3xi64>}}
  %r = trace.random_bernoulli %s [2] p = 0.5 : (tensor<3xi64>) -> tensor<2xi1>
  return
}

// -----

func.func @C5(%s: tensor<i64>) {
  // expected-error @below {{violates [trace.random_bernoulli C5] 0 <= p <= 1; p is 1.5}}
  %r = trace.random_bernoulli %s [2] p = 1.5 : (tensor<i64>) -> tensor<2xi1>
  return
}
