// Running sums of rows whose length is known at run time only: two rows in a
// warp (t), steps of several vectors (u), 64 bits (v), and work before and
// after (w).
func.func @main(%a: tensor<?x?xbf16> {tripy.name = "a", tripy.dims = ["m", "n"], tripy.profile = #tripy.profile<min = [0, 0], opt = [40, 320], max = [60, 2048]>},
    %b: tensor<7x?xf32> {tripy.name = "b", tripy.dims = ["", "k"], tripy.profile = #tripy.profile<min = [7, 0], opt = [7, 1000], max = [7, 2048]>},
    %c: tensor<?x?xi64> {tripy.name = "c", tripy.dims = ["m", "n"], tripy.profile = #tripy.profile<min = [0, 0], opt = [40, 320], max = [60, 2048]>})
    -> (tensor<?x?xbf16> {tripy.name = "t"}, tensor<7x?xf32> {tripy.name = "u"}, tensor<?x?xi64> {tripy.name = "v"}, tensor<7x?xf32> {tripy.name = "w"}) {
  %t = trace.cumsum %a dim = 1 : (tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %u = trace.cumsum %b dim = 1 : (tensor<7x?xf32>) -> tensor<7x?xf32>
  %v = trace.cumsum %c dim = 1 : (tensor<?x?xi64>) -> tensor<?x?xi64>
  %r = trace.relu %b : (tensor<7x?xf32>) -> tensor<7x?xf32>
  %s = trace.cumsum %r dim = 1 : (tensor<7x?xf32>) -> tensor<7x?xf32>
  %w = trace.add %s, %b : (tensor<7x?xf32>, tensor<7x?xf32>) -> tensor<7x?xf32>
  return %t, %u, %v, %w : tensor<?x?xbf16>, tensor<7x?xf32>, tensor<?x?xi64>, tensor<7x?xf32>
}
