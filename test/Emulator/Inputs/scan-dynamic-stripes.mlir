// Few long columns whose number is known at run time only: of one size, of a known and an unknown size, and of which whole
// vectors are known, between sets of columns; words of 8 bytes for a sum, and what is computed in front of and behind the sums.
func.func @main(%a: tensor<?x?xf16> {tripy.name = "a", tripy.dims = ["m", "n"], tripy.profile = #tripy.profile<min = [0, 0], opt = [1000, 200], max = [5000, 20000]>},
                %b: tensor<?x600x3x?xf32> {tripy.name = "b", tripy.dims = ["k", "", "", "n"], tripy.profile = #tripy.profile<min = [0, 600, 3, 0], opt = [2, 600, 3, 200], max = [300, 600, 3, 20000]>},
                %c: tensor<515x?x20xbf16> {tripy.name = "c", tripy.dims = ["", "k", ""], tripy.profile = #tripy.profile<min = [515, 0, 20], opt = [515, 2, 20], max = [515, 300, 20]>},
                %d: tensor<?x?xi64> {tripy.name = "d", tripy.dims = ["m", "n"], tripy.profile = #tripy.profile<min = [0, 0], opt = [1000, 200], max = [5000, 20000]>})
    -> (tensor<?x?xf16> {tripy.name = "w"}, tensor<?x600x3x?xf32> {tripy.name = "x"}, tensor<515x?x20xbf16> {tripy.name = "y"}, tensor<?x?xi64> {tripy.name = "z"}) {
  %w = trace.cumsum %a dim = 0 : (tensor<?x?xf16>) -> tensor<?x?xf16>
  %0 = trace.abs %b : (tensor<?x600x3x?xf32>) -> tensor<?x600x3x?xf32>
  %1 = trace.cumsum %0 dim = 1 : (tensor<?x600x3x?xf32>) -> tensor<?x600x3x?xf32>
  %x = trace.sub %1, %b : (tensor<?x600x3x?xf32>, tensor<?x600x3x?xf32>) -> tensor<?x600x3x?xf32>
  %y = trace.cumsum %c dim = 0 : (tensor<515x?x20xbf16>) -> tensor<515x?x20xbf16>
  %z = trace.cumsum %d dim = 0 : (tensor<?x?xi64>) -> tensor<?x?xi64>
  return %w, %x, %y, %z : tensor<?x?xf16>, tensor<?x600x3x?xf32>, tensor<515x?x20xbf16>, tensor<?x?xi64>
}
