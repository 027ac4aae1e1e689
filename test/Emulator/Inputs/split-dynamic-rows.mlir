// The first dimensions of a whole tensor are static, those of the chunks, and the last one is dynamic. Of the second, no
// dimension in front of a dynamic one is reduced. Of the third, the dimensions in front are too many: a part of them is.
func.func @main(%a: tensor<16x16x56x?xf16> {tripy.name = "a", tripy.profile = #tripy.profile<min = [16, 16, 56, 1], opt = [16, 16, 56, 70], max = [16, 16, 56, 80]>},
                %b: tensor<2x?x7xf32> {tripy.name = "b", tripy.profile = #tripy.profile<min = [2, 1, 7], opt = [2, 70000, 7], max = [2, 80000, 7]>},
                %c: tensor<64x512x7x?xf16> {tripy.name = "c", tripy.profile = #tripy.profile<min = [64, 512, 7, 1], opt = [64, 512, 7, 7], max = [64, 512, 7, 7]>})
    -> (tensor<f16> {tripy.name = "y"}, tensor<2xf32> {tripy.name = "z"}, tensor<f16> {tripy.name = "x"}) {
  %y = trace.mean %a dims = [0, 1, 2, 3] : (tensor<16x16x56x?xf16>) -> tensor<f16>
  %z = trace.sum %b dims = [1, 2] : (tensor<2x?x7xf32>) -> tensor<2xf32>
  %x = trace.max %c dims = [0, 1, 2, 3] : (tensor<64x512x7x?xf16>) -> tensor<f16>
  return %y, %z, %x : tensor<f16>, tensor<2xf32>, tensor<f16>
}
