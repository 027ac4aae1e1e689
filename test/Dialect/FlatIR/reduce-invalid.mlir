// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2x3xi1>) {
  // expected-error @below {{violates [flatir.reduce C1] sum, prod, max and min are for numbers, and, or for i1; found 'i1'}}
  %r = flatir.reduce sum %a dims = [1] : tensor<2x3xi1> -> tensor<2xi1>
  return
}

// -----

func.func @C1(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [flatir.reduce C1] sum, prod, max and min are for numbers, and, or for i1; found 'f32'}}
  %r = flatir.reduce and %a dims = [1] : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @C2(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [flatir.reduce C2] dims ascend, within the input's rank, at least one; found []}}
  %r = flatir.reduce max %a dims = [] : tensor<2x3xf32> -> tensor<f32>
  return
}

// -----

func.func @C2(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [flatir.reduce C2] dims ascend, within the input's rank, at least one; found [1, 0]}}
  %r = flatir.reduce max %a dims = [1, 0] : tensor<2x3xf32> -> tensor<f32>
  return
}

// -----

func.func @C2(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [flatir.reduce C2] dims ascend, within the input's rank, at least one; found [2]}}
  %r = flatir.reduce max %a dims = [2] : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @C3(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [flatir.reduce C3] the result is the input without dims; found tensor<2x3xf32>, tensor<3xf32>}}
  %r = flatir.reduce max %a dims = [1] : tensor<2x3xf32> -> tensor<3xf32>
  return
}
