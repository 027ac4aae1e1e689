// What a level's text must carry: calls, sizes as inputs, weights, constants that no decimal number is, resources,
// contractions of several forms, kernels that are equal, results that are given twice, conditions on sizes.
func.func private @gate(%x: tensor<?x64xf16>, %w: tensor<64x64xf16>) -> tensor<?x64xf16> {
  %0 = trace.matmul %x, %w : (tensor<?x64xf16>, tensor<64x64xf16>) -> tensor<?x64xf16>
  %1 = trace.gelu %0 : (tensor<?x64xf16>) -> tensor<?x64xf16>
  return %1 : tensor<?x64xf16>
}
func.func @main(
    %x: tensor<?x64xf16> {tripy.name = "x", tripy.dims = ["rows", ""], tripy.profile = #tripy.profile<min = [1, 64], opt = [16, 64], max = [128, 64]>},
    %w: tensor<64x64xf16> {tripy.name = "layer/w", tripy.parameter},
    %n: index {tripy.name = "n", tripy.profile = #tripy.profile<min = [1], opt = [16], max = [128]>},
    %a: tensor<4x2xf32> {tripy.name = "a"}, %b: tensor<2x4xf32> {tripy.name = "b"})
    -> (tensor<4x2xf32>, tensor<2x4xf32>, tensor<?x64xf16> {tripy.name = "first"}, tensor<?x64xf16>, tensor<?xf32>, tensor<3xf32>, tensor<?x64xf16>, tensor<?x64xf32>, tensor<?x64xf32>) {
  %0 = func.call @gate(%x, %w) : (tensor<?x64xf16>, tensor<64x64xf16>) -> tensor<?x64xf16>
  %1 = func.call @gate(%0, %w) : (tensor<?x64xf16>, tensor<64x64xf16>) -> tensor<?x64xf16>
  %odd = trace.constant dense<[0x7F800000, 0x7FC00001, 1.17549435e-38]> : tensor<3xf32>
  %add = trace.constant dense_resource<values> : tensor<3xf32>
  %2 = trace.add %odd, %add : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %3 = trace.iota [%n] dim = 0 dtype = f32 -> tensor<?xf32>
  %4 = trace.slice %1 [0, 0] to [%n, 64] by [1, 1] : (tensor<?x64xf16>) -> tensor<?x64xf16>
  %5 = trace.softmax %4 dim = 1 : (tensor<?x64xf16>) -> tensor<?x64xf16>
  %6 = trace.cast %0 to f32 : (tensor<?x64xf16>) -> tensor<?x64xf32>
  %7 = trace.cumsum %6 dim = 1 : (tensor<?x64xf32>) -> tensor<?x64xf32>
  %8 = trace.cast %1 to f32 : (tensor<?x64xf16>) -> tensor<?x64xf32>
  %9 = trace.cumsum %8 dim = 1 : (tensor<?x64xf32>) -> tensor<?x64xf32>
  %10 = trace.exp %a : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %11 = trace.exp %b : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %10, %11, %1, %1, %3, %2, %5, %7, %9 : tensor<4x2xf32>, tensor<2x4xf32>, tensor<?x64xf16>, tensor<?x64xf16>, tensor<?xf32>, tensor<3xf32>, tensor<?x64xf16>, tensor<?x64xf32>, tensor<?x64xf32>
}

{-#
  dialect_resources: {
    builtin: {
      values: "0x040000000000803F0000004000004040"
    }
  }
#-}
