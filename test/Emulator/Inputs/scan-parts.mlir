// Few long rows of any length, whose parts are of several blocks: rows that begin within vectors, columns that lie
// together, words of 8 bytes for a sum, and what is computed in front of and behind the sums.
func.func @main(%a: tensor<?x?xf16> {tripy.name = "a", tripy.dims = ["m", "n"],
    tripy.profile = #tripy.profile<min = [0, 0], opt = [3, 30000], max = [700, 100000]>}, %b: tensor<1x20011x3xf16> {tripy.name = "b"},
                %c: tensor<10003xi64> {tripy.name = "c"}, %d: tensor<20011x3xf32> {tripy.name = "d"})
    -> (tensor<?x?xf16> {tripy.name = "w"}, tensor<1x20011x3xf16> {tripy.name = "x"}, tensor<10003xi64> {tripy.name = "y"},
        tensor<20011x3xf32> {tripy.name = "z"}) {
  %w = trace.cumsum %a dim = 1 : (tensor<?x?xf16>) -> tensor<?x?xf16>
  %x = trace.cumsum %b dim = 1 : (tensor<1x20011x3xf16>) -> tensor<1x20011x3xf16>
  %y = trace.cumsum %c dim = 0 : (tensor<10003xi64>) -> tensor<10003xi64>
  %0 = trace.abs %d : (tensor<20011x3xf32>) -> tensor<20011x3xf32>
  %1 = trace.cumsum %0 dim = 0 : (tensor<20011x3xf32>) -> tensor<20011x3xf32>
  %z = trace.neg %1 : (tensor<20011x3xf32>) -> tensor<20011x3xf32>
  return %w, %x, %y, %z : tensor<?x?xf16>, tensor<1x20011x3xf16>, tensor<10003xi64>, tensor<20011x3xf32>
}
