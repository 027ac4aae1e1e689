// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<4xi1>) {
  // expected-error @below {{violates [trace.argmax C1] the element type is one of: float, integer; found 'i1'}}
  %r = trace.argmax %a dim = 0 : (tensor<4xi1>) -> tensor<i32>
  return
}

// -----

func.func @C2(%a: tensor<4xf32>) {
  // expected-error @below {{violates [trace.argmax C2] -rank <= dim < rank; dim is 1, rank is 1}}
  %r = trace.argmax %a dim = 1 : (tensor<4xf32>) -> tensor<i32>
  return
}

// -----

func.func @C3(%a: tensor<4x0xf32>) {
  // expected-error @below {{violates [trace.argmax C3] there are at least 1 and at most 2^31 - 1 elements to choose from; found 0}}
  %r = trace.argmax %a dim = 1 : (tensor<4x0xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @C3(%a: tensor<3000000000xf32>) {
  // expected-error @below {{violates [trace.argmax C3] there are at least 1 and at most 2^31 - 1 elements to choose from; found 3000000000}}
  %r = trace.argmax %a : (tensor<3000000000xf32>) -> tensor<i32>
  return
}

// -----

func.func @C3(%a: tensor<65536x65536xf32>) {
  // expected-error @below {{violates [trace.argmax C3] there are at least 1 and at most 2^31 - 1 elements to choose from; found 4294967296}}
  %r = trace.argmax %a : (tensor<65536x65536xf32>) -> tensor<i32>
  return
}
