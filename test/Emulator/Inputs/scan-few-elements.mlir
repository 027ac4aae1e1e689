//--- few.mlir
func.func @main(%a: tensor<5x?xf32> {tripy.name = "a", tripy.profile = #tripy.profile<min = [5, 0], opt = [5, 2], max = [5, 4]>})
    -> (tensor<5x?xf32> {tripy.name = "y"}) {
  %0 = trace.cumsum %a dim = 1 : (tensor<5x?xf32>) -> tensor<5x?xf32>
  return %0 : tensor<5x?xf32>
}

//--- none.mlir
func.func @main(%a: tensor<5x?xf32> {tripy.name = "a", tripy.profile = #tripy.profile<min = [5, 0], opt = [5, 0], max = [5, 0]>})
    -> (tensor<5x?xf32> {tripy.name = "y"}) {
  %0 = trace.cumsum %a dim = 1 : (tensor<5x?xf32>) -> tensor<5x?xf32>
  return %0 : tensor<5x?xf32>
}

//--- many.mlir
// 2,149,580,800 rows, which have no versions; a tile has the longest of them.
func.func @main(%a: tensor<?x?x?xf32> {tripy.name = "a", tripy.profile = #tripy.profile<min = [1, 1, 1], opt = [64, 32, 100], max = [65536, 32800, 120]>})
    -> (tensor<?x?x?xf32> {tripy.name = "y"}) {
  %0 = trace.cumsum %a dim = 2 : (tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}
