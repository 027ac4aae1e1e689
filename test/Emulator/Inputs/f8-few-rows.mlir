func.func @main(%c: tensor<9x528xf8E4M3FN> {tripy.name="c"}, %b: tensor<272x528xf8E4M3FN> {tripy.name="b"}) -> (tensor<9x272xf16> {tripy.name="y"}) {
  %y = trace.linear %c, %b dtype = f16 : (tensor<9x528xf8E4M3FN>, tensor<272x528xf8E4M3FN>) -> tensor<9x272xf16>
  return %y : tensor<9x272xf16>
}
