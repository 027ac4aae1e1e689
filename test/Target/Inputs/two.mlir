func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = trace.exp %x : (tensor<1024xf32>) -> tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
func.func @other(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = trace.sin %x : (tensor<1024xf32>) -> tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
