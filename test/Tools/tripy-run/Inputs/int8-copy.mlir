func.func @main(%x: tensor<3x5xi8>) -> (tensor<3x5xi8> {tripy.name = "y"}) {
  return %x : tensor<3x5xi8>
}
