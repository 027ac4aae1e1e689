// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @main
// CHECK-SAME: tensor<?x2xf32> {tripy.dims = ["batch", ""], tripy.name = "x", tripy.profile = #tripy.profile<min = [1, 2], opt = [2, 2], max = [4, 2]>}
// CHECK-SAME: tensor<3x2xf32> {tripy.name = "layers.0/weight-\CE\B1", tripy.parameter}
// CHECK-SAME: -> (tensor<?x2xf32> {tripy.name = "x"})
func.func @main(
    %x: tensor<?x2xf32> {
      tripy.name = "x", tripy.dims = ["batch", ""],
      tripy.profile = #tripy.profile<min = [1, 2], opt = [2, 2], max = [4, 2]>},
    %w: tensor<3x2xf32> {tripy.name = "layers.0/weight-α", tripy.parameter})
    -> (tensor<?x2xf32> {tripy.name = "x"}) {
  return %x : tensor<?x2xf32>
}

// Where an argument is in those of the function that was compiled.
// CHECK-LABEL: @path
// CHECK-SAME: tensor<2xf32> {tripy.name = "x", tripy.path = "arg0.a key, 'x'.0"}
func.func private @path(tensor<2xf32> {tripy.name = "x", tripy.path = "arg0.a key, 'x'.0"})

// A static type may have a profile: its sizes.
// CHECK-LABEL: @static
// CHECK-SAME: #tripy.profile<min = [2], opt = [2], max = [2]>
// CHECK-SAME: #tripy.profile<min = [], opt = [], max = []>
func.func private @static(
    tensor<2xf32> {tripy.profile = #tripy.profile<min = [2], opt = [2], max = [2]>},
    tensor<f32> {tripy.profile = #tripy.profile<min = [], opt = [], max = []>, tripy.dims = []})

// A size has a profile of one entry, and a name among those of dimensions.
// CHECK-LABEL: @size
// CHECK-SAME: index {tripy.dims = ["rows"], tripy.name = "n", tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}
func.func private @size(
    index {tripy.name = "n", tripy.dims = ["rows"], tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>})
