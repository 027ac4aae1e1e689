// RUN: tripy-opt %s --trace-to-flatir --canonicalize --cse --flatir-form-dispatches | FileCheck %s
// RUN: tripy-compile %s --target=cpu --remarks=all -o %t.tpx 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tripy-compile %s --evaluate --input x=random:4x8 --result r=@%t.npy
// RUN: tripy-run %t.tpx --input x=random:4x8 --expect r=@%t.npy --rtol 1e-5 --atol 1e-5

// Each step reads a value and a rolled copy of it. One kernel for all would compute the first step at 3^8 places for each element
// of the result. A kernel ends where that would be more than 16 places.
// CHECK-LABEL: func.func @main(
// CHECK-COUNT-3: kernel.dispatch loop(
// CHECK-NOT: kernel.dispatch
// REMARK: it would be computed at more than 16 places for each element
func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x8xf32> {tripy.name = "r"}) {
  %a0 = trace.roll %x by [1] dims = [1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b0 = trace.add %x, %a0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %a1 = trace.roll %b0 by [1] dims = [1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b1 = trace.add %b0, %a1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %a2 = trace.roll %b1 by [1] dims = [1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b2 = trace.add %b1, %a2 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %a3 = trace.roll %b2 by [1] dims = [1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b3 = trace.add %b2, %a3 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %a4 = trace.roll %b3 by [1] dims = [1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b4 = trace.add %b3, %a4 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %a5 = trace.roll %b4 by [1] dims = [1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b5 = trace.add %b4, %a5 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %a6 = trace.roll %b5 by [1] dims = [1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b6 = trace.add %b5, %a6 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %a7 = trace.roll %b6 by [1] dims = [1] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b7 = trace.add %b6, %a7 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %b7 : tensor<4x8xf32>
}
