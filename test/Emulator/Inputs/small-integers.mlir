// Indices, sums, functions and empty reductions of small integers; the values behind
// the results are computed by hand.
func.func @main(%u: tensor<3xui8> {tripy.name="u"}, %i: tensor<3xi8> {tripy.name="i"}, %s: tensor<3xi8> {tripy.name="s"}) -> (tensor<3xf64>, tensor<3xf32>, tensor<i8>, tensor<3xui8>, tensor<3xi8>, tensor<3xi8>, tensor<ui8>, tensor<3xui8>) {
  %x = trace.iota [300] dim = 0 dtype = f64 -> tensor<300xf64>
  %y = trace.iota [300] dim = 0 dtype = f32 -> tensor<300xf32>
  %0 = trace.gather %x, %u dim = 0 : (tensor<300xf64>, tensor<3xui8>) -> tensor<3xf64>
  %1 = trace.gather %y, %i dim = 0 : (tensor<300xf32>, tensor<3xi8>) -> tensor<3xf32>
  %2 = trace.prod %i dims = [] : (tensor<3xi8>) -> tensor<i8>
  %3 = trace.cumsum %u dim = 0 : (tensor<3xui8>) -> tensor<3xui8>
  %4 = trace.sigmoid %s : (tensor<3xi8>) -> tensor<3xi8>
  %5 = trace.tanh %s : (tensor<3xi8>) -> tensor<3xi8>
  %m = trace.slice %u [0] to [0] by [1] : (tensor<3xui8>) -> tensor<0xui8>
  %6 = trace.min %m dims = [] : (tensor<0xui8>) -> tensor<ui8>
  %7 = trace.relu %u : (tensor<3xui8>) -> tensor<3xui8>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<3xf64>, tensor<3xf32>, tensor<i8>, tensor<3xui8>, tensor<3xi8>, tensor<3xi8>, tensor<ui8>, tensor<3xui8>
}
