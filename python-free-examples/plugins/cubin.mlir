// The kernel of scale.ptx as machine code, which ptxas makes:
//   ptxas -arch=sm_90 scale.ptx -o scale.cubin
tripy.plugin @scale : (tensor<?xf32>) -> tensor<?xf32> parameters ["factor"] : [f32]
    sources [#tripy.plugin_source<cubin "scale_f32" file = "scale.cubin" block = [256, 1, 1]
               arguments = ["operand 0", "result 0", "number 0 as i32", "parameter factor"]>] {
^bb0(%count: index):
  %one = arith.constant 1 : index
  %threads = arith.constant 256 : index
  %blocks = arith.ceildivsi %count, %threads : index
  tripy.plugin_sizes results(%count) grid(%blocks, %one, %one) numbers(%count)
}

func.func @main(%x: tensor<?xf32> {tripy.name = "x", tripy.profile = #tripy.profile<min = [0], opt = [8], max = [1000]>})
    -> (tensor<?xf32> {tripy.name = "y"}) {
  %y = trace.plugin @scale(%x) parameters {factor = 2.0 : f32} : (tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
