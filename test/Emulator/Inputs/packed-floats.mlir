// What sm_100 computes with instructions on pairs of f32, and on f32 and 16-bit numbers. 7 elements are the rest of a vector.
func.func @main(%x: tensor<8xf32> {tripy.name = "x"}, %y: tensor<8xf32> {tripy.name = "y"}, %h: tensor<7xf16> {tripy.name = "h"},
                %b: tensor<7xbf16> {tripy.name = "b"}, %v: tensor<7xf32> {tripy.name = "v"}, %p: tensor<1x2xbf16> {tripy.name = "p"},
                %q: tensor<3x2xbf16> {tripy.name = "q"}, %r: tensor<4x300xf32> {tripy.name = "r"})
    -> (tensor<8xf32> {tripy.name = "r0"}, tensor<8xf32> {tripy.name = "r1"}, tensor<8xf32> {tripy.name = "r2"}, tensor<8xf32> {tripy.name = "r3"},
        tensor<7xf32> {tripy.name = "r4"}, tensor<7xf32> {tripy.name = "r5"}, tensor<1x3xbf16> {tripy.name = "r6"},
        tensor<4x300xf32> {tripy.name = "r7"}, tensor<4x300xf32> {tripy.name = "r8"}) {
  %0 = trace.add %x, %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = trace.sub %x, %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %2 = trace.mul %x, %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = trace.exp %x : (tensor<8xf32>) -> tensor<8xf32>
  %hf = trace.cast %h to f32 : (tensor<7xf16>) -> tensor<7xf32>
  %bf = trace.cast %b to f32 : (tensor<7xbf16>) -> tensor<7xf32>
  %4 = trace.add %hf, %v : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  %5 = trace.sub %bf, %v : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  %6 = trace.linear %p, %q : (tensor<1x2xbf16>, tensor<3x2xbf16>) -> tensor<1x3xbf16>
  %7 = trace.exp %r : (tensor<4x300xf32>) -> tensor<4x300xf32>
  %a = trace.abs %r : (tensor<4x300xf32>) -> tensor<4x300xf32>
  %8 = trace.log %a : (tensor<4x300xf32>) -> tensor<4x300xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<7xf32>, tensor<7xf32>, tensor<1x3xbf16>, tensor<4x300xf32>, tensor<4x300xf32>
}
