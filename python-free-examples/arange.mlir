// arange(5) + 1.5
func.func @main() -> tensor<5xf32> {
  %a = trace.iota [5] dim = 0 dtype = f32 -> tensor<5xf32>
  %b = trace.full [] value = 1.5 : f32 -> tensor<f32>
  %c = trace.add %a, %b : (tensor<5xf32>, tensor<f32>) -> tensor<5xf32>
  return %c : tensor<5xf32>
}
