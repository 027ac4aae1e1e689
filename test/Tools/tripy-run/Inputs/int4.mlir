func.func @main(%x: tensor<4x3xf32>, %w: tensor<3x5xi4> {tripy.parameter}) -> (
    tensor<4x3xi4> {tripy.name = "q"}, tensor<4x3xf32> {tripy.name = "d"},
    tensor<4x3xi4> {tripy.name = "qc"}, tensor<4x3xf32> {tripy.name = "dc"},
    tensor<4x3xi4> {tripy.name = "qb"}, tensor<4x3xf32> {tripy.name = "db"},
    tensor<3x5xi4> {tripy.name = "v"}) {
  %s = trace.constant dense<1.0> : tensor<f32>
  %c = trace.constant dense<[2.0, 0.5, 1.0]> : tensor<3xf32>
  %b = trace.constant dense<[[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]> : tensor<2x3xf32>
  %q = trace.quantize %x, %s to i4 : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xi4>
  %d = trace.dequantize %q, %s : (tensor<4x3xi4>, tensor<f32>) -> tensor<4x3xf32>
  %qc = trace.quantize %x, %c to i4 dim = 1 : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xi4>
  %dc = trace.dequantize %qc, %c dim = 1 : (tensor<4x3xi4>, tensor<3xf32>) -> tensor<4x3xf32>
  %qb = trace.quantize %x, %b to i4 : (tensor<4x3xf32>, tensor<2x3xf32>) -> tensor<4x3xi4>
  %db = trace.dequantize %qb, %b : (tensor<4x3xi4>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %q, %d, %qc, %dc, %qb, %db, %w : tensor<4x3xi4>, tensor<4x3xf32>, tensor<4x3xi4>, tensor<4x3xf32>, tensor<4x3xi4>, tensor<4x3xf32>, tensor<3x5xi4>
}
