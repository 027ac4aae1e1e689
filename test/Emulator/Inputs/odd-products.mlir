// Products whose rows are odd numbers of 16-bit elements: tensors of odd and of
// even numbers of elements, each operand along K and across it.
func.func @main(%a: tensor<65x129xf16> {tripy.name = "a"}, %b: tensor<129x67xf16> {tripy.name = "b"},
                %c: tensor<2x63x77xf16> {tripy.name = "c"}, %d: tensor<2x31x63xf16> {tripy.name = "d"}) ->
    (tensor<65x67xf16> {tripy.name = "y"}, tensor<2x77x31xf16> {tripy.name = "z"}) {
  %y = trace.matmul %a, %b : (tensor<65x129xf16>, tensor<129x67xf16>) -> tensor<65x67xf16>
  %ct = trace.permute %c [0, 2, 1] : (tensor<2x63x77xf16>) -> tensor<2x77x63xf16>
  %dt = trace.permute %d [0, 2, 1] : (tensor<2x31x63xf16>) -> tensor<2x63x31xf16>
  %z = trace.matmul %ct, %dt : (tensor<2x77x63xf16>, tensor<2x63x31xf16>) -> tensor<2x77x31xf16>
  return %y, %z : tensor<65x67xf16>, tensor<2x77x31xf16>
}
