// RUN: tripy-opt %s --trace-to-flatir --flatir-form-dispatches | FileCheck %s

// Random numbers are computed where they are read: a dropout is one kernel.
// CHECK-LABEL: func.func @dropout(
// CHECK: kernel.dispatch loop
// CHECK: flatir.random_bits
// CHECK: flatir.select
// CHECK-NOT: kernel.dispatch
func.func @dropout(%a: tensor<64x128xf16>, %s: tensor<i64>) -> tensor<64x128xf16> {
  %0 = trace.random_bernoulli %s [64, 128] p = 0.9 : (tensor<i64>) -> tensor<64x128xi1>
  %1 = trace.full [] value = 0.0 : f16 -> tensor<f16>
  %2 = trace.where %0, %a, %1 : (tensor<64x128xi1>, tensor<64x128xf16>, tensor<f16>) -> tensor<64x128xf16>
  return %2 : tensor<64x128xf16>
}

// A sort reads through views, and nothing else joins it; values are taken by
// another kernel, with what follows.
// CHECK-LABEL: func.func @sort(
// CHECK: kernel.dispatch loop
// CHECK: flatir.exp
// CHECK: kernel.dispatch sort
// CHECK: flatir.transpose
// CHECK: flatir.sort
// CHECK-NEXT: kernel.yield
// CHECK: kernel.dispatch loop
// CHECK: flatir.gather
// CHECK: flatir.neg
// CHECK-NOT: kernel.dispatch
func.func @sort(%a: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = trace.exp %a : (tensor<64x128xf32>) -> tensor<64x128xf32>
  %1:2 = trace.sort %0 dim = 0 : (tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<64x128xi32>)
  %2 = trace.neg %1#0 : (tensor<64x128xf32>) -> tensor<64x128xf32>
  return %2 : tensor<64x128xf32>
}

// More positions than a kernel selects are the start of all.
// CHECK-LABEL: func.func @many(
// CHECK: kernel.dispatch sort
// CHECK: flatir.sort %{{.*}} descending : tensor<2x5000xf32> -> tensor<2x5000xi32>
// CHECK: kernel.dispatch loop
// CHECK: flatir.slice
func.func @many(%a: tensor<2x5000xf32>) -> tensor<2x2049xi32> {
  %0:2 = trace.topk %a k = 2049 dim = 1 : (tensor<2x5000xf32>) -> (tensor<2x2049xf32>, tensor<2x2049xi32>)
  return %0#1 : tensor<2x2049xi32>
}
