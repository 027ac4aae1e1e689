// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @softmax
func.func @softmax(%a: tensor<?x3xf32>) {
  // CHECK: trace.softmax %{{.*}} dim = -1 : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %0 = trace.softmax %a dim = -1 : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return
}

// CHECK-LABEL: @norms
func.func @norms(%x: tensor<?x4x8xf16>, %w: tensor<8xf16>, %m: tensor<4x8xf16>) {
  // CHECK: trace.layer_norm %{{.*}}, %{{.*}}, %{{.*}} eps = 1.000000e-05 : (tensor<?x4x8xf16>, tensor<8xf16>, tensor<8xf16>) -> tensor<?x4x8xf16>
  %0 = trace.layer_norm %x, %w, %w eps = 1.0e-5 : (tensor<?x4x8xf16>, tensor<8xf16>, tensor<8xf16>) -> tensor<?x4x8xf16>
  // CHECK: trace.layer_norm {{.*}} : (tensor<?x4x8xf16>, tensor<4x8xf16>, tensor<4x8xf16>) -> tensor<?x4x8xf16>
  %1 = trace.layer_norm %x, %m, %m eps = 0.0 : (tensor<?x4x8xf16>, tensor<4x8xf16>, tensor<4x8xf16>) -> tensor<?x4x8xf16>
  // CHECK: trace.rms_norm %{{.*}}, %{{.*}} eps = 9.9999999999999995E-7 : (tensor<?x4x8xf16>, tensor<8xf16>) -> tensor<?x4x8xf16>
  %2 = trace.rms_norm %x, %w eps = 1.0e-6 : (tensor<?x4x8xf16>, tensor<8xf16>) -> tensor<?x4x8xf16>
  return
}
