// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2xf32>) {
  // expected-error @below {{violates [flatir.compare C1] the result's element type is i1; found 'f32'}}
  %r = flatir.compare lt %a, %a : tensor<2xf32> -> tensor<2xf32>
  return
}
