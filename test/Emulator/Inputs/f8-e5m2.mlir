func.func @main(%x: tensor<96x528xf8E5M2> {tripy.name="x"}, %w: tensor<272x528xf8E5M2> {tripy.name="w"}) -> (tensor<96x272xf16> {tripy.name="y"}) {
  %y = trace.linear %x, %w dtype = f16 : (tensor<96x528xf8E5M2>, tensor<272x528xf8E5M2>) -> tensor<96x272xf16>
  return %y : tensor<96x272xf16>
}
