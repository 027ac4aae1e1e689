// Kernels whose rows are no multiple of a vector: broadcasts of each kind, concatenations with seams within a run or not, one of
// computed inputs, pads, slices, and numbers of elements that leave some over.
func.func @main(%a: tensor<5x7x49xf16> {tripy.name = "a"}, %b: tensor<49xf16> {tripy.name = "b"}, %c: tensor<7x1xf16> {tripy.name = "c"},
    %d: tensor<5x1x49xf16> {tripy.name = "d"}, %e: tensor<11x3xf32> {tripy.name = "e"}, %f: tensor<3xf32> {tripy.name = "f"},
    %g: tensor<3x5x2x6xbf16> {tripy.name = "g"}, %h: tensor<5x1x1xbf16> {tripy.name = "h"}, %i: tensor<5x3x49xf16> {tripy.name = "i"})
    -> (tensor<5x7x49xf16> {tripy.name = "m"}, tensor<11x3xf32> {tripy.name = "n"}, tensor<3x5x2x6xbf16> {tripy.name = "o"},
        tensor<5x17x49xf16> {tripy.name = "p"}, tensor<5x7x147xf16> {tripy.name = "q"}, tensor<11x8xf32> {tripy.name = "r"},
        tensor<7x9x53xf16> {tripy.name = "s"}, tensor<5x6x47xf16> {tripy.name = "t"}, tensor<5x7x49xf32> {tripy.name = "u"},
        tensor<3x5x2x18xbf16> {tripy.name = "v"}) {
  %m0 = trace.add %a, %b : (tensor<5x7x49xf16>, tensor<49xf16>) -> tensor<5x7x49xf16>
  %m1 = trace.mul %m0, %c : (tensor<5x7x49xf16>, tensor<7x1xf16>) -> tensor<5x7x49xf16>
  %m = trace.sub %m1, %d : (tensor<5x7x49xf16>, tensor<5x1x49xf16>) -> tensor<5x7x49xf16>
  %n = trace.add %e, %f : (tensor<11x3xf32>, tensor<3xf32>) -> tensor<11x3xf32>
  %o = trace.mul %g, %h : (tensor<3x5x2x6xbf16>, tensor<5x1x1xbf16>) -> tensor<3x5x2x6xbf16>
  %p = trace.concatenate %a, %i, %a dim = 1 : (tensor<5x7x49xf16>, tensor<5x3x49xf16>, tensor<5x7x49xf16>) -> tensor<5x17x49xf16>
  %k = trace.relu %a : (tensor<5x7x49xf16>) -> tensor<5x7x49xf16>
  %q = trace.concatenate %a, %k, %a dim = 2 : (tensor<5x7x49xf16>, tensor<5x7x49xf16>, tensor<5x7x49xf16>) -> tensor<5x7x147xf16>
  %r = trace.pad %e low [0, 2] high [0, 3] value = 1.5 : f32 : (tensor<11x3xf32>) -> tensor<11x8xf32>
  %s = trace.pad %a low [2, 1, 3] high [0, 1, 1] value = -2.0 : f16 : (tensor<5x7x49xf16>) -> tensor<7x9x53xf16>
  %t = trace.slice %a [0, 1, 2] to [5, 7, 49] by [1, 1, 1] : (tensor<5x7x49xf16>) -> tensor<5x6x47xf16>
  %u0 = trace.cast %a to f32 : (tensor<5x7x49xf16>) -> tensor<5x7x49xf32>
  %u1 = trace.cast %b to f32 : (tensor<49xf16>) -> tensor<49xf32>
  %u = trace.mul %u0, %u1 : (tensor<5x7x49xf32>, tensor<49xf32>) -> tensor<5x7x49xf32>
  %v = trace.concatenate %g, %g, %g dim = 3 : (tensor<3x5x2x6xbf16>, tensor<3x5x2x6xbf16>, tensor<3x5x2x6xbf16>) -> tensor<3x5x2x18xbf16>
  return %m, %n, %o, %p, %q, %r, %s, %t, %u, %v : tensor<5x7x49xf16>, tensor<11x3xf32>, tensor<3x5x2x6xbf16>, tensor<5x17x49xf16>,
    tensor<5x7x147xf16>, tensor<11x8xf32>, tensor<7x9x53xf16>, tensor<5x6x47xf16>, tensor<5x7x49xf32>, tensor<3x5x2x18xbf16>
}
