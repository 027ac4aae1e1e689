// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<1x3xf32>) {
  // expected-error @below {{violates [trace.expand C1] there are at least as many sizes as dimensions; found [3], rank is 2}}
  %r = trace.expand %a to [3] : (tensor<1x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @C2(%a: tensor<1x3xf32>) {
  // expected-error @below {{violates [trace.expand C2] each dynamic size has one operand; found 0 operands for 1 dynamic sizes}}
  %r = trace.expand %a to [-9223372036854775808, 3] : (tensor<1x3xf32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @C3(%a: tensor<1x3xf32>) {
  // expected-error @below {{violates [trace.expand C3] sizes are not negative, -1 only for a dimension of the input; found [-1, 2, 3]}}
  %r = trace.expand %a to [-1, 2, 3] : (tensor<1x3xf32>) -> tensor<1x2x3xf32>
  return
}

// -----

func.func @C3(%a: tensor<1x3xf32>) {
  // expected-error @below {{violates [trace.expand C3] sizes are not negative, -1 only for a dimension of the input; found [2, -2]}}
  %r = trace.expand %a to [2, -2] : (tensor<1x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @C4(%a: tensor<1x3xf32>) {
  // expected-error @below {{violates [trace.expand C4] only dimensions of size 1 change; input is 'tensor<1x3xf32>', sizes are [2, 4]}}
  %r = trace.expand %a to [2, 4] : (tensor<1x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @C5(%a: tensor<1x3xf32>) {
  // expected-error @below {{violates [trace.expand C5] the result has rank at most 8 and at most 2^40 elements; found [1099511627777, -1]}}
  %r = trace.expand %a to [1099511627777, -1] : (tensor<1x3xf32>) -> tensor<1x3xf32>
  return
}
