// RUN: tripy-opt %s --kernel-emit-cpu -o /dev/null
// RUN: tripy-opt %s --kernel-emit-cuda -o /dev/null

// Views from and to rank 0 have no groups of dimensions.
kernel.func @views loop sizeArgs = [] : (tensor<1x1xf32>) -> tensor<1x1xf32> {
^bb0(%a: tensor<1x1xf32>):
  %0 = tensor.collapse_shape %a [] : tensor<1x1xf32> into tensor<f32>
  %1 = tensor.expand_shape %0 [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  kernel.yield %1 : tensor<1x1xf32>
}

// A result that is such a view.
kernel.func @result loop sizeArgs = [] : (tensor<1xf16>) -> tensor<f16> {
^bb0(%a: tensor<1xf16>):
  %0 = tensor.collapse_shape %a [] : tensor<1xf16> into tensor<f16>
  kernel.yield %0 : tensor<f16>
}
