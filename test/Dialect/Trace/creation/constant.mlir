// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @dense
func.func @dense() {
  // CHECK: trace.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %a = trace.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK: trace.constant dense<1.000000e+00> : tensor<1048576x1048576xbf16>
  %b = trace.constant dense<1.0> : tensor<1048576x1048576xbf16>
  // CHECK: trace.constant dense<> : tensor<0x3xi64>
  %c = trace.constant dense<> : tensor<0x3xi64>
  // CHECK: trace.constant dense<true> : tensor<i1>
  %d = trace.constant dense<true> : tensor<i1>
  return
}

// CHECK-LABEL: @resource
func.func @resource() {
  // CHECK: trace.constant dense_resource<one> : tensor<1xf32>
  %a = trace.constant dense_resource<one> : tensor<1xf32>
  // A resource without data stands for one that was left out.
  // CHECK: trace.constant dense_resource<absent> : tensor<8xf32>
  %b = trace.constant dense_resource<absent> : tensor<8xf32>
  // CHECK: trace.constant dense_resource<truths> : tensor<2xi1>
  %c = trace.constant dense_resource<truths> : tensor<2xi1>
  return
}

// CHECK: one: "0x040000000000803F"
{-#
  dialect_resources: { builtin: {
    one: "0x040000000000803F",
    truths: "0x010000000100"
  } }
#-}
