func.func @main(%x: tensor<200x136xf16> {tripy.name = "x"}, %w: tensor<256x136xf16> {tripy.name = "w"}, %b: tensor<256xf16> {tripy.name = "b"},
                %v: tensor<136x160xf16> {tripy.name = "v"}, %u: tensor<101x136xf16> {tripy.name = "u"})
    -> (tensor<200x128xf16> {tripy.name = "y0"}, tensor<200x160xf16> {tripy.name = "y1"}, tensor<200x101xf16> {tripy.name = "y2"}) {
  %p = trace.linear %x, %w, %b : (tensor<200x136xf16>, tensor<256x136xf16>, tensor<256xf16>) -> tensor<200x256xf16>
  %l, %g = trace.split %p dim = -1 sizes = [128, 128] : (tensor<200x256xf16>) -> (tensor<200x128xf16>, tensor<200x128xf16>)
  %a = trace.gelu %g : (tensor<200x128xf16>) -> tensor<200x128xf16>
  %y0 = trace.mul %l, %a : (tensor<200x128xf16>, tensor<200x128xf16>) -> tensor<200x128xf16>
  %y1 = trace.matmul %x, %v : (tensor<200x136xf16>, tensor<136x160xf16>) -> tensor<200x160xf16>
  %y2 = trace.linear %x, %u : (tensor<200x136xf16>, tensor<101x136xf16>) -> tensor<200x101xf16>
  return %y0, %y1, %y2 : tensor<200x128xf16>, tensor<200x160xf16>, tensor<200x101xf16>
}
