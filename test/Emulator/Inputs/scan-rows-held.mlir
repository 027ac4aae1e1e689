// Rows in the registers of a warp or of half of it: whole vectors, narrower ones, rows that begin within vectors, and as many
// as are known at run time only; what is computed in front of and behind the sums, and what cannot be read as runs.
func.func @main(%a: tensor<?x473xf16> {tripy.name = "a", tripy.dims = ["m", ""], tripy.profile = #tripy.profile<min = [0, 473], opt = [3000, 473], max = [9000, 473]>},
                %b: tensor<3x7x384xbf16> {tripy.name = "b"}, %c: tensor<19x301xi64> {tripy.name = "c"}, %d: tensor<21x1001xf32> {tripy.name = "d"},
                %e: tensor<37x300xi32> {tripy.name = "e"}, %f: tensor<259x21xf32> {tripy.name = "f"}, %g: tensor<33x520xf16> {tripy.name = "g"})
    -> (tensor<?x473xf16> {tripy.name = "t"}, tensor<3x7x384xbf16> {tripy.name = "u"}, tensor<19x301xi64> {tripy.name = "v"}, tensor<21x1001xf32> {tripy.name = "w"},
        tensor<37x300xi32> {tripy.name = "x"}, tensor<21x259xf32> {tripy.name = "y"}, tensor<33x515xf16> {tripy.name = "z"}) {
  %t = trace.cumsum %a dim = 1 : (tensor<?x473xf16>) -> tensor<?x473xf16>
  %u = trace.cumsum %b dim = 2 : (tensor<3x7x384xbf16>) -> tensor<3x7x384xbf16>
  %v = trace.cumsum %c dim = 1 : (tensor<19x301xi64>) -> tensor<19x301xi64>
  %0 = trace.abs %d : (tensor<21x1001xf32>) -> tensor<21x1001xf32>
  %1 = trace.cumsum %0 dim = 1 : (tensor<21x1001xf32>) -> tensor<21x1001xf32>
  %w = trace.sub %1, %d : (tensor<21x1001xf32>, tensor<21x1001xf32>) -> tensor<21x1001xf32>
  %x = trace.cumsum %e dim = 1 : (tensor<37x300xi32>) -> tensor<37x300xi32>
  %2 = trace.permute %f [1, 0] : (tensor<259x21xf32>) -> tensor<21x259xf32>
  %y = trace.cumsum %2 dim = 1 : (tensor<21x259xf32>) -> tensor<21x259xf32>
  %3 = trace.slice %g [0, 0] to [33, 515] by [1, 1] : (tensor<33x520xf16>) -> tensor<33x515xf16>
  %z = trace.cumsum %3 dim = 1 : (tensor<33x515xf16>) -> tensor<33x515xf16>
  return %t, %u, %v, %w, %x, %y, %z : tensor<?x473xf16>, tensor<3x7x384xbf16>, tensor<19x301xi64>, tensor<21x1001xf32>, tensor<37x300xi32>, tensor<21x259xf32>, tensor<33x515xf16>
}
