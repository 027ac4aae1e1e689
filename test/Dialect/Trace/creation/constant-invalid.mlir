// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1() {
  // expected-error @below {{violates [trace.constant C1] the value is a dense tensor; found 'tensor<?xf32>'}}
  %r = trace.constant dense_resource<absent> : tensor<?xf32>
  return
}

// -----

func.func @C1() {
  // expected-error @below {{violates [trace.constant C1] the value is a dense tensor; found 'vector<2xf32>'}}
  %r = trace.constant dense<1.0> : vector<2xf32>
  return
}

// -----

func.func @C1() {
  // expected-error @below {{violates [trace.constant C1] the value is a dense tensor; found 'tensor<2xf80>'}}
  %r = trace.constant dense<1.0> : tensor<2xf80>
  return
}

// -----

func.func @C1() {
  // expected-error @below {{violates [trace.constant C1] the value is a dense tensor; found 'tensor<2xf32>'}}
  %r = trace.constant sparse<0, 1.0> : tensor<2xf32>
  return
}
