// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @ranks
func.func @ranks(%v: tensor<3xf32>, %m: tensor<2x3xf32>, %n: tensor<3x5xf32>, %b: tensor<4x2x3xf32>) {
  // CHECK: trace.matmul %{{.*}}, %{{.*}} : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  %0 = trace.matmul %v, %v : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  // CHECK: trace.matmul {{.*}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
  %1 = trace.matmul %m, %v : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
  // CHECK: trace.matmul {{.*}} : (tensor<3xf32>, tensor<3x5xf32>) -> tensor<5xf32>
  %2 = trace.matmul %v, %n : (tensor<3xf32>, tensor<3x5xf32>) -> tensor<5xf32>
  // CHECK: trace.matmul {{.*}} : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  %3 = trace.matmul %m, %n : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  // CHECK: trace.matmul {{.*}} : (tensor<4x2x3xf32>, tensor<3xf32>) -> tensor<4x2xf32>
  %4 = trace.matmul %b, %v : (tensor<4x2x3xf32>, tensor<3xf32>) -> tensor<4x2xf32>
  // CHECK: trace.matmul {{.*}} : (tensor<4x2x3xf32>, tensor<3x5xf32>) -> tensor<4x2x5xf32>
  %5 = trace.matmul %b, %n : (tensor<4x2x3xf32>, tensor<3x5xf32>) -> tensor<4x2x5xf32>
  return
}

// CHECK-LABEL: @batch
func.func @batch(%a: tensor<6x1x2x3xf16>, %b: tensor<4x3x5xf16>, %c: tensor<?x2x?xf16>, %d: tensor<1x?x5xf16>) {
  // CHECK: trace.matmul {{.*}} -> tensor<6x4x2x5xf16>
  %0 = trace.matmul %a, %b : (tensor<6x1x2x3xf16>, tensor<4x3x5xf16>) -> tensor<6x4x2x5xf16>
  // CHECK: trace.matmul {{.*}} -> tensor<4x2x5xf16>
  %1 = trace.matmul %c, %b : (tensor<?x2x?xf16>, tensor<4x3x5xf16>) -> tensor<4x2x5xf16>
  // CHECK: trace.matmul {{.*}} -> tensor<?x2x5xf16>
  %2 = trace.matmul %c, %d : (tensor<?x2x?xf16>, tensor<1x?x5xf16>) -> tensor<?x2x5xf16>
  return
}

// CHECK-LABEL: @numbers
func.func @numbers(%a: tensor<2x3xf32>, %b: tensor<3x5xf32>, %c: tensor<2x3xf8E4M3FN>, %d: tensor<3x5xf8E4M3FN>, %e: tensor<2x3xf16>, %f: tensor<3x5xf16>, %g: tensor<2x3xui8>, %h: tensor<3x5xui8>) {
  // CHECK: trace.matmul %{{.*}}, %{{.*}} allow_tf32 : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  %0 = trace.matmul %a, %b allow_tf32 : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  // CHECK: trace.matmul {{.*}} allow_tf32 dtype = f32 : {{.*}} -> tensor<2x5xf32>
  %1 = trace.matmul %a, %b allow_tf32 dtype = f32 : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  // CHECK: trace.matmul %{{.*}}, %{{.*}} : (tensor<2x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>) -> tensor<2x5xf8E4M3FN>
  %2 = trace.matmul %c, %d : (tensor<2x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>) -> tensor<2x5xf8E4M3FN>
  // CHECK: trace.matmul {{.*}} dtype = f32 : {{.*}} -> tensor<2x5xf32>
  %3 = trace.matmul %c, %d dtype = f32 : (tensor<2x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>) -> tensor<2x5xf32>
  // CHECK: trace.matmul {{.*}} dtype = f16 : {{.*}} -> tensor<2x5xf16>
  %4 = trace.matmul %c, %d dtype = f16 : (tensor<2x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>) -> tensor<2x5xf16>
  // CHECK: trace.matmul {{.*}} dtype = bf16 : {{.*}} -> tensor<2x5xbf16>
  %5 = trace.matmul %c, %d dtype = bf16 : (tensor<2x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>) -> tensor<2x5xbf16>
  // CHECK: trace.matmul {{.*}} dtype = f32 : (tensor<2x3xf16>, tensor<3x5xf16>) -> tensor<2x5xf32>
  %6 = trace.matmul %e, %f dtype = f32 : (tensor<2x3xf16>, tensor<3x5xf16>) -> tensor<2x5xf32>
  // CHECK: trace.matmul {{.*}} dtype = i32 : (tensor<2x3xui8>, tensor<3x5xui8>) -> tensor<2x5xi32>
  %7 = trace.matmul %g, %h dtype = i32 : (tensor<2x3xui8>, tensor<3x5xui8>) -> tensor<2x5xi32>
  return
}
