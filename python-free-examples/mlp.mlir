// A two-layer perceptron (embedding 2, hidden 8) with gelu between; weights
// count up in row-major order. Prints [[447.9999, 1183.7289]].
func.func @main() -> tensor<1x2xf32> {
  %x = trace.iota [1, 2] dim = 1 dtype = f32 -> tensor<1x2xf32>
  %w1 = trace.constant dense<[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0], [8.0, 9.0], [10.0, 11.0], [12.0, 13.0], [14.0, 15.0]]> : tensor<8x2xf32>
  %b1 = trace.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<8xf32>
  %w2 = trace.constant dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]]> : tensor<2x8xf32>
  %b2 = trace.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %hidden = trace.linear %x, %w1, %b1 : (tensor<1x2xf32>, tensor<8x2xf32>, tensor<8xf32>) -> tensor<1x8xf32>
  %activated = trace.gelu %hidden : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %result = trace.linear %activated, %w2, %b2 : (tensor<1x8xf32>, tensor<2x8xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  return %result : tensor<1x2xf32>
}
