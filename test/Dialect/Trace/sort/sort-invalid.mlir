// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<4xf32>) {
  // expected-error @below {{violates [trace.sort C1] -rank <= dim < rank; dim is 1, rank is 1}}
  %r:2 = trace.sort %a dim = 1 : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi32>)
  return
}

// -----

func.func @C1(%a: tensor<f32>) {
  // expected-error @below {{violates [trace.sort C1] -rank <= dim < rank; dim is 0, rank is 0}}
  %r:2 = trace.sort %a dim = 0 : (tensor<f32>) -> (tensor<f32>, tensor<i32>)
  return
}

// -----

func.func @C2(%a: tensor<2x2147483648xi8>) {
  // expected-error @below {{violates [trace.sort C2] the dimension has at most 2^31 - 1 elements}}
  %r:2 = trace.sort %a dim = -1 : (tensor<2x2147483648xi8>) -> (tensor<2x2147483648xi8>, tensor<2x2147483648xi32>)
  return
}

// -----

func.func @types(%a: tensor<4xf32>) {
  // expected-error @below {{tensor<4xi32>}}
  %r:2 = trace.sort %a dim = 0 : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi64>)
  return
}
