// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<4xf32>) {
  // expected-error @below {{violates [trace.topk C1] -rank <= dim < rank; dim is -2, rank is 1}}
  %r:2 = trace.topk %a k = 1 dim = -2 : (tensor<4xf32>) -> (tensor<1xf32>, tensor<1xi32>)
  return
}

// -----

func.func @C2(%a: tensor<2147483648xi8>) {
  // expected-error @below {{violates [trace.topk C2] the dimension has at most 2^31 - 1 elements}}
  %r:2 = trace.topk %a k = 1 dim = 0 : (tensor<2147483648xi8>) -> (tensor<1xi8>, tensor<1xi32>)
  return
}

// -----

func.func @C3(%a: tensor<4x5xf32>) {
  // expected-error @below {{violates [trace.topk C3] 0 <= k <= the size of the dimension; k is 5, the input is 'tensor<4x5xf32>'}}
  %r:2 = trace.topk %a k = 5 dim = 0 : (tensor<4x5xf32>) -> (tensor<5x5xf32>, tensor<5x5xi32>)
  return
}

// -----

func.func @C3(%a: tensor<?xf32>) {
  // expected-error @below {{violates [trace.topk C3] 0 <= k <= the size of the dimension; k is -1, the input is 'tensor<?xf32>'}}
  %r:2 = trace.topk %a k = -1 dim = 0 : (tensor<?xf32>) -> (tensor<1xf32>, tensor<1xi32>)
  return
}

// -----

func.func @C3(%a: tensor<?xf32>) {
  // expected-error @below {{violates [trace.topk C3] 0 <= k <= the size of the dimension; k is 2147483648, the input is 'tensor<?xf32>'}}
  %r:2 = trace.topk %a k = 2147483648 dim = 0 : (tensor<?xf32>) -> (tensor<2147483648xf32>, tensor<2147483648xi32>)
  return
}
