func.func @main(%x: tensor<72x64xf16> {tripy.name = "x"}, %u: tensor<64x64xf16> {tripy.name = "u"},
    %v: tensor<64x64xf16> {tripy.name = "v"}, %a: tensor<72x64xf32> {tripy.name = "a"},
    %b: tensor<64x48xf32> {tripy.name = "b"})
    -> (tensor<72x64xf16> {tripy.name = "y"}, tensor<72x48xf32> {tripy.name = "z"}) {
  %0 = trace.linear %x, %u : (tensor<72x64xf16>, tensor<64x64xf16>) -> tensor<72x64xf16>
  %1 = trace.relu %0 : (tensor<72x64xf16>) -> tensor<72x64xf16>
  %y = trace.linear %1, %v : (tensor<72x64xf16>, tensor<64x64xf16>) -> tensor<72x64xf16>
  %z = trace.matmul %a, %b : (tensor<72x64xf32>, tensor<64x48xf32>) -> tensor<72x48xf32>
  return %y, %z : tensor<72x64xf16>, tensor<72x48xf32>
}
