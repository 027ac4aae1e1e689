// Few long rows, whose parts are of several blocks: of columns that are no multiple of a vector, or of a part.
func.func @main(%a: tensor<3x10001xi32> {tripy.name = "a"}, %b: tensor<1x33000xf16> {tripy.name = "b"})
    -> (tensor<3x10001xi32> {tripy.name = "x"}, tensor<1x33000xf16> {tripy.name = "y"}) {
  %x = trace.cumsum %a dim = 1 : (tensor<3x10001xi32>) -> tensor<3x10001xi32>
  %y = trace.cumsum %b dim = 1 : (tensor<1x33000xf16>) -> tensor<1x33000xf16>
  return %x, %y : tensor<3x10001xi32>, tensor<1x33000xf16>
}
