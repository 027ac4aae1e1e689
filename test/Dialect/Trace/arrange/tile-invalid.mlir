// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.tile C1] there is one count for each dimension; found [2], rank is 2}}
  %r = trace.tile %a by [2] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @C2(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.tile C2] each dynamic count has one operand; found 0 operands for 1 dynamic counts}}
  %r = trace.tile %a by [1, -9223372036854775808] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @C3(%a: tensor<2x3xf32>) {
  // expected-error @below {{violates [trace.tile C3] counts are not negative; found [1, -1]}}
  %r = trace.tile %a by [1, -1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @C4(%a: tensor<1048576x1xf32>) {
  // expected-error @below {{violates [trace.tile C4] the result has at most 2^40 elements; input is 'tensor<1048576x1xf32>', counts are [1, 1048577]}}
  %r = trace.tile %a by [1, 1048577] : (tensor<1048576x1xf32>) -> tensor<1xf32>
  return
}
