// Assembly with side effects stays where it is: LLVM copies no wait and no barrier into the ways to it. Rows of a dynamic number have a
// block that may have none, which once waited at a place of its own: ptxas spilled 132 bytes behind the other one.
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s

// CHECK: .entry main_row_1_layer_norm
// CHECK-COUNT-1: griddepcontrol.wait
// CHECK-NOT: griddepcontrol.wait
func.func @main(%x: tensor<?x1024xbf16> {tripy.name = "x", tripy.dims = ["n", ""], tripy.profile = #tripy.profile<min = [1, 1024], opt = [3072, 1024], max = [3072, 1024]>},
    %v: tensor<1024x1024xbf16>, %r: tensor<?x1024xbf16> {tripy.name = "r", tripy.dims = ["n", ""], tripy.profile = #tripy.profile<min = [1, 1024], opt = [3072, 1024], max = [3072, 1024]>},
    %w: tensor<1024xbf16>, %b: tensor<1024xbf16>) -> (tensor<?x1024xbf16>, tensor<?x1024xbf16>) {
  %0 = trace.linear %x, %v : (tensor<?x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<?x1024xbf16>
  %1 = trace.add %0, %r : (tensor<?x1024xbf16>, tensor<?x1024xbf16>) -> tensor<?x1024xbf16>
  %2 = trace.layer_norm %1, %w, %b eps = 1.0e-5 : (tensor<?x1024xbf16>, tensor<1024xbf16>, tensor<1024xbf16>) -> tensor<?x1024xbf16>
  return %1, %2 : tensor<?x1024xbf16>, tensor<?x1024xbf16>
}
