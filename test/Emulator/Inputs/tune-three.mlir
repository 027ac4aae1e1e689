func.func @main(%x: tensor<3072x64xf16> {tripy.name = "x"}, %w: tensor<768x64xf16> {tripy.name = "w"}) -> (tensor<3072x768xf16> {tripy.name = "y"}) {
  %y = trace.linear %x, %w : (tensor<3072x64xf16>, tensor<768x64xf16>) -> tensor<3072x768xf16>
  return %y : tensor<3072x768xf16>
}
