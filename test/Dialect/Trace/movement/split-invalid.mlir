// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<4x3xf32>) {
  // expected-error @below {{violates [trace.split C1] -rank <= dim < rank; dim is 2, rank is 2}}
  %r:2 = trace.split %a dim = 2 parts = 2 : (tensor<4x3xf32>) -> (tensor<4x2xf32>, tensor<4x1xf32>)
  return
}

// -----

func.func @C2(%a: tensor<4x3xf32>) {
  // expected-error @below {{violates [trace.split C2] either sizes or parts are given}}
  %r:2 = trace.split %a dim = 1 : (tensor<4x3xf32>) -> (tensor<4x2xf32>, tensor<4x1xf32>)
  return
}

// -----

func.func @C2(%a: tensor<4x3xf32>) {
  // expected-error @below {{violates [trace.split C2] either sizes or parts are given}}
  %r:2 = trace.split %a dim = 1 sizes = [2, 1] parts = 2 : (tensor<4x3xf32>) -> (tensor<4x2xf32>, tensor<4x1xf32>)
  return
}

// -----

func.func @C3(%a: tensor<4x3xf32>) {
  // expected-error @below {{violates [trace.split C3] sizes are not negative and sum to the dimension; input is 'tensor<4x3xf32>', sizes are [2, 2]}}
  %r:2 = trace.split %a dim = 1 sizes = [2, 2] : (tensor<4x3xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  return
}

// -----

func.func @C3(%a: tensor<4x?xf32>) {
  // expected-error @below {{violates [trace.split C3] sizes are not negative and sum to the dimension; input is 'tensor<4x?xf32>', sizes are [2, -1]}}
  %r:2 = trace.split %a dim = 1 sizes = [2, -1] : (tensor<4x?xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  return
}

// -----

func.func @C3(%a: tensor<4x3xf32>) {
  // expected-error @below {{violates [trace.split C3] sizes are not negative and sum to the dimension; input is 'tensor<4x3xf32>', sizes are [4, -1]}}
  %r:2 = trace.split %a dim = 1 sizes = [4, -1] : (tensor<4x3xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  return
}

// -----

func.func @C4(%a: tensor<4x3xf32>) {
  // expected-error @below {{violates [trace.split C4] 1 <= parts <= 1024; parts is 0}}
  %r:2 = trace.split %a dim = 1 parts = 0 : (tensor<4x3xf32>) -> (tensor<4x2xf32>, tensor<4x1xf32>)
  return
}

// -----

func.func @C4(%a: tensor<4x3xf32>) {
  // expected-error @below {{violates [trace.split C4] 1 <= parts <= 1024; parts is 9223372036854775807}}
  %r:2 = trace.split %a dim = 1 parts = 9223372036854775807 : (tensor<4x3xf32>) -> (tensor<4x2xf32>, tensor<4x1xf32>)
  return
}
