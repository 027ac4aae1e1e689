// Dimensions that lie apart, a dynamic one in front of the last: vectors of what divides the last ones in any case.
func.func @main(%a: tensor<4x5x?x44xf32> {tripy.name = "a", tripy.profile = #tripy.profile<min = [4, 5, 1, 44], opt = [4, 5, 44, 44], max = [4, 5, 88, 44]>},
                %b: tensor<3x?x6xf16> {tripy.name = "b", tripy.profile = #tripy.profile<min = [3, 1, 6], opt = [3, 500, 6], max = [3, 900, 6]>})
    -> (tensor<5xf32> {tripy.name = "y"}, tensor<?x6xf16> {tripy.name = "z"}) {
  %y = trace.sum %a dims = [0, 2, 3] : (tensor<4x5x?x44xf32>) -> tensor<5xf32>
  %z = trace.max %b dims = [0] : (tensor<3x?x6xf16>) -> tensor<?x6xf16>
  return %y, %z : tensor<5xf32>, tensor<?x6xf16>
}
