// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%n: index) {
  // expected-error @below {{violates [flatir.from_index C1] the result has rank 0 and no i1 element; found tensor<1xf32>}}
  %r = flatir.from_index %n : tensor<1xf32>
  return
}

// -----

func.func @C1(%n: index) {
  // expected-error @below {{violates [flatir.from_index C1] the result has rank 0 and no i1 element; found tensor<i1>}}
  %r = flatir.from_index %n : tensor<i1>
  return
}
