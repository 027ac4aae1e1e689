// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2x8xf32>, %i: tensor<3xf32>, %u: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.scatter C1] the element type is one of: integer; found 'f32'}}
  %r = trace.scatter %a, %i, %u dim = 1 : (tensor<2x8xf32>, tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @C2(%a: tensor<2x8xf32>, %i: tensor<3xi32>, %u: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.scatter C2] -rank <= dim < rank; dim is 2, rank is 2}}
  %r = trace.scatter %a, %i, %u dim = 2 : (tensor<2x8xf32>, tensor<3xi32>, tensor<2x3xf32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @C3(%a: tensor<2x8xf32>, %i: tensor<3xi32>, %u: tensor<2x3xf16>) {
  // expected-error @below {{violates [trace.scatter C3] input and update have one element type; found tensor<2x8xf32>, tensor<2x3xf16>}}
  %r = trace.scatter %a, %i, %u dim = 1 : (tensor<2x8xf32>, tensor<3xi32>, tensor<2x3xf16>) -> tensor<2x8xf32>
  return
}

// -----

func.func @C4(%a: tensor<2x8xf32>, %i: tensor<3xi32>, %u: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.scatter C4] the update has the input's shape with that of the index in the place of dim; found tensor<2x8xf32>, tensor<3xi32>, tensor<2x3xf32>}}
  %r = trace.scatter %a, %i, %u dim = 0 : (tensor<2x8xf32>, tensor<3xi32>, tensor<2x3xf32>) -> tensor<2x8xf32>
  return
}
