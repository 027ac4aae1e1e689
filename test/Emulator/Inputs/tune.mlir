func.func @main(%x: tensor<72x64xf16> {tripy.name = "x"}, %u: tensor<64x64xf16> {tripy.name = "u"},
    %v: tensor<64x64xf16> {tripy.name = "v"}, %w: tensor<64x192xf16> {tripy.name = "w"})
    -> (tensor<72x192xf16> {tripy.name = "y"}) {
  %0 = trace.linear %x, %u : (tensor<72x64xf16>, tensor<64x64xf16>) -> tensor<72x64xf16>
  %1 = trace.relu %0 : (tensor<72x64xf16>) -> tensor<72x64xf16>
  %2 = trace.linear %1, %v : (tensor<72x64xf16>, tensor<64x64xf16>) -> tensor<72x64xf16>
  %y = trace.matmul %2, %w : (tensor<72x64xf16>, tensor<64x192xf16>) -> tensor<72x192xf16>
  return %y : tensor<72x192xf16>
}
