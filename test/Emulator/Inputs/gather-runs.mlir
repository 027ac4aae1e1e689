// Gathers whose rows no vector divides: runs over the ends of rows. The last one has few elements, and narrow vectors.
func.func @main(%a: tensor<20x13x8xf16> {tripy.name = "a"}, %b: tensor<700x77xf16> {tripy.name = "b"}, %c: tensor<50x3xf32> {tripy.name = "c"},
                %i: tensor<3xi64> {tripy.name = "i"}, %j: tensor<?xi32> {tripy.name = "j", tripy.dims = ["n"], tripy.profile = #tripy.profile<min = [1], opt = [4001], max = [9000]>},
                %k: tensor<88xi64> {tripy.name = "k"})
    -> (tensor<20x13x3xf16> {tripy.name = "x"}, tensor<?x77xf16> {tripy.name = "y"}, tensor<50x88xf32> {tripy.name = "z"}) {
  %x = trace.gather %a, %i dim = 2 : (tensor<20x13x8xf16>, tensor<3xi64>) -> tensor<20x13x3xf16>
  %y = trace.gather %b, %j dim = 0 : (tensor<700x77xf16>, tensor<?xi32>) -> tensor<?x77xf16>
  %z = trace.gather %c, %k dim = 1 : (tensor<50x3xf32>, tensor<88xi64>) -> tensor<50x88xf32>
  return %x, %y, %z : tensor<20x13x3xf16>, tensor<?x77xf16>, tensor<50x88xf32>
}
