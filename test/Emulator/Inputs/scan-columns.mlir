// Running sums along other dimensions than the last: of few columns, of more rows than a block takes at once, of fewer, and of
// an epilogue.
func.func @main(%a: tensor<300x5xf32> {tripy.name = "a"}, %b: tensor<2x3x40xi32> {tripy.name = "b"}, %c: tensor<?x33xf16> {tripy.name = "c", tripy.dims = ["n", ""],
    tripy.profile = #tripy.profile<min = [1, 33], opt = [100, 33], max = [1000, 33]>}, %d: tensor<2x70x1xf32> {tripy.name = "d"})
    -> (tensor<300x5xf32> {tripy.name = "w"}, tensor<2x3x40xi32> {tripy.name = "x"}, tensor<?x33xf16> {tripy.name = "y"}, tensor<2x70x1xf32> {tripy.name = "z"}) {
  %w0 = trace.cumsum %a dim = 0 : (tensor<300x5xf32>) -> tensor<300x5xf32>
  %w = trace.mul %w0, %a : (tensor<300x5xf32>, tensor<300x5xf32>) -> tensor<300x5xf32>
  %x = trace.cumsum %b dim = 1 : (tensor<2x3x40xi32>) -> tensor<2x3x40xi32>
  %y = trace.cumsum %c dim = 0 : (tensor<?x33xf16>) -> tensor<?x33xf16>
  %z = trace.cumsum %d dim = 1 : (tensor<2x70x1xf32>) -> tensor<2x70x1xf32>
  return %w, %x, %y, %z : tensor<300x5xf32>, tensor<2x3x40xi32>, tensor<?x33xf16>, tensor<2x70x1xf32>
}
