// What is no tensor of Tripy's is refused where the passes begin, too.
// RUN: tripy-opt %s --flatir-form-dispatches --split-input-file --verify-diagnostics

// expected-error@+1 {{a program's arguments must be tensors of Tripy's element types, or sizes, to become kernels; found 'tensor<4xindex>'}}
func.func @index(%x: tensor<4xindex>) -> tensor<4xindex> { return %x : tensor<4xindex> }

// -----

// expected-error@+1 {{found 'tensor<4xi7>'}}
func.func @integer(%x: tensor<4xi7>) -> tensor<4xi7> { return %x : tensor<4xi7> }
