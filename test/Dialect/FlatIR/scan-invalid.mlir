// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<4xi1>) {
  // expected-error @below {{violates [flatir.scan C1] the element type is not i1; found 'i1'}}
  %r = flatir.scan %a dim = 0 : tensor<4xi1>
  return
}

// -----

func.func @C2(%a: tensor<4xf32>) {
  // expected-error @below {{violates [flatir.scan C2] 0 <= dim < rank; dim is 1, rank is 1}}
  %r = flatir.scan %a dim = 1 : tensor<4xf32>
  return
}
