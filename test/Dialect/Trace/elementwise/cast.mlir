// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @cast
func.func @cast(%a: tensor<?x2xf32>) {
  // CHECK: trace.cast %{{.*}} to f16 : (tensor<?x2xf32>) -> tensor<?x2xf16>
  %0 = trace.cast %a to f16 : (tensor<?x2xf32>) -> tensor<?x2xf16>
  // CHECK: trace.cast %{{.*}} to i1 : (tensor<?x2xf32>) -> tensor<?x2xi1>
  %1 = trace.cast %a to i1 : (tensor<?x2xf32>) -> tensor<?x2xi1>
  return
}
