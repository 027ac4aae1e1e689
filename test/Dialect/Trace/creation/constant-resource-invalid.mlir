// RUN: tripy-opt %s --verify-diagnostics

// Resources are read after the operations, but before verification.
func.func @C2() {
  // expected-error @below {{violates [trace.constant C2] a resource has as many bytes as the tensor, one for an i1, half of one for an i4; found 4 bytes for 'tensor<2xf32>'}}
  %r = trace.constant dense_resource<short> : tensor<2xf32>
  return
}

{-#
  dialect_resources: { builtin: { short: "0x040000000000803F" } }
#-}
