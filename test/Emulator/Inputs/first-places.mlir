// First places of extremes: of rows that begin within vectors, of rows that share a warp, of a length that is known at run
// time only, and of integers.
func.func @main(%a: tensor<140x3001xf16> {tripy.name = "a"}, %b: tensor<?x?xf16> {tripy.name = "b", tripy.dims = ["m", "n"],
                    tripy.profile = #tripy.profile<min = [1, 1], opt = [5000, 197], max = [9000, 5000]>},
                %c: tensor<133x2051xf32> {tripy.name = "c"}, %d: tensor<140x2500xi8> {tripy.name = "d"})
    -> (tensor<140xi32> {tripy.name = "amax"}, tensor<140xi32> {tripy.name = "amin"}, tensor<?xi32> {tripy.name = "bmax"},
        tensor<133xi32> {tripy.name = "cmin"}, tensor<140xi32> {tripy.name = "dmax"}) {
  %0 = trace.argmax %a dim = -1 : (tensor<140x3001xf16>) -> tensor<140xi32>
  %1 = trace.argmin %a dim = -1 : (tensor<140x3001xf16>) -> tensor<140xi32>
  %2 = trace.argmax %b dim = -1 : (tensor<?x?xf16>) -> tensor<?xi32>
  %3 = trace.argmin %c dim = -1 : (tensor<133x2051xf32>) -> tensor<133xi32>
  %4 = trace.argmax %d dim = -1 : (tensor<140x2500xi8>) -> tensor<140xi32>
  return %0, %1, %2, %3, %4 : tensor<140xi32>, tensor<140xi32>, tensor<?xi32>, tensor<133xi32>, tensor<140xi32>
}
