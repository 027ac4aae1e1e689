// Conditions on sizes: what the profile decides is decided now, the rest is
// checked when the program runs.
// RUN: split-file %s %t

// RUN: tripy-compile %t/dynamic.mlir -o %t/dynamic.tpx
// RUN: tripy-run %t/dynamic.tpx --input x=ones:3 --input y=iota:3 | FileCheck %s --check-prefix=SAME
// SAME: tensor([1.0000, 2.0000, 3.0000]
// RUN: tripy-run %t/dynamic.tpx --input x=ones:1 --input y=iota:3 | FileCheck %s --check-prefix=SAME
// RUN: not tripy-run %t/dynamic.tpx --input x=ones:2 --input y=iota:3 2>&1 | FileCheck %s --check-prefix=DIFFER
// DIFFER: error: {{.*}}add{{.*}}2{{.*}}3

// RUN: not tripy-compile %t/never.mlir -o %t/never.tpx 2>&1 | FileCheck %s --check-prefix=NEVER
// NEVER: never.mlir:4
// NEVER: error: {{.*}}add{{.*}}the sizes are 2 to 3 and 5 to 6
// RUN: not ls %t/never.tpx

//--- dynamic.mlir
func.func @main(%x: tensor<?xf32> {tripy.name = "x", tripy.profile = #tripy.profile<min = [0], opt = [2], max = [8]>},
                %y: tensor<?xf32> {tripy.name = "y", tripy.profile = #tripy.profile<min = [0], opt = [2], max = [8]>}) -> tensor<?xf32> {
  %0 = trace.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
//--- never.mlir
// The ranges do not meet and exclude 1.
func.func @main(%x: tensor<?xf32> {tripy.name = "x", tripy.profile = #tripy.profile<min = [2], opt = [2], max = [3]>},
                %y: tensor<?xf32> {tripy.name = "y", tripy.profile = #tripy.profile<min = [5], opt = [5], max = [6]>}) -> tensor<?xf32> {
  %0 = trace.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
