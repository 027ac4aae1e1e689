// RUN: tripy-opt %s --flatir-to-linalg --split-input-file --verify-diagnostics

// expected-error@+1 {{a program must be one block; found 2}}
func.func @blocks(%a: tensor<2xf32>) -> tensor<2xf32> {
  cf.br ^next
^next:
  %r = flatir.neg %a : tensor<2xf32>
  return %r : tensor<2xf32>
}
