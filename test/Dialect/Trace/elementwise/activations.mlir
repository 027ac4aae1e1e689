// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @activations
func.func @activations(%a: tensor<?xbf16>, %i: tensor<2xi32>) {
  // CHECK: trace.sigmoid %{{.*}} : (tensor<?xbf16>) -> tensor<?xbf16>
  %0 = trace.sigmoid %a : (tensor<?xbf16>) -> tensor<?xbf16>
  // CHECK: trace.silu %{{.*}} : (tensor<?xbf16>) -> tensor<?xbf16>
  %1 = trace.silu %a : (tensor<?xbf16>) -> tensor<?xbf16>
  // CHECK: trace.relu %{{.*}} : (tensor<?xbf16>) -> tensor<?xbf16>
  %2 = trace.relu %a : (tensor<?xbf16>) -> tensor<?xbf16>
  // CHECK: trace.relu %{{.*}} : (tensor<2xi32>) -> tensor<2xi32>
  %3 = trace.relu %i : (tensor<2xi32>) -> tensor<2xi32>
  // The default form is not printed.
  // CHECK: trace.gelu %{{.*}} : (tensor<?xbf16>) -> tensor<?xbf16>
  %4 = trace.gelu %a {approximate = "tanh"} : (tensor<?xbf16>) -> tensor<?xbf16>
  // CHECK: trace.gelu %{{.*}} {approximate = "erf"} : (tensor<?xbf16>) -> tensor<?xbf16>
  %5 = trace.gelu %a {approximate = "erf"} : (tensor<?xbf16>) -> tensor<?xbf16>
  return
}
