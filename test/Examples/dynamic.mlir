// One executable runs at every size of its profile, and refuses the others.
//
// RUN: tripy-compile %s -o %t.tpx --target=cpu
// RUN: tripy-run %t.tpx --input x=1x2xf32=1,2 | FileCheck %s --check-prefix=ONE
// RUN: tripy-run %t.tpx --input x=2x2xf32=1,2,3,4 | FileCheck %s --check-prefix=TWO
// RUN: tripy-run %t.tpx --input x=3x2xf32=1,2,3,4,5,6 | FileCheck %s --check-prefix=THREE
// RUN: tripy-run %t.tpx --input x=4x2xf32=1,2,3,4,5,6,7,8 | FileCheck %s --check-prefix=FOUR
// RUN: tripy-run %t.tpx --input x=ones --benchmark=3 | FileCheck %s --check-prefix=TIMES
// RUN: not tripy-run %t.tpx --input x=ones:5x2 2>&1 | FileCheck %s --check-prefix=TOO-MANY
// RUN: not tripy-run %t.tpx --input x=ones:0x2 2>&1 | FileCheck %s --check-prefix=TOO-FEW

// ONE: {{\[}}[2.0000, 3.0000]]
// TWO: {{\[}}[2.0000, 3.0000],
// TWO: [4.0000, 5.0000]]
// THREE: [6.0000, 7.0000]]
// THREE: shape=(3, 2)
// FOUR: [8.0000, 9.0000]]
// FOUR: shape=(4, 2)
// TIMES: median
// TOO-MANY: error: input 'x'{{.*}}dimension 0{{.*}}1{{.*}}4{{.*}}5
// TOO-FEW: error: input 'x'{{.*}}dimension 0{{.*}}1{{.*}}4{{.*}}0
func.func @main(%x: tensor<?x2xf32> {
      tripy.name = "x", tripy.dims = ["batch", ""],
      tripy.profile = #tripy.profile<min = [1, 2], opt = [2, 2], max = [4, 2]>
    }) -> tensor<?x2xf32> {
  %one = trace.full [] value = 1.0 : f32 -> tensor<f32>
  %y = trace.add %x, %one : (tensor<?x2xf32>, tensor<f32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
