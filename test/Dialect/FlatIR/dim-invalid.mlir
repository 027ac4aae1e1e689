// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2xf32>) {
  // expected-error @below {{violates [flatir.dim C1] 0 <= dim < rank; dim is 1, rank is 1}}
  %r = flatir.dim %a, 1 : tensor<2xf32>
  return
}

// -----

func.func @C1(%a: tensor<2xf32>) {
  // expected-error @below {{violates [flatir.dim C1] 0 <= dim < rank; dim is -1, rank is 1}}
  %r = flatir.dim %a, -1 : tensor<2xf32>
  return
}
