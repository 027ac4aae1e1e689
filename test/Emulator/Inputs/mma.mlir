// Contractions of parts of buffers, in all transpositions. The rows of the buffers
// are multiples of 16 bytes; the parts end within 16 bytes, in K, rows and columns.
func.func @main(%x_f16: tensor<160x160xf16> {tripy.name = "x_f16"},
    %x_bf16: tensor<160x160xbf16> {tripy.name = "x_bf16"},
    %x_f32: tensor<160x160xf32> {tripy.name = "x_f32"},
    %x_f8E4M3FN: tensor<160x160xf8E4M3FN> {tripy.name = "x_f8E4M3FN"})
    -> (tensor<67x133xf16> {tripy.name = "y0"},
    tensor<67x133xf16> {tripy.name = "y1"},
    tensor<68x133xf16> {tripy.name = "y2"},
    tensor<68x133xf16> {tripy.name = "y3"},
    tensor<67x75xbf16> {tripy.name = "y4"},
    tensor<67x75xf32> {tripy.name = "y5"},
    tensor<67x75xf32> {tripy.name = "y6"},
    tensor<67x75xf32> {tripy.name = "y7"},
    tensor<67x75xf32> {tripy.name = "y8"}) {
  %a0 = flatir.slice %x_f16 [2, 16] strides = [1, 1] sizes() : tensor<160x160xf16> -> tensor<67x101xf16>
  %b0 = flatir.slice %x_f16 [1, 0] strides = [1, 1] sizes() : tensor<160x160xf16> -> tensor<101x133xf16>
  %y0 = flatir.dot %a0, %b0 batch = [] x [] contract = [1] x [0] : (tensor<67x101xf16>, tensor<101x133xf16>) -> tensor<67x133xf16>
  %a1 = flatir.slice %x_f16 [2, 16] strides = [1, 1] sizes() : tensor<160x160xf16> -> tensor<67x103xf16>
  %b1 = flatir.slice %x_f16 [1, 0] strides = [1, 1] sizes() : tensor<160x160xf16> -> tensor<133x103xf16>
  %y1 = flatir.dot %a1, %b1 batch = [] x [] contract = [1] x [1] : (tensor<67x103xf16>, tensor<133x103xf16>) -> tensor<67x133xf16>
  %a2 = flatir.slice %x_f16 [2, 16] strides = [1, 1] sizes() : tensor<160x160xf16> -> tensor<101x68xf16>
  %b2 = flatir.slice %x_f16 [1, 0] strides = [1, 1] sizes() : tensor<160x160xf16> -> tensor<101x133xf16>
  %y2 = flatir.dot %a2, %b2 batch = [] x [] contract = [0] x [0] : (tensor<101x68xf16>, tensor<101x133xf16>) -> tensor<68x133xf16>
  %a3 = flatir.slice %x_f16 [2, 16] strides = [1, 1] sizes() : tensor<160x160xf16> -> tensor<103x68xf16>
  %b3 = flatir.slice %x_f16 [1, 0] strides = [1, 1] sizes() : tensor<160x160xf16> -> tensor<133x103xf16>
  %y3 = flatir.dot %a3, %b3 batch = [] x [] contract = [0] x [1] : (tensor<103x68xf16>, tensor<133x103xf16>) -> tensor<68x133xf16>
  %a4 = flatir.slice %x_bf16 [2, 16] strides = [1, 1] sizes() : tensor<160x160xbf16> -> tensor<101x67xbf16>
  %b4 = flatir.slice %x_bf16 [1, 0] strides = [1, 1] sizes() : tensor<160x160xbf16> -> tensor<75x101xbf16>
  %y4 = flatir.dot %a4, %b4 batch = [] x [] contract = [0] x [1] : (tensor<101x67xbf16>, tensor<75x101xbf16>) -> tensor<67x75xbf16>
  %a5 = flatir.slice %x_f32 [2, 16] strides = [1, 1] sizes() : tensor<160x160xf32> -> tensor<67x101xf32>
  %b5 = flatir.slice %x_f32 [1, 0] strides = [1, 1] sizes() : tensor<160x160xf32> -> tensor<75x101xf32>
  %y5 = flatir.dot %a5, %b5 batch = [] x [] contract = [1] x [1] allow_tf32 : (tensor<67x101xf32>, tensor<75x101xf32>) -> tensor<67x75xf32>
  %a6 = flatir.slice %x_f32 [2, 16] strides = [1, 1] sizes() : tensor<160x160xf32> -> tensor<101x67xf32>
  %b6 = flatir.slice %x_f32 [1, 0] strides = [1, 1] sizes() : tensor<160x160xf32> -> tensor<101x75xf32>
  %y6 = flatir.dot %a6, %b6 batch = [] x [] contract = [0] x [0] allow_tf32 : (tensor<101x67xf32>, tensor<101x75xf32>) -> tensor<67x75xf32>
  %a7 = flatir.slice %x_f8E4M3FN [2, 16] strides = [1, 1] sizes() : tensor<160x160xf8E4M3FN> -> tensor<67x101xf8E4M3FN>
  %b7 = flatir.slice %x_f8E4M3FN [1, 0] strides = [1, 1] sizes() : tensor<160x160xf8E4M3FN> -> tensor<75x101xf8E4M3FN>
  %y7 = flatir.dot %a7, %b7 batch = [] x [] contract = [1] x [1] : (tensor<67x101xf8E4M3FN>, tensor<75x101xf8E4M3FN>) -> tensor<67x75xf32>
  %a8 = flatir.slice %x_f8E4M3FN [2, 16] strides = [1, 1] sizes() : tensor<160x160xf8E4M3FN> -> tensor<101x67xf8E4M3FN>
  %b8 = flatir.slice %x_f8E4M3FN [1, 0] strides = [1, 1] sizes() : tensor<160x160xf8E4M3FN> -> tensor<101x75xf8E4M3FN>
  %y8 = flatir.dot %a8, %b8 batch = [] x [] contract = [0] x [0] : (tensor<101x67xf8E4M3FN>, tensor<101x75xf8E4M3FN>) -> tensor<67x75xf32>
  return %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7, %y8 : tensor<67x133xf16>, tensor<67x133xf16>, tensor<68x133xf16>, tensor<68x133xf16>, tensor<67x75xbf16>, tensor<67x75xf32>, tensor<67x75xf32>, tensor<67x75xf32>, tensor<67x75xf32>
}
