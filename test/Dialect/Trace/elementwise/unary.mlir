// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// One form for all: rows.test covers every row of the table.

// CHECK-LABEL: @unary
func.func @unary(%a: tensor<?x3xf32>, %i: tensor<i32>, %b: tensor<2xi1>) {
  // CHECK: trace.exp %{{.*}} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %0 = trace.exp %a : (tensor<?x3xf32>) -> tensor<?x3xf32>
  // CHECK: trace.neg %{{.*}} : (tensor<i32>) -> tensor<i32>
  %1 = trace.neg %i : (tensor<i32>) -> tensor<i32>
  // CHECK: trace.logical_not %{{.*}} : (tensor<2xi1>) -> tensor<2xi1>
  %2 = trace.logical_not %b : (tensor<2xi1>) -> tensor<2xi1>
  return
}
