func.func @main(%x: tensor<3x5xi4>) -> (tensor<3x5xi4> {tripy.name = "y"}) {
  return %x : tensor<3x5xi4>
}
