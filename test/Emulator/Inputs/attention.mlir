func.func @main(%q: tensor<2x4x130x64xf16>, %k: tensor<2x2x200x64xf16>, %v: tensor<2x2x200x40xf16>,
    %w: tensor<3x200x96xf16>, %u: tensor<3x70x96xf16>, %m: tensor<2x4x130x200xi1>, %c: tensor<130x200xf16>, %x: tensor<2x150x384xf16>,
    %dq: tensor<?x4x?x64xf16> {tripy.profile = #tripy.profile<min = [1, 4, 1, 64], opt = [2, 4, 133, 64], max = [4, 4, 1000, 64]>},
    %dk: tensor<?x2x?x64xf16> {tripy.profile = #tripy.profile<min = [1, 2, 0, 64], opt = [2, 2, 190, 64], max = [4, 2, 1000, 64]>},
    %dv: tensor<?x2x?x64xf16> {tripy.profile = #tripy.profile<min = [1, 2, 0, 64], opt = [2, 2, 190, 64], max = [4, 2, 1000, 64]>})
    -> (tensor<2x4x130x40xf16> {tripy.name = "y0"}, tensor<2x4x130x40xf16> {tripy.name = "y1"}, tensor<2x4x130x40xf16> {tripy.name = "y2"},
        tensor<3x200x96xf16> {tripy.name = "y3"}, tensor<2x150x128xf16> {tripy.name = "y4"}, tensor<?x4x?x64xf16> {tripy.name = "y5"},
        tensor<3x70x96xf16> {tripy.name = "y6"}) {
  %0 = trace.attention %q, %k, %v causal = "bottom_right" : (tensor<2x4x130x64xf16>, tensor<2x2x200x64xf16>, tensor<2x2x200x40xf16>) -> tensor<2x4x130x40xf16>
  %1 = trace.attention %q, %k, %v mask = %m : (tensor<2x4x130x64xf16>, tensor<2x2x200x64xf16>, tensor<2x2x200x40xf16>, tensor<2x4x130x200xi1>) -> tensor<2x4x130x40xf16>
  %2 = trace.attention %q, %k, %v mask = %c : (tensor<2x4x130x64xf16>, tensor<2x2x200x64xf16>, tensor<2x2x200x40xf16>, tensor<130x200xf16>) -> tensor<2x4x130x40xf16>
  %3 = trace.attention %w, %w, %w causal = "top_left" : (tensor<3x200x96xf16>, tensor<3x200x96xf16>, tensor<3x200x96xf16>) -> tensor<3x200x96xf16>
  %4 = trace.slice %x [0, 0, 0] to [2, 150, 128] by [1, 1, 1] : (tensor<2x150x384xf16>) -> tensor<2x150x128xf16>
  %5 = trace.slice %x [0, 0, 128] to [2, 150, 256] by [1, 1, 1] : (tensor<2x150x384xf16>) -> tensor<2x150x128xf16>
  %6 = trace.slice %x [0, 0, 256] to [2, 150, 384] by [1, 1, 1] : (tensor<2x150x384xf16>) -> tensor<2x150x128xf16>
  %7 = trace.reshape %4 to [2, 150, 4, 32] : (tensor<2x150x128xf16>) -> tensor<2x150x4x32xf16>
  %8 = trace.reshape %5 to [2, 150, 4, 32] : (tensor<2x150x128xf16>) -> tensor<2x150x4x32xf16>
  %9 = trace.reshape %6 to [2, 150, 4, 32] : (tensor<2x150x128xf16>) -> tensor<2x150x4x32xf16>
  %10 = trace.permute %7 [0, 2, 1, 3] : (tensor<2x150x4x32xf16>) -> tensor<2x4x150x32xf16>
  %11 = trace.permute %8 [0, 2, 1, 3] : (tensor<2x150x4x32xf16>) -> tensor<2x4x150x32xf16>
  %12 = trace.permute %9 [0, 2, 1, 3] : (tensor<2x150x4x32xf16>) -> tensor<2x4x150x32xf16>
  %13 = trace.attention %10, %11, %12 : (tensor<2x4x150x32xf16>, tensor<2x4x150x32xf16>, tensor<2x4x150x32xf16>) -> tensor<2x4x150x32xf16>
  %14 = trace.permute %13 [0, 2, 1, 3] : (tensor<2x4x150x32xf16>) -> tensor<2x150x4x32xf16>
  %15 = trace.reshape %14 to [2, 150, 128] : (tensor<2x150x4x32xf16>) -> tensor<2x150x128xf16>
  %16 = trace.attention %dq, %dk, %dv causal = "top_left" : (tensor<?x4x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>) -> tensor<?x4x?x64xf16>
  %17 = trace.attention %u, %w, %w scale = -0.3 : (tensor<3x70x96xf16>, tensor<3x200x96xf16>, tensor<3x200x96xf16>) -> tensor<3x70x96xf16>
  return %0, %1, %2, %3, %15, %16, %17 : tensor<2x4x130x40xf16>, tensor<2x4x130x40xf16>, tensor<2x4x130x40xf16>, tensor<3x200x96xf16>, tensor<2x150x128xf16>, tensor<?x4x?x64xf16>, tensor<3x70x96xf16>
}
