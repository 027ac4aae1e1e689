// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @linear
func.func @linear(%x: tensor<?x2xf32>, %v: tensor<2xf32>, %w: tensor<3x2xf32>, %b: tensor<3xf32>) {
  // CHECK: trace.linear %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x2xf32>, tensor<3x2xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  %0 = trace.linear %x, %w, %b : (tensor<?x2xf32>, tensor<3x2xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  // CHECK: trace.linear %{{.*}}, %{{.*}} : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3xf32>
  %1 = trace.linear %v, %w : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: @numbers
func.func @numbers(%x: tensor<1x2xf8E4M3FN>, %w: tensor<3x2xf8E4M3FN>, %b: tensor<3xf16>, %y: tensor<1x2xf32>, %v: tensor<3x2xf32>, %c: tensor<3xf32>) {
  // CHECK: trace.linear %{{.*}}, %{{.*}}, %{{.*}} dtype = f16 : (tensor<1x2xf8E4M3FN>, tensor<3x2xf8E4M3FN>, tensor<3xf16>) -> tensor<1x3xf16>
  %0 = trace.linear %x, %w, %b dtype = f16 : (tensor<1x2xf8E4M3FN>, tensor<3x2xf8E4M3FN>, tensor<3xf16>) -> tensor<1x3xf16>
  // CHECK: trace.linear %{{.*}}, %{{.*}}, %{{.*}} allow_tf32 : {{.*}} -> tensor<1x3xf32>
  %1 = trace.linear %y, %v, %c allow_tf32 : (tensor<1x2xf32>, tensor<3x2xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  return
}
