// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2x8xf32>, %u: tensor<2x3xf32>, %s: tensor<1xi32>) {
  // expected-error @below {{violates [trace.update_slice C1] the start is an integer of rank 0; found tensor<1xi32>}}
  %r = trace.update_slice %a, %u, %s dim = 1 : (tensor<2x8xf32>, tensor<2x3xf32>, tensor<1xi32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @C1(%a: tensor<2x8xf32>, %u: tensor<2x3xf32>, %s: tensor<f32>) {
  // expected-error @below {{violates [trace.update_slice C1] the start is an integer of rank 0; found tensor<f32>}}
  %r = trace.update_slice %a, %u, %s dim = 1 : (tensor<2x8xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @C2(%a: tensor<2x8xf32>, %u: tensor<2x3xf32>, %s: tensor<i32>) {
  // expected-error @below {{violates [trace.update_slice C2] -rank <= dim < rank; dim is -3, rank is 2}}
  %r = trace.update_slice %a, %u, %s dim = -3 : (tensor<2x8xf32>, tensor<2x3xf32>, tensor<i32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @C3(%a: tensor<2x8xf32>, %u: tensor<3xf32>, %s: tensor<i32>) {
  // expected-error @below {{violates [trace.update_slice C3] input and update have one rank and element type; found tensor<2x8xf32>, tensor<3xf32>}}
  %r = trace.update_slice %a, %u, %s dim = 1 : (tensor<2x8xf32>, tensor<3xf32>, tensor<i32>) -> tensor<2x8xf32>
  return
}

// -----

func.func @C4(%a: tensor<2x8xf32>, %u: tensor<2x3xf32>, %s: tensor<i32>) {
  // expected-error @below {{violates [trace.update_slice C4] all other dimensions agree; found tensor<2x8xf32>, tensor<2x3xf32>}}
  %r = trace.update_slice %a, %u, %s dim = 0 : (tensor<2x8xf32>, tensor<2x3xf32>, tensor<i32>) -> tensor<2x8xf32>
  return
}
