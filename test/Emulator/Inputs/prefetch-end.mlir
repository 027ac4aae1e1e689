func.func @main(%a: tensor<33x17xi64>, %z: tensor<33x17xi64>) -> tensor<33xi64> {
  %v1 = trace.constant dense<0> : tensor<i64>
  %zz = trace.cumsum %z dim = 1 : (tensor<33x17xi64>) -> tensor<33x17xi64>
  %v2 = trace.ne %zz, %v1 : (tensor<33x17xi64>, tensor<i64>) -> tensor<33x17xi1>
  %v11 = trace.iota [1, 17] dim = 1 dtype = i64 -> tensor<1x17xi64>
  %v12 = trace.full [] value = -1 : i64 -> tensor<i64>
  %v13 = trace.where %v2, %v11, %v12 : (tensor<33x17xi1>, tensor<1x17xi64>, tensor<i64>) -> tensor<33x17xi64>
  %v14 = trace.max %v13 dims = [1] : (tensor<33x17xi64>) -> tensor<33xi64>
  return %v14 : tensor<33xi64>
}
