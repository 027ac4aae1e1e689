// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1(%a: tensor<2xi1>) {
  // expected-error @below {{violates [trace.relu C1] the element type is one of: float, integer, i4; found 'i1'}}
  %r = trace.relu %a : (tensor<2xi1>) -> tensor<2xi1>
  return
}
