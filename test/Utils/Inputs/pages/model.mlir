func.func @main(%x: tensor<?x128xf32> {tripy.profile = #tripy.profile<min = [1, 128], opt = [8, 128], max = [16, 128]>}, %w: tensor<128x128xf32> {tripy.parameter}) -> tensor<?x128xf32> {
  %0 = trace.matmul %x, %w : (tensor<?x128xf32>, tensor<128x128xf32>) -> tensor<?x128xf32>
  %y = trace.gelu %0 : (tensor<?x128xf32>) -> tensor<?x128xf32>
  return %y : tensor<?x128xf32>
}
