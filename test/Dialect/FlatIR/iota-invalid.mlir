// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%n: index) {
  // expected-error @below {{violates [flatir.iota C1] each dynamic size of the result has one operand; found 1 operands for 'tensor<2xf32>'}}
  %r = flatir.iota dim = 0 sizes(%n) : tensor<2xf32>
  return
}

// -----

func.func @C1(%n: index) {
  // expected-error @below {{violates [flatir.iota C1] each dynamic size of the result has one operand; found 0 operands for 'tensor<?xf32>'}}
  %r = flatir.iota dim = 0 sizes() : tensor<?xf32>
  return
}

// -----

func.func @C2() {
  // expected-error @below {{violates [flatir.iota C2] 0 <= dim < rank; dim is 1, rank is 1}}
  %r = flatir.iota dim = 1 sizes() : tensor<2xf32>
  return
}

// -----

func.func @C2() {
  // expected-error @below {{violates [flatir.iota C2] 0 <= dim < rank; dim is -1, rank is 1}}
  %r = flatir.iota dim = -1 sizes() : tensor<2xf32>
  return
}

// -----

func.func @C3() {
  // expected-error @below {{violates [flatir.iota C3] the element type is not i1}}
  %r = flatir.iota dim = 0 sizes() : tensor<2xi1>
  return
}
