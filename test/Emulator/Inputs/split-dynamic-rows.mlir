// The first dimensions of a whole tensor are static, those of the chunks, and the last one is dynamic. Of the second, no
// dimension in front of a dynamic one is reduced.
func.func @main(%a: tensor<16x64x14x?xf16> {tripy.name = "a", tripy.profile = #tripy.profile<min = [16, 64, 14, 1], opt = [16, 64, 14, 70], max = [16, 64, 14, 80]>},
                %b: tensor<2x?x7xf32> {tripy.name = "b", tripy.profile = #tripy.profile<min = [2, 1, 7], opt = [2, 70000, 7], max = [2, 80000, 7]>})
    -> (tensor<f16> {tripy.name = "y"}, tensor<2xf32> {tripy.name = "z"}) {
  %y = trace.mean %a dims = [0, 1, 2, 3] : (tensor<16x64x14x?xf16>) -> tensor<f16>
  %z = trace.sum %b dims = [1, 2] : (tensor<2x?x7xf32>) -> tensor<2xf32>
  return %y, %z : tensor<f16>, tensor<2xf32>
}
