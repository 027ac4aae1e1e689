// What the tests of errors change: SOURCE, SIZES and END.
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> parameters ["factor"] : [f32]
    sources [#tripy.plugin_source<SOURCE>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %b = arith.ceildivsi %n, %c256 : index
  SIZES
  tripy.plugin_sizes END
}
func.func @main(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [8], max = [1000000]>}) -> tensor<?xf32> {
  %y = trace.plugin @k(%x) parameters {factor = 2.0 : f32} : (tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
