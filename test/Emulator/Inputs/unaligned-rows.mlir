// Results whose rows are no multiple of 16 bytes: an odd number of elements of
// 16 bits, of which every other row begins between two words, in batches of an
// odd number of rows (y0), with a last box of one column and two contractions in
// one tile (y1), in two results (y2, y3); an even number (y4); f32 (y5, y6).
func.func @main(%a: tensor<3x131x64xf16> {tripy.name = "a"},
    %b: tensor<3x64x200xf16> {tripy.name = "b"},
    %x: tensor<200x96xf16> {tripy.name = "x"},
    %w: tensor<257x96xf16> {tripy.name = "w"},
    %v: tensor<257x96xf16> {tripy.name = "v"},
    %c: tensor<257xf16> {tripy.name = "c"},
    %u: tensor<67x96xf16> {tripy.name = "u"},
    %p: tensor<200x96xbf16> {tripy.name = "p"},
    %q: tensor<134x96xbf16> {tripy.name = "q"},
    %r: tensor<67x96xbf16> {tripy.name = "r"},
    %s: tensor<200x96xf32> {tripy.name = "s"},
    %t: tensor<95x96xf32> {tripy.name = "t"})
    -> (tensor<3x131x193xf16> {tripy.name = "y0"},
    tensor<200x257xf16> {tripy.name = "y1"},
    tensor<200x67xf16> {tripy.name = "y2"},
    tensor<200x67xf16> {tripy.name = "y3"},
    tensor<200x134xbf16> {tripy.name = "y4"},
    tensor<200x67xf32> {tripy.name = "y5"},
    tensor<200x95xf32> {tripy.name = "y6"}) {
  %part = trace.slice %b [0, 0, 0] to [3, 64, 193] by [1, 1, 1] : (tensor<3x64x200xf16>) -> tensor<3x64x193xf16>
  %y0 = trace.matmul %a, %part : (tensor<3x131x64xf16>, tensor<3x64x193xf16>) -> tensor<3x131x193xf16>
  %l0 = trace.linear %x, %w, %c : (tensor<200x96xf16>, tensor<257x96xf16>, tensor<257xf16>) -> tensor<200x257xf16>
  %l1 = trace.linear %x, %v, %c : (tensor<200x96xf16>, tensor<257x96xf16>, tensor<257xf16>) -> tensor<200x257xf16>
  %g = trace.gelu %l0 : (tensor<200x257xf16>) -> tensor<200x257xf16>
  %y1 = trace.mul %g, %l1 : (tensor<200x257xf16>, tensor<200x257xf16>) -> tensor<200x257xf16>
  %y2 = trace.linear %x, %u : (tensor<200x96xf16>, tensor<67x96xf16>) -> tensor<200x67xf16>
  %y3 = trace.relu %y2 : (tensor<200x67xf16>) -> tensor<200x67xf16>
  %y4 = trace.linear %p, %q : (tensor<200x96xbf16>, tensor<134x96xbf16>) -> tensor<200x134xbf16>
  %h = trace.linear %p, %r : (tensor<200x96xbf16>, tensor<67x96xbf16>) -> tensor<200x67xbf16>
  %y5 = trace.cast %h to f32 : (tensor<200x67xbf16>) -> tensor<200x67xf32>
  %tt = trace.transpose %t dims = 0, 1 : (tensor<95x96xf32>) -> tensor<96x95xf32>
  %y6 = trace.matmul %s, %tt allow_tf32 : (tensor<200x96xf32>, tensor<96x95xf32>) -> tensor<200x95xf32>
  return %y0, %y1, %y2, %y3, %y4, %y5, %y6 : tensor<3x131x193xf16>, tensor<200x257xf16>, tensor<200x67xf16>, tensor<200x67xf16>, tensor<200x134xbf16>, tensor<200x67xf32>, tensor<200x95xf32>
}
