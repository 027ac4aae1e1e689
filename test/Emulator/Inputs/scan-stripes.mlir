// Few long columns, whose parts are of several blocks: sizes known at run time only, stripes that are not whole, words of 8
// bytes for a sum, two columns of a thread, and what is computed in front of and behind the sums.
func.func @main(%a: tensor<?x?x33xf16> {tripy.name = "a", tripy.dims = ["m", "n", ""],
    tripy.profile = #tripy.profile<min = [0, 0, 33], opt = [3, 1000, 33], max = [700, 100000, 33]>}, %b: tensor<1000x40xi64> {tripy.name = "b"},
                %c: tensor<2x600x200xf16> {tripy.name = "c"}, %d: tensor<2x515x3x10xf32> {tripy.name = "d"}, %e: tensor<256x1280xbf16> {tripy.name = "e"})
    -> (tensor<?x?x33xf16> {tripy.name = "v"}, tensor<1000x40xi64> {tripy.name = "w"}, tensor<2x600x200xf16> {tripy.name = "x"},
        tensor<2x515x3x10xf32> {tripy.name = "y"}, tensor<256x1280xbf16> {tripy.name = "z"}) {
  %v = trace.cumsum %a dim = 1 : (tensor<?x?x33xf16>) -> tensor<?x?x33xf16>
  %w = trace.cumsum %b dim = 0 : (tensor<1000x40xi64>) -> tensor<1000x40xi64>
  %x = trace.cumsum %c dim = 1 : (tensor<2x600x200xf16>) -> tensor<2x600x200xf16>
  %0 = trace.abs %d : (tensor<2x515x3x10xf32>) -> tensor<2x515x3x10xf32>
  %1 = trace.cumsum %0 dim = 1 : (tensor<2x515x3x10xf32>) -> tensor<2x515x3x10xf32>
  %y = trace.sub %1, %d : (tensor<2x515x3x10xf32>, tensor<2x515x3x10xf32>) -> tensor<2x515x3x10xf32>
  %z = trace.cumsum %e dim = 0 : (tensor<256x1280xbf16>) -> tensor<256x1280xbf16>
  return %v, %w, %x, %y, %z : tensor<?x?x33xf16>, tensor<1000x40xi64>, tensor<2x600x200xf16>, tensor<2x515x3x10xf32>, tensor<256x1280xbf16>
}
