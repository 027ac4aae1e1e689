// Products that a library computes: all types, transpositions and batches, a
// bias, and a chain of kernel, product, kernel, product.
func.func @main(%a16: tensor<24x40xf16> {tripy.name = "a16"},
    %b16: tensor<56x40xf16> {tripy.name = "b16"},
    %abf: tensor<2x24x40xbf16> {tripy.name = "abf"},
    %bbf: tensor<2x40x16xbf16> {tripy.name = "bbf"},
    %a32: tensor<40x24xf32> {tripy.name = "a32"},
    %b32: tensor<40x16xf32> {tripy.name = "b32"},
    %bias: tensor<16xf32> {tripy.name = "bias"},
    %a8: tensor<32x64xf8E4M3FN> {tripy.name = "a8"},
    %b8: tensor<48x64xf8E4M3FN> {tripy.name = "b8"})
    -> (tensor<24x56xf16> {tripy.name = "y0"},
    tensor<2x24x16xbf16> {tripy.name = "y1"},
    tensor<24x16xf32> {tripy.name = "y2"},
    tensor<32x48xf32> {tripy.name = "y3"},
    tensor<40x16xf32> {tripy.name = "y4"}) {
  %y0 = flatir.dot %a16, %b16 batch = [] x [] contract = [1] x [1] : (tensor<24x40xf16>, tensor<56x40xf16>) -> tensor<24x56xf16>
  %y1 = flatir.dot %abf, %bbf batch = [0] x [0] contract = [2] x [1] : (tensor<2x24x40xbf16>, tensor<2x40x16xbf16>) -> tensor<2x24x16xbf16>
  %product = flatir.dot %a32, %b32 batch = [] x [] contract = [0] x [0] : (tensor<40x24xf32>, tensor<40x16xf32>) -> tensor<24x16xf32>
  %rows = flatir.broadcast %bias dims = [1] sizes() : tensor<16xf32> -> tensor<24x16xf32>
  %y2 = flatir.add %product, %rows : tensor<24x16xf32>
  %y3 = flatir.dot %a8, %b8 batch = [] x [] contract = [1] x [1] : (tensor<32x64xf8E4M3FN>, tensor<48x64xf8E4M3FN>) -> tensor<32x48xf32>
  // A kernel that normalises rows stands between two products.
  %sums = flatir.reduce sum %y2 dims = [1] : tensor<24x16xf32> -> tensor<24xf32>
  %sum = flatir.broadcast %sums dims = [0] sizes() : tensor<24xf32> -> tensor<24x16xf32>
  %share = flatir.div %y2, %sum : tensor<24x16xf32>
  %soft = flatir.tanh %share : tensor<24x16xf32>
  %y4 = flatir.dot %a32, %soft batch = [] x [] contract = [1] x [0] allow_tf32 : (tensor<40x24xf32>, tensor<24x16xf32>) -> tensor<40x16xf32>
  return %y0, %y1, %y2, %y3, %y4 : tensor<24x56xf16>, tensor<2x24x16xbf16>, tensor<24x16xf32>, tensor<32x48xf32>, tensor<40x16xf32>
}
