// RUN: tripy-opt %s --split-input-file --verify-diagnostics

func.func @C1() {
  // expected-error @below {{violates [flatir.constant C1] the value is a dense tensor; found 'tensor<2xf32>'}}
  %r = flatir.constant sparse<0, 1.0> : tensor<2xf32>
  return
}

// -----

func.func @C2() {
  // expected-error @below {{violates [flatir.constant C2] a resource has as many bytes as the tensor, one for an i1, half of one for an i4; found 4 bytes for 'tensor<2xf32>'}}
  %r = flatir.constant dense_resource<short> : tensor<2xf32>
  return
}

{-#
  dialect_resources: { builtin: { short: "0x040000000000803F" } }
#-}
