// One operation of each kind for the element types beside f32, f16, i32 and
// i64, at their extremes. The values behind the results are computed by hand.
func.func @main(%a: tensor<6xi8>, %b: tensor<6xi8>, %u: tensor<6xui8>, %v: tensor<6xui8>,
                %s: tensor<6xi16>, %t: tensor<6xi16>, %d: tensor<8xf64>, %f: tensor<8xf32>)
    -> (tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<i8>, tensor<i32>,
        tensor<6xui8>, tensor<6xui8>, tensor<6xui8>, tensor<6xui8>, tensor<ui8>, tensor<ui8>, tensor<6xi1>,
        tensor<6xi16>, tensor<6xi16>, tensor<6xf16>,
        tensor<8xi8>, tensor<8xui8>, tensor<8xi16>, tensor<8xf8E5M2>, tensor<8xf64>) {
  // 127 + 1, -128 + -1, -128 * -1, 100 * 2, 0, 5 - ...
  %0 = trace.add %a, %b : (tensor<6xi8>, tensor<6xi8>) -> tensor<6xi8>
  %1 = trace.mul %a, %b : (tensor<6xi8>, tensor<6xi8>) -> tensor<6xi8>
  %2 = trace.div %a, %b : (tensor<6xi8>, tensor<6xi8>) -> tensor<6xi8>
  %3 = trace.mod %a, %b : (tensor<6xi8>, tensor<6xi8>) -> tensor<6xi8>
  %4 = trace.sum %a dims = [] : (tensor<6xi8>) -> tensor<i8>
  %5 = trace.matmul %a, %b dtype = i32 : (tensor<6xi8>, tensor<6xi8>) -> tensor<i32>
  %6 = trace.sub %u, %v : (tensor<6xui8>, tensor<6xui8>) -> tensor<6xui8>
  %7 = trace.div %u, %v : (tensor<6xui8>, tensor<6xui8>) -> tensor<6xui8>
  %8 = trace.maximum %u, %v : (tensor<6xui8>, tensor<6xui8>) -> tensor<6xui8>
  %9 = trace.neg %u : (tensor<6xui8>) -> tensor<6xui8>
  %10 = trace.max %u dims = [] : (tensor<6xui8>) -> tensor<ui8>
  %11 = trace.min %v dims = [] : (tensor<6xui8>) -> tensor<ui8>
  %12 = trace.lt %u, %v : (tensor<6xui8>, tensor<6xui8>) -> tensor<6xi1>
  %13 = trace.floor_div %s, %t : (tensor<6xi16>, tensor<6xi16>) -> tensor<6xi16>
  %14 = trace.mul %s, %t : (tensor<6xi16>, tensor<6xi16>) -> tensor<6xi16>
  %15 = trace.cast %u to f16 : (tensor<6xui8>) -> tensor<6xf16>
  %16 = trace.cast %f to i8 : (tensor<8xf32>) -> tensor<8xi8>
  %17 = trace.cast %f to ui8 : (tensor<8xf32>) -> tensor<8xui8>
  %18 = trace.cast %d to i16 : (tensor<8xf64>) -> tensor<8xi16>
  %19 = trace.cast %f to f8E5M2 : (tensor<8xf32>) -> tensor<8xf8E5M2>
  %20 = trace.mul %d, %d : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20
    : tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<i8>, tensor<i32>,
      tensor<6xui8>, tensor<6xui8>, tensor<6xui8>, tensor<6xui8>, tensor<ui8>, tensor<ui8>, tensor<6xi1>,
      tensor<6xi16>, tensor<6xi16>, tensor<6xf16>,
      tensor<8xi8>, tensor<8xui8>, tensor<8xi16>, tensor<8xf8E5M2>, tensor<8xf64>
}
