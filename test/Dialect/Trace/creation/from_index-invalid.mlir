// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%n: index) {
  // expected-error @below {{violates [trace.from_index C1] dtype is a float or integer type; found 'i1'}}
  %r = trace.from_index %n dtype = i1 -> tensor<i1>
  return
}
