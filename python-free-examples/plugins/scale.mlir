// exp(x) * 0.5 + 1, where the product is the user's own kernel: PTX on a GPU, a
// function in C on the CPU.
tripy.plugin @scale : (tensor<?x?xf32>) -> tensor<?x?xf32> parameters ["factor"] : [f32]
    sources [#tripy.plugin_source<ptx "scale_f32" file = "scale.ptx" block = [256, 1, 1]
               arguments = ["operand 0", "result 0", "number 0 as i32", "parameter factor"]>,
             #tripy.plugin_source<c "scale" library = "libscale.so">] {
^bb0(%rows: index, %columns: index):
  %one = arith.constant 1 : index
  %threads = arith.constant 256 : index
  %count = arith.muli %rows, %columns : index
  %blocks = arith.ceildivsi %count, %threads : index
  tripy.plugin_sizes results(%rows, %columns) grid(%blocks, %one, %one) numbers(%count)
}

func.func @main(%x: tensor<?x3xf32> {tripy.name = "x", tripy.profile = #tripy.profile<min = [0, 3], opt = [2, 3], max = [1000, 3]>})
    -> (tensor<?x3xf32> {tripy.name = "y"}) {
  %e = trace.exp %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %s = trace.plugin @scale(%e) parameters {factor = 0.5 : f32} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %one = trace.constant dense<1.0> : tensor<f32>
  %y = trace.add %s, %one : (tensor<?x3xf32>, tensor<f32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
