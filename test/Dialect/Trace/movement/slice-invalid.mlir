// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<4x8xf32>) {
  // expected-error @below {{violates [trace.slice C1] there is one start, stop and step for each dimension; found 1, 2 and 2, rank is 2}}
  %r = trace.slice %a [0] to [2, 1] by [1, 1] : (tensor<4x8xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @C1(%a: tensor<4x8xf32>) {
  // expected-error @below {{violates [trace.slice C1] there is one start, stop and step for each dimension; found 2, 2 and 3, rank is 2}}
  %r = trace.slice %a [0, 0] to [2, 1] by [1, 1, 1] : (tensor<4x8xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @C2(%a: tensor<4xf32>) {
  // expected-error @below {{violates [trace.slice C2] each dynamic bound has one operand}}
  %r = trace.slice %a [0] to [-9223372036854775808] by [1] : (tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @C3(%a: tensor<4xf32>) {
  // expected-error @below {{violates [trace.slice C3] steps are not 0 and at most 2^40 in magnitude; found [0]}}
  %r = trace.slice %a [0] to [4] by [0] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @C3(%a: tensor<4xf32>) {
  // expected-error @below {{violates [trace.slice C3] steps are not 0 and at most 2^40 in magnitude; found [?]}}
  %r = trace.slice %a [0] to [4] by [-9223372036854775808] : (tensor<4xf32>) -> tensor<4xf32>
  return
}
