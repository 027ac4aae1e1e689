// Few long rows and dimensions that lie apart: chunks, or one dimension, and then their results. Rows of 150003 columns have
// chunks whose rows are no multiple of a vector.
func.func @main(%a: tensor<500x600xf16> {tripy.name = "a"}, %b: tensor<3x150003xi32> {tripy.name = "b"}, %c: tensor<40x30x120xf32> {tripy.name = "c"})
    -> (tensor<f16> {tripy.name = "v"}, tensor<3xi32> {tripy.name = "w"}, tensor<3xi32> {tripy.name = "x"}, tensor<30xf32> {tripy.name = "y"},
        tensor<i1> {tripy.name = "z"}) {
  %v = trace.mean %a dims = [0, 1] : (tensor<500x600xf16>) -> tensor<f16>
  %w = trace.argmax %b dim = 1 : (tensor<3x150003xi32>) -> tensor<3xi32>
  %x = trace.sum %b dims = [1] : (tensor<3x150003xi32>) -> tensor<3xi32>
  %y = trace.max %c dims = [0, 2] : (tensor<40x30x120xf32>) -> tensor<30xf32>
  %0 = trace.le %b, %b : (tensor<3x150003xi32>, tensor<3x150003xi32>) -> tensor<3x150003xi1>
  %z = trace.all %0 dims = [0, 1] : (tensor<3x150003xi1>) -> tensor<i1>
  return %v, %w, %x, %y, %z : tensor<f16>, tensor<3xi32>, tensor<3xi32>, tensor<30xf32>, tensor<i1>
}
