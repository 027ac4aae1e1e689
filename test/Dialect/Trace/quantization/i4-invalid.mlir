// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C4(%x: tensor<2xi4>) {
  // expected-error @below {{violates [trace.add C4] the element type is one of: float, integer, bool; found 'i4'}}
  %r = trace.add %x, %x : (tensor<2xi4>, tensor<2xi4>) -> tensor<2xi4>
  return
}

// -----

func.func @sum(%x: tensor<2xi4>) {
  // expected-error @below {{found 'i4'}}
  %r = trace.sum %x dims = [0] : (tensor<2xi4>) -> tensor<i4>
  return
}

// -----

func.func @matmul(%x: tensor<2x2xi4>) {
  // expected-error @below {{violates [trace.matmul}}
  %r = trace.matmul %x, %x : (tensor<2x2xi4>, tensor<2x2xi4>) -> tensor<2x2xi4>
  return
}

// -----

func.func @index(%x: tensor<2x2xf32>, %i: tensor<3xi4>) {
  // expected-error @below {{violates [trace.gather}}
  %r = trace.gather %x, %i dim = 0 : (tensor<2x2xf32>, tensor<3xi4>) -> tensor<3x2xf32>
  return
}

// -----

func.func @C1(%x: tensor<2xi1>) {
  // expected-error @below {{violates [trace.relu C1] the element type is one of: float, integer, i4; found 'i1'}}
  %r = trace.relu %x : (tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----

func.func @C4(%x: tensor<2xf8E5M2>) {
  // expected-error @below {{violates [trace.floor_div C4] the element type is one of: float, integer, bool, i4; found 'f8E5M2'}}
  %r = trace.floor_div %x, %x : (tensor<2xf8E5M2>, tensor<2xf8E5M2>) -> tensor<2xf8E5M2>
  return
}

// -----

func.func @C2() {
  // expected-error @below {{violates [trace.constant C2] a resource has as many bytes as the tensor, one for an i1, half of one for an i4; found 3 bytes for 'tensor<3xi4>'}}
  %r = trace.constant dense_resource<three> : tensor<3xi4>
  return
}

{-#
  dialect_resources: { builtin: { three: "0x01000000010203" } }
#-}
