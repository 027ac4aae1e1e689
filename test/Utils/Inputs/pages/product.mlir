func.func @main(%x: tensor<128x64xf16>) -> tensor<128x64xf16> {
  %w = trace.iota [64, 64] dim = 0 dtype = f32 -> tensor<64x64xf32>
  %s = trace.full [] value = 0.01 : f32 -> tensor<f32>
  %v = trace.mul %w, %s : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %h = trace.cast %v to f16 : (tensor<64x64xf32>) -> tensor<64x64xf16>
  %y = trace.matmul %x, %h : (tensor<128x64xf16>, tensor<64x64xf16>) -> tensor<128x64xf16>
  return %y : tensor<128x64xf16>
}
