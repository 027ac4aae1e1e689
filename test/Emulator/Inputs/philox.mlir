func.func @main(%k: tensor<i64> {tripy.name = "k"}, %l: tensor<i64> {tripy.name = "l"}, %h: tensor<i64> {tripy.name = "h"})
    -> (tensor<4xi64> {tripy.name = "words"}, tensor<2xi64> {tripy.name = "pairs"}, tensor<1x3xi64> {tripy.name = "others"}) {
  %0 = flatir.random_bits %k counter = %l, %h bits = 32 stride = 1 start = 0 sizes() : tensor<4xi64>
  %1 = flatir.random_bits %k counter = %l, %h bits = 64 stride = 1 start = 0 sizes() : tensor<2xi64>
  %2 = flatir.random_bits %k counter = %l, %h bits = 32 stride = 3 start = 1 sizes() : tensor<1x3xi64>
  return %0, %1, %2 : tensor<4xi64>, tensor<2xi64>, tensor<1x3xi64>
}
