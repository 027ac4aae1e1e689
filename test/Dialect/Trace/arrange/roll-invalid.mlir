// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.roll C1] dims name dimensions of the input, each at most once; found [0, 0], rank is 2}}
  %r = trace.roll %a by [1, 1] dims = [0, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @C2(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.roll C2] there is one shift for each of dims; found [1] and [0, 1]}}
  %r = trace.roll %a by [1] dims = [0, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @C3(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.roll C3] shifts are at most 2^40 in magnitude; found [-1099511627777]}}
  %r = trace.roll %a by [-1099511627777] dims = [0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
