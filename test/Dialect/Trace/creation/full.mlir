// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @full
// CHECK-SAME: %[[n:.*]]: index
func.func @full(%n: index) {
  // CHECK: trace.full [2, %[[n]]] value = 1.500000e+00 : f32 -> tensor<2x?xf32>
  %a = trace.full [2, %n] value = 1.5 : f32 -> tensor<2x?xf32>
  // CHECK: trace.full [] value = 7 : i64 -> tensor<i64>
  %b = trace.full [] value = 7 : i64 -> tensor<i64>
  // CHECK: trace.full [0] value = true -> tensor<0xi1>
  %c = trace.full [0] value = true -> tensor<0xi1>
  // CHECK: trace.full [1] value = 0x7FC00000 : f32 -> tensor<1xf32>
  %d = trace.full [1] value = 0x7FC00000 : f32 -> tensor<1xf32>
  return
}
