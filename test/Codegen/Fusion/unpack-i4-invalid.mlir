// RUN: tripy-opt %s --split-input-file --verify-diagnostics --flatir-unpack-i4

func.func @arithmetic(%x: tensor<3xi4>) -> tensor<3xi4> {
  // expected-error @below {{cannot compute with elements of i4: they are moved, converted and compared, nothing else}}
  %r = arith.addi %x, %x : tensor<3xi4>
  return %r : tensor<3xi4>
}

// -----

// What reads them as unsigned numbers would see other ones.
func.func @unsigned(%x: tensor<3xi4>) -> tensor<3xf32> {
  // expected-error @below {{cannot compute with elements of i4}}
  %r = arith.uitofp %x : tensor<3xi4> to tensor<3xf32>
  return %r : tensor<3xf32>
}
