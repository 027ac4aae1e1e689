// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.permute C1] permutation names each dimension once, negative ones from the end; found [0, 0], rank is 2}}
  %r = trace.permute %a [0, 0] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @C1(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.permute C1] permutation names each dimension once, negative ones from the end; found [0, -2], rank is 2}}
  %r = trace.permute %a [0, -2] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @C1(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.permute C1] permutation names each dimension once, negative ones from the end; found [0], rank is 2}}
  %r = trace.permute %a [0] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}
