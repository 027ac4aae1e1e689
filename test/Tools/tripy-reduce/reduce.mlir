// A program of which one operation matters becomes that operation: results are
// dropped, and operations become their operands.
//
// RUN: tripy-reduce %s "--reduction-tree=traversal-mode=0 test=%S/Inputs/has-scan test-arg=%bin/tripy-opt" 2>/dev/null | FileCheck %s

// CHECK:      func.func @main(%[[X:.*]]: tensor<4x8xf32>) {
// CHECK-NEXT:   trace.cumsum %[[X]] dim = 1
// CHECK-NEXT:   return
func.func @main(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = trace.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = trace.softmax %0 dim = 1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = trace.mul %1, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = trace.cumsum %2 dim = 1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = trace.exp %3 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1, %3, %4 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
