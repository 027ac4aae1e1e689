// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @dim
func.func @dim(%x: tensor<?x2xf32>) -> index {
  // CHECK: trace.dim %{{.*}} dim = 0 : (tensor<?x2xf32>) -> index
  %a = trace.dim %x dim = 0 : (tensor<?x2xf32>) -> index
  // CHECK: trace.dim %{{.*}} dim = -1 : (tensor<?x2xf32>) -> index
  %b = trace.dim %x dim = -1 : (tensor<?x2xf32>) -> index
  // Sizes are values: arith computes with them.
  // CHECK: arith.muli
  %c = arith.muli %a, %b : index
  return %c : index
}
