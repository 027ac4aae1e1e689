// How many of all quotients of two elements of i4 differ from those of i32 with 4 bits.
func.func @main(%eight: tensor<i32>) -> tensor<i32> {
  %rows = trace.iota [16, 1] dim = 0 dtype = i32 -> tensor<16x1xi32>
  %columns = trace.iota [1, 16] dim = 1 dtype = i32 -> tensor<1x16xi32>
  %x = trace.sub %rows, %eight : (tensor<16x1xi32>, tensor<i32>) -> tensor<16x1xi32>
  %y = trace.sub %columns, %eight : (tensor<1x16xi32>, tensor<i32>) -> tensor<1x16xi32>
  %wide = trace.floor_div %x, %y : (tensor<16x1xi32>, tensor<1x16xi32>) -> tensor<16x16xi32>
  %expected = trace.cast %wide to i4 : (tensor<16x16xi32>) -> tensor<16x16xi4>
  %x4 = trace.cast %x to i4 : (tensor<16x1xi32>) -> tensor<16x1xi4>
  %y4 = trace.cast %y to i4 : (tensor<1x16xi32>) -> tensor<1x16xi4>
  %found = trace.floor_div %x4, %y4 : (tensor<16x1xi4>, tensor<1x16xi4>) -> tensor<16x16xi4>
  %differs = trace.ne %found, %expected : (tensor<16x16xi4>, tensor<16x16xi4>) -> tensor<16x16xi1>
  %numbers = trace.cast %differs to i32 : (tensor<16x16xi1>) -> tensor<16x16xi32>
  %count = trace.sum %numbers dims = [0, 1] : (tensor<16x16xi32>) -> tensor<i32>
  return %count : tensor<i32>
}
