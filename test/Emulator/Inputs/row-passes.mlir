// Reductions of one input in one pass, and one that needs another's result; rows of any length.
func.func @main(%x: tensor<5x?xf32> {tripy.name = "x", tripy.dims = ["", "n"],
    tripy.profile = #tripy.profile<min = [5, 1], opt = [5, 30011], max = [5, 60000]>})
    -> (tensor<5xf32> {tripy.name = "a"}, tensor<5xf32> {tripy.name = "b"}, tensor<5xf32> {tripy.name = "c"}, tensor<5xf32> {tripy.name = "d"}) {
  %a = trace.sum %x dims = [1] : (tensor<5x?xf32>) -> tensor<5xf32>
  %s = trace.mul %x, %x : (tensor<5x?xf32>, tensor<5x?xf32>) -> tensor<5x?xf32>
  %b = trace.sum %s dims = [1] : (tensor<5x?xf32>) -> tensor<5xf32>
  %m = trace.max %x dims = [1] keepdim : (tensor<5x?xf32>) -> tensor<5x1xf32>
  %t = trace.sub %x, %m : (tensor<5x?xf32>, tensor<5x1xf32>) -> tensor<5x?xf32>
  %c = trace.min %t dims = [1] : (tensor<5x?xf32>) -> tensor<5xf32>
  %u = trace.silu %x : (tensor<5x?xf32>) -> tensor<5x?xf32>
  %d = trace.sum %u dims = [1] : (tensor<5x?xf32>) -> tensor<5xf32>
  return %a, %b, %c, %d : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}
