// A left operand that is computed within the contraction's kernel. K is no
// multiple of a k-block, and the function of zero is not zero.
func.func @main(%x: tensor<2x260x328xDTYPE> {tripy.name = "x"}, %s: tensor<2x260x1xDTYPE> {tripy.name = "s"},
    %g: tensor<328xDTYPE> {tripy.name = "g"}, %w: tensor<104x328xDTYPE> {tripy.name = "w"},
    %v: tensor<104x328xDTYPE> {tripy.name = "v"}) -> (tensor<2x260x104xDTYPE> {tripy.name = "y"}) {
  %0 = trace.mul %x, %s : (tensor<2x260x328xDTYPE>, tensor<2x260x1xDTYPE>) -> tensor<2x260x328xDTYPE>
  %1 = trace.add %0, %g : (tensor<2x260x328xDTYPE>, tensor<328xDTYPE>) -> tensor<2x260x328xDTYPE>
  %2 = trace.silu %1 : (tensor<2x260x328xDTYPE>) -> tensor<2x260x328xDTYPE>
  %a = trace.cos %2 : (tensor<2x260x328xDTYPE>) -> tensor<2x260x328xDTYPE>
  %3 = trace.linear %a, %w : (tensor<2x260x328xDTYPE>, tensor<104x328xDTYPE>) -> tensor<2x260x104xDTYPE>
  %4 = trace.linear %a, %v : (tensor<2x260x328xDTYPE>, tensor<104x328xDTYPE>) -> tensor<2x260x104xDTYPE>
  %y = trace.mul %3, %4 : (tensor<2x260x104xDTYPE>, tensor<2x260x104xDTYPE>) -> tensor<2x260x104xDTYPE>
  return %y : tensor<2x260x104xDTYPE>
}
