// Reductions of many rows: chunks of them, and then their results. The first
// has rows of 601 columns, which are no multiple of a vector.
func.func @main(%a: tensor<2x3752x601xi32> {tripy.name = "a"}, %b: tensor<8448x1000xf16> {tripy.name = "b"})
    -> (tensor<2x601xi32> {tripy.name = "x"}, tensor<1000xf16> {tripy.name = "y"}) {
  %0 = trace.abs %a : (tensor<2x3752x601xi32>) -> tensor<2x3752x601xi32>
  %1 = trace.sum %0 dims = [1] : (tensor<2x3752x601xi32>) -> tensor<2x601xi32>
  %x = trace.neg %1 : (tensor<2x601xi32>) -> tensor<2x601xi32>
  %y = trace.var %b dims = [0] correction = 0 : (tensor<8448x1000xf16>) -> tensor<1000xf16>
  return %x, %y : tensor<2x601xi32>, tensor<1000xf16>
}
