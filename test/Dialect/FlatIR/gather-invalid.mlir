// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<4xf32>) {
  // expected-error @below {{violates [flatir.gather C1] the index's element type is i32 or i64; found 'f32'}}
  %r = flatir.gather %a, %a dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @C2(%a: tensor<4xf32>, %i: tensor<2xi32>) {
  // expected-error @below {{violates [flatir.gather C2] 0 <= dim < rank; dim is -1, rank is 1}}
  %r = flatir.gather %a, %i dim = -1 : (tensor<4xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @C3(%a: tensor<4x8xf32>, %i: tensor<2xi32>) {
  // expected-error @below {{violates [flatir.gather C3] the result is the input with the index's shape in the place of dim; found tensor<4x8xf32>, tensor<2xi32>, tensor<2x8xf32>}}
  %r = flatir.gather %a, %i dim = 1 : (tensor<4x8xf32>, tensor<2xi32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @C4(%a: tensor<0xf32>, %i: tensor<i64>) {
  // expected-error @below {{violates [flatir.gather C4] the dimension is not empty, unless the index is; found tensor<0xf32>, tensor<i64>}}
  %r = flatir.gather %a, %i dim = 0 : (tensor<0xf32>, tensor<i64>) -> tensor<f32>
  return
}
