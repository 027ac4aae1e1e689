// Few queries and many keys: heads that share keys, one key and 17, lengths in memory, a mask that is added, sizes that
// are not known, and a cache with a new row.
func.func @main(%q: tensor<1x8x1x64xf16>, %k: tensor<1x1x513x64xf16>, %v: tensor<1x1x513x64xf16>,
    %bq: tensor<3x4x3x40xbf16>, %bk: tensor<3x2x210x40xbf16>, %bv: tensor<3x2x210x24xbf16>, %l: tensor<3xi32>,
    %hq: tensor<1x2x9x256xf16>, %hk: tensor<1x2x17x256xf16>, %m: tensor<9x17xf16>, %ok: tensor<1x2x1x256xf16>,
    %dq: tensor<?x4x1x16xf16> {tripy.dims = ["b", "", "", ""], tripy.profile = #tripy.profile<min = [0, 4, 1, 16], opt = [2, 4, 1, 16], max = [999, 4, 1, 16]>},
    %dk: tensor<?x2x?x16xf16> {tripy.dims = ["b", "", "n", ""], tripy.profile = #tripy.profile<min = [0, 2, 0, 16], opt = [2, 2, 300, 16], max = [999, 2, 999, 16]>},
    %dv: tensor<?x2x?x16xf16> {tripy.dims = ["b", "", "n", ""], tripy.profile = #tripy.profile<min = [0, 2, 0, 16], opt = [2, 2, 300, 16], max = [999, 2, 999, 16]>},
    %x: tensor<1x1x512xf16>, %kc: tensor<1x2x300x64xf16>, %vc: tensor<1x2x300x64xf16>, %s: tensor<i32>)
    -> (tensor<1x8x1x64xf16>, tensor<3x4x3x24xbf16>, tensor<1x2x9x256xf16>, tensor<1x2x9x256xf16>, tensor<?x4x1x16xf16>, tensor<1x4x1x64xf16>) {
  %0 = trace.attention %q, %k, %v : (tensor<1x8x1x64xf16>, tensor<1x1x513x64xf16>, tensor<1x1x513x64xf16>) -> tensor<1x8x1x64xf16>
  %1 = trace.attention %bq, %bk, %bv lengths = %l causal = "bottom_right" : (tensor<3x4x3x40xbf16>, tensor<3x2x210x40xbf16>, tensor<3x2x210x24xbf16>, tensor<3xi32>) -> tensor<3x4x3x24xbf16>
  %2 = trace.attention %hq, %hk, %hk mask = %m : (tensor<1x2x9x256xf16>, tensor<1x2x17x256xf16>, tensor<1x2x17x256xf16>, tensor<9x17xf16>) -> tensor<1x2x9x256xf16>
  %3 = trace.attention %hq, %ok, %ok : (tensor<1x2x9x256xf16>, tensor<1x2x1x256xf16>, tensor<1x2x1x256xf16>) -> tensor<1x2x9x256xf16>
  %4 = trace.attention %dq, %dk, %dv : (tensor<?x4x1x16xf16>, tensor<?x2x?x16xf16>, tensor<?x2x?x16xf16>) -> tensor<?x4x1x16xf16>
  %p:3 = trace.split %x dim = 2 sizes = [256, 128, 128] : (tensor<1x1x512xf16>) -> (tensor<1x1x256xf16>, tensor<1x1x128xf16>, tensor<1x1x128xf16>)
  %q1 = trace.reshape %p#0 to [1, 4, 1, 64] : (tensor<1x1x256xf16>) -> tensor<1x4x1x64xf16>
  %k1 = trace.reshape %p#1 to [1, 2, 1, 64] : (tensor<1x1x128xf16>) -> tensor<1x2x1x64xf16>
  %v1 = trace.reshape %p#2 to [1, 2, 1, 64] : (tensor<1x1x128xf16>) -> tensor<1x2x1x64xf16>
  %ku = trace.update_slice %kc, %k1, %s dim = 2 : (tensor<1x2x300x64xf16>, tensor<1x2x1x64xf16>, tensor<i32>) -> tensor<1x2x300x64xf16>
  %vu = trace.update_slice %vc, %v1, %s dim = 2 : (tensor<1x2x300x64xf16>, tensor<1x2x1x64xf16>, tensor<i32>) -> tensor<1x2x300x64xf16>
  %5 = trace.attention %q1, %ku, %vu : (tensor<1x4x1x64xf16>, tensor<1x2x300x64xf16>, tensor<1x2x300x64xf16>) -> tensor<1x4x1x64xf16>
  return %0, %1, %2, %3, %4, %5 : tensor<1x8x1x64xf16>, tensor<3x4x3x24xbf16>, tensor<1x2x9x256xf16>, tensor<1x2x9x256xf16>, tensor<?x4x1x16xf16>, tensor<1x4x1x64xf16>
}
