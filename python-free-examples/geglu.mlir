// A GEGLU block (in_dim 2, out_dim 1): one linear layer makes x and the gate,
// the result is x * gelu(gate). The batch is 1 to 4 rows.
//
//   tripy-compile geglu.mlir -o geglu.tpx --target=cpu
//   tripy-run geglu.tpx --input x=ones:1x2 --device=cpu
func.func @main(%x: tensor<?x2xf32> {
      tripy.name = "x", tripy.dims = ["batch", ""],
      tripy.profile = #tripy.profile<min = [1, 2], opt = [1, 2], max = [4, 2]>
    }) -> tensor<?x1xf32> {
  %weight = trace.constant dense<[[0.0, 1.0], [2.0, 3.0]]> : tensor<2x2xf32>
  %bias = trace.constant dense<[0.0, 1.0]> : tensor<2xf32>
  %proj = trace.linear %x, %weight, %bias : (tensor<?x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  %value, %gate = trace.split %proj dim = -1 sizes = [1, 1] : (tensor<?x2xf32>) -> (tensor<?x1xf32>, tensor<?x1xf32>)
  %activated = trace.gelu %gate : (tensor<?x1xf32>) -> tensor<?x1xf32>
  %result = trace.mul %value, %activated : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
  return %result : tensor<?x1xf32>
}
