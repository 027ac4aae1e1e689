// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @norms
func.func @norms(%x: tensor<?x4x8xf16>, %v: tensor<4xf16>) {
  // CHECK: trace.group_norm %{{.*}}, %{{.*}}, %{{.*}} groups = 2 eps = 1.000000e-05 : (tensor<?x4x8xf16>, tensor<4xf16>, tensor<4xf16>) -> tensor<?x4x8xf16>
  %0 = trace.group_norm %x, %v, %v groups = 2 eps = 1.0e-5 : (tensor<?x4x8xf16>, tensor<4xf16>, tensor<4xf16>) -> tensor<?x4x8xf16>
  // CHECK: trace.instance_norm %{{.*}}, %{{.*}}, %{{.*}} eps = 0.000000e+00 : (tensor<?x4x8xf16>, tensor<4xf16>, tensor<4xf16>) -> tensor<?x4x8xf16>
  %1 = trace.instance_norm %x, %v, %v eps = 0.0 : (tensor<?x4x8xf16>, tensor<4xf16>, tensor<4xf16>) -> tensor<?x4x8xf16>
  // CHECK: trace.batch_norm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} eps = 1.000000e-05 : (tensor<?x4x8xf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>) -> tensor<?x4x8xf16>
  %2 = trace.batch_norm %x, %v, %v, %v, %v eps = 1.0e-5 : (tensor<?x4x8xf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>, tensor<4xf16>) -> tensor<?x4x8xf16>
  return
}
