// RUN: tripy-opt %s --trace-to-flatir --canonicalize --cse --flatir-form-dispatches | FileCheck %s

// Along the last dimension, both reductions of argmax read the row once.
// CHECK-LABEL: func.func @argmax(
// CHECK: kernel.dispatch row(%arg0) {{.*}} {name = "argmax"}
// CHECK-NOT: kernel.dispatch
func.func @argmax(%a: tensor<64x128xf16>) -> tensor<64xi32> {
  %0 = trace.argmax %a dim = 1 : (tensor<64x128xf16>) -> tensor<64xi32>
  return %0 : tensor<64xi32>
}

// A scan takes in its neighbours.
// CHECK-LABEL: func.func @scan(
// CHECK: kernel.dispatch scan(%arg0)
// CHECK: flatir.exp
// CHECK: flatir.scan
// CHECK: flatir.neg
// CHECK-NOT: kernel.dispatch
func.func @scan(%a: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = trace.exp %a : (tensor<64x128xf32>) -> tensor<64x128xf32>
  %1 = trace.cumsum %0 dim = 1 : (tensor<64x128xf32>) -> tensor<64x128xf32>
  %2 = trace.neg %1 : (tensor<64x128xf32>) -> tensor<64x128xf32>
  return %2 : tensor<64x128xf32>
}

// What is gathered is computed where it is taken; what follows joins.
// CHECK-LABEL: func.func @gather(
// CHECK: kernel.dispatch loop
// CHECK: flatir.gather
// CHECK: flatir.exp
// CHECK-NOT: kernel.dispatch
func.func @gather(%a: tensor<64x128xf32>, %i: tensor<8xi32>) -> tensor<8x128xf32> {
  %0 = trace.gather %a, %i dim = 0 : (tensor<64x128xf32>, tensor<8xi32>) -> tensor<8x128xf32>
  %1 = trace.exp %0 : (tensor<8x128xf32>) -> tensor<8x128xf32>
  return %1 : tensor<8x128xf32>
}

// A gather of a contraction's result is no epilogue: it reads other elements.
// CHECK-LABEL: func.func @of_dot(
// CHECK: kernel.dispatch gemm
// CHECK-NOT: flatir.gather
// CHECK: kernel.dispatch loop
// CHECK: flatir.gather
func.func @of_dot(%a: tensor<64x128xf32>, %b: tensor<32x128xf32>, %i: tensor<64xi32>) -> tensor<64x32xf32> {
  %0 = trace.linear %a, %b : (tensor<64x128xf32>, tensor<32x128xf32>) -> tensor<64x32xf32>
  %1 = trace.gather %0, %i dim = 0 : (tensor<64x32xf32>, tensor<64xi32>) -> tensor<64x32xf32>
  return %1 : tensor<64x32xf32>
}
