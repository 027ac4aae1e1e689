// RUN: tripy-opt %s --flatir-form-dispatches --split-input-file --verify-diagnostics

func.func private @f(tensor<2xf32>) -> tensor<2xf32>
func.func @calls(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{'func.call' op a program must consist of flatir operations and arithmetic on sizes to become kernels}}
  %r = func.call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// expected-error@+1 {{a program must be one block; found 2}}
func.func @blocks(%x: tensor<2xf32>) -> tensor<2xf32> {
  cf.br ^next
^next:
  return %x : tensor<2xf32>
}

// -----

func.func @tensors(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error@+1 {{'math.erfc' op is arithmetic that kernels cannot compute on these types}}
  %r = math.erfc %x : tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

func.func @in_composite(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = flatir.composite "f" (%x) {} : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    // expected-error@+1 {{'math.erfc' op is arithmetic that kernels cannot compute}}
    %n = math.erfc %a : tensor<2xf32>
    flatir.yield %n : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}
