// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%c: tensor<2xi32>, %a: tensor<2xf32>) {
  // expected-error @below {{violates [flatir.select C1] the condition's element type is i1; found 'i32'}}
  %r = flatir.select %c, %a, %a : tensor<2xi32>, tensor<2xf32>
  return
}
