// A linear layer of operands quantised to f8E4M3FN. The input has a scale for
// each row, the weight one for each output feature; both are products with the
// f32 sum, and one kernel computes everything.
func.func @main(%x: tensor<2x4xf8E4M3FN> {tripy.name = "x"},
                %scale_x: tensor<2x1xf32> {tripy.name = "scale_x"}) -> tensor<2x3xf16> {
  %w = trace.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.5, -0.25, 2.0, 16.0], [448.0, 448.0, 448.0, 448.0]]> : tensor<3x4xf8E4M3FN>
  %scale_w = trace.constant dense<[1.0, 0.25, 0.001953125]> : tensor<3xf32>
  %bias = trace.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf32>
  // Before the scales, f16 might overflow.
  %sum = trace.linear %x, %w dtype = f32 : (tensor<2x4xf8E4M3FN>, tensor<3x4xf8E4M3FN>) -> tensor<2x3xf32>
  %rows = trace.mul %sum, %scale_x : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  %scaled = trace.mul %rows, %scale_w : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %biased = trace.add %scaled, %bias : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %y = trace.cast %biased to f16 : (tensor<2x3xf32>) -> tensor<2x3xf16>
  return %y : tensor<2x3xf16>
}
