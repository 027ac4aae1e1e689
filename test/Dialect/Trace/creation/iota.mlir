// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @iota
// CHECK-SAME: %[[n:.*]]: index
func.func @iota(%n: index) {
  // CHECK: trace.iota [1, 2] dim = 1 dtype = f32 -> tensor<1x2xf32>
  %a = trace.iota [1, 2] dim = 1 dtype = f32 -> tensor<1x2xf32>
  // CHECK: trace.iota [%[[n]], %[[n]]] dim = -2 dtype = i32 -> tensor<?x?xi32>
  %b = trace.iota [%n, %n] dim = -2 dtype = i32 -> tensor<?x?xi32>
  return
}
