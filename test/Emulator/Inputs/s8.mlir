// Products of i8 in all layouts: odd sizes, whole rows of 16 bytes, a dynamic
// number of rows, a batch, an epilogue, and sums that wrap around in i8.
func.func @main(%a: tensor<67x101xi8> {tripy.name = "a"}, %b: tensor<133x101xi8> {tripy.name = "b"},
    %x: tensor<96x528xi8> {tripy.name = "x"}, %w: tensor<272x528xi8> {tripy.name = "w"},
    %v: tensor<528x144xi8> {tripy.name = "v"}, %t: tensor<528x96xi8> {tripy.name = "t"},
    %d: tensor<?x528xi8> {tripy.name = "d", tripy.profile = #tripy.profile<min = [1, 528], opt = [64, 528], max = [300, 528]>},
    %p: tensor<3x70x64xi8> {tripy.name = "p"}, %q: tensor<3x64x48xi8> {tripy.name = "q"}, %s: tensor<272xf32> {tripy.name = "s"})
    -> (tensor<67x133xi32> {tripy.name = "y0"}, tensor<96x272xi32> {tripy.name = "y1"}, tensor<96x144xi32> {tripy.name = "y2"},
    tensor<96x144xi32> {tripy.name = "y3"}, tensor<?x272xi32> {tripy.name = "y4"}, tensor<3x70x48xi32> {tripy.name = "y5"},
    tensor<96x272xf32> {tripy.name = "y6"}, tensor<67x133xi8> {tripy.name = "y7"}, tensor<?x144xi32> {tripy.name = "y8"}) {
  %y0 = trace.linear %a, %b dtype = i32 : (tensor<67x101xi8>, tensor<133x101xi8>) -> tensor<67x133xi32>
  %y1 = trace.linear %x, %w dtype = i32 : (tensor<96x528xi8>, tensor<272x528xi8>) -> tensor<96x272xi32>
  %y2 = trace.matmul %x, %v dtype = i32 : (tensor<96x528xi8>, tensor<528x144xi8>) -> tensor<96x144xi32>
  %u = trace.transpose %t dims = 0, 1 : (tensor<528x96xi8>) -> tensor<96x528xi8>
  %y3 = trace.matmul %u, %v dtype = i32 : (tensor<96x528xi8>, tensor<528x144xi8>) -> tensor<96x144xi32>
  %y4 = trace.linear %d, %w dtype = i32 : (tensor<?x528xi8>, tensor<272x528xi8>) -> tensor<?x272xi32>
  %y5 = trace.matmul %p, %q dtype = i32 : (tensor<3x70x64xi8>, tensor<3x64x48xi8>) -> tensor<3x70x48xi32>
  %f = trace.linear %x, %w dtype = i32 : (tensor<96x528xi8>, tensor<272x528xi8>) -> tensor<96x272xi32>
  %g = trace.cast %f to f32 : (tensor<96x272xi32>) -> tensor<96x272xf32>
  %y6 = trace.mul %g, %s : (tensor<96x272xf32>, tensor<272xf32>) -> tensor<96x272xf32>
  %y7 = trace.linear %a, %b : (tensor<67x101xi8>, tensor<133x101xi8>) -> tensor<67x133xi8>
  %y8 = trace.matmul %d, %v dtype = i32 : (tensor<?x528xi8>, tensor<528x144xi8>) -> tensor<?x144xi32>
  return %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7, %y8 : tensor<67x133xi32>, tensor<96x272xi32>, tensor<96x144xi32>, tensor<96x144xi32>, tensor<?x272xi32>, tensor<3x70x48xi32>, tensor<96x272xf32>, tensor<67x133xi8>, tensor<?x144xi32>
}
