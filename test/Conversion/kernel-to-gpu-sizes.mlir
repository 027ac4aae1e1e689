// An input that is a size stays one, and is checked as dimensions are.
// RUN: tripy-opt %s --pass-pipeline='builtin.module(tripy-cuda{chip=sm_80},device-code-to-binary{chip=sm_80},kernel-to-gpu)' | FileCheck %s
// CHECK-DAG: "input 'n' must be within its profile, 0 to 8\00"
// CHECK-DAG: "input 'm' must equal the others named 'rows'\00"
// CHECK: func.func @main_output_sizes(%{{.*}}: memref<?xf32>, %[[SIZE:.*]]: index, %[[ROWS:.*]]: index) -> (index, index) {
// CHECK-NEXT: return %[[SIZE]], %[[ROWS]] : index, index
// CHECK: func.func @main(%{{.*}}: memref<?xf32>, %[[N:.*]]: index, %{{.*}}: index, %{{.*}}: memref<?xf32>, %{{.*}}: memref<?xf32>)
// CHECK: arith.cmpi sle, %[[N]], %{{.*}} : index
// CHECK: llvm.call @tripyRequire
// CHECK: gpu.launch_func
func.func @main(
    %x: tensor<?xf32> {tripy.name = "x", tripy.dims = ["rows"], tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>},
    %n: index {tripy.name = "n", tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>},
    %m: index {tripy.name = "m", tripy.dims = ["rows"], tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>})
    -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = trace.iota [%n] dim = 0 dtype = f32 -> tensor<?xf32>
  %1 = trace.iota [%m] dim = 0 dtype = f32 -> tensor<?xf32>
  %2 = trace.add %1, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0, %2 : tensor<?xf32>, tensor<?xf32>
}
