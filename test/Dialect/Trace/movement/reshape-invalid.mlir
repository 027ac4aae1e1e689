// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<4xf32>) {
  // expected-error @below {{violates [trace.reshape C1] sizes are not negative, but one may be -1; found [-1, -1]}}
  %r = trace.reshape %a to [-1, -1] : (tensor<4xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @C1(%a: tensor<4xf32>) {
  // expected-error @below {{violates [trace.reshape C1] sizes are not negative, but one may be -1; found [-2, 2]}}
  %r = trace.reshape %a to [-2, 2] : (tensor<4xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @C2(%a: tensor<4xf32>) {
  // expected-error @below {{violates [trace.reshape C2] each dynamic size has one operand; found 0 operands for 1 dynamic sizes}}
  %r = trace.reshape %a to [-9223372036854775808, 2] : (tensor<4xf32>) -> tensor<?x2xf32>
  return
}

// -----

func.func @C3(%a: tensor<4xf32>) {
  // expected-error @below {{violates [trace.reshape C3] the result has rank at most 8 and at most 2^40 elements; found [1099511627777, -1]}}
  %r = trace.reshape %a to [1099511627777, -1] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @C4(%a: tensor<3x4xf32>) {
  // expected-error @below {{violates [trace.reshape C4] the number of elements stays the same; input is 'tensor<3x4xf32>', sizes are [5, 2]}}
  %r = trace.reshape %a to [5, 2] : (tensor<3x4xf32>) -> tensor<5x2xf32>
  return
}

// -----

func.func @C4(%a: tensor<3x4xf32>) {
  // expected-error @below {{violates [trace.reshape C4] the number of elements stays the same; input is 'tensor<3x4xf32>', sizes are [5, -1]}}
  %r = trace.reshape %a to [5, -1] : (tensor<3x4xf32>) -> tensor<5x2xf32>
  return
}

// -----

func.func @C4(%a: tensor<0x4xf32>) {
  // expected-error @below {{violates [trace.reshape C4] the number of elements stays the same; input is 'tensor<0x4xf32>', sizes are [0, -1]}}
  %r = trace.reshape %a to [0, -1] : (tensor<0x4xf32>) -> tensor<0x4xf32>
  return
}

// -----

func.func @C4(%a: tensor<?x4xf32>) {
  // expected-error @below {{violates [trace.reshape C4] the number of elements stays the same; input is 'tensor<?x4xf32>', sizes are [3, 3]}}
  %r = trace.reshape %a to [3, 3] : (tensor<?x4xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @C4(%a: tensor<3xf32>, %n: index) {
  // expected-error @below {{violates [trace.reshape C4] the number of elements stays the same; input is 'tensor<3xf32>', sizes are [?, 2]}}
  %r = trace.reshape %a to [%n, 2] : (tensor<3xf32>) -> tensor<?x2xf32>
  return
}
