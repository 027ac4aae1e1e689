// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<4xf32>) {
  // expected-error @below {{violates [trace.gather C1] the element type is one of: integer; found 'f32'}}
  %r = trace.gather %a, %a dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @C1(%a: tensor<4xf32>, %i: tensor<4xi1>) {
  // expected-error @below {{violates [trace.gather C1] the element type is one of: integer; found 'i1'}}
  %r = trace.gather %a, %i dim = 0 : (tensor<4xf32>, tensor<4xi1>) -> tensor<4xf32>
  return
}

// -----

func.func @C2(%a: tensor<4xf32>, %i: tensor<2xi32>) {
  // expected-error @below {{violates [trace.gather C2] -rank <= dim < rank; dim is -2, rank is 1}}
  %r = trace.gather %a, %i dim = -2 : (tensor<4xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @C2(%a: tensor<f32>, %i: tensor<2xi32>) {
  // expected-error @below {{violates [trace.gather C2] -rank <= dim < rank; dim is 0, rank is 0}}
  %r = trace.gather %a, %i dim = 0 : (tensor<f32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @C3(%a: tensor<1x1x1x1x1xf32>, %i: tensor<1x1x1x1x1xi64>) {
  // expected-error @below {{violates [trace.gather C3] the result has rank at most 8 and at most 2^40 elements; found tensor<1x1x1x1x1xf32>, tensor<1x1x1x1x1xi64>}}
  %r = trace.gather %a, %i dim = 0 : (tensor<1x1x1x1x1xf32>, tensor<1x1x1x1x1xi64>) -> tensor<1xf32>
  return
}

// -----

func.func @C3(%a: tensor<2x1048576xf32>, %i: tensor<1048577xi32>) {
  // expected-error @below {{violates [trace.gather C3] the result has rank at most 8 and at most 2^40 elements; found tensor<2x1048576xf32>, tensor<1048577xi32>}}
  %r = trace.gather %a, %i dim = 0 : (tensor<2x1048576xf32>, tensor<1048577xi32>) -> tensor<1xf32>
  return
}

// -----

func.func @C4(%a: tensor<3x0xf32>, %i: tensor<2xi32>) {
  // expected-error @below {{violates [trace.gather C4] there is a slice to take: the dimension is not empty, unless the index is; found tensor<3x0xf32>, tensor<2xi32>}}
  %r = trace.gather %a, %i dim = 1 : (tensor<3x0xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  return
}
