// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @quantization
func.func @quantization(%x: tensor<?x4x8xf16>, %s: tensor<f16>, %v: tensor<4xf16>, %b: tensor<?x2x8xf16>) {
  // CHECK: trace.quantize %{{.*}}, %{{.*}} to i8 : (tensor<?x4x8xf16>, tensor<f16>) -> tensor<?x4x8xi8>
  %0 = trace.quantize %x, %s to i8 : (tensor<?x4x8xf16>, tensor<f16>) -> tensor<?x4x8xi8>
  // CHECK: trace.quantize %{{.*}}, %{{.*}} to f8E4M3FN dim = 1 : (tensor<?x4x8xf16>, tensor<4xf16>) -> tensor<?x4x8xf8E4M3FN>
  %1 = trace.quantize %x, %v to f8E4M3FN dim = 1 : (tensor<?x4x8xf16>, tensor<4xf16>) -> tensor<?x4x8xf8E4M3FN>
  // CHECK: trace.quantize %{{.*}}, %{{.*}} to f8E5M2 : (tensor<?x4x8xf16>, tensor<?x2x8xf16>) -> tensor<?x4x8xf8E5M2>
  %2 = trace.quantize %x, %b to f8E5M2 : (tensor<?x4x8xf16>, tensor<?x2x8xf16>) -> tensor<?x4x8xf8E5M2>
  // CHECK: trace.dequantize %{{.*}}, %{{.*}} : (tensor<?x4x8xi8>, tensor<f16>) -> tensor<?x4x8xf16>
  %3 = trace.dequantize %0, %s : (tensor<?x4x8xi8>, tensor<f16>) -> tensor<?x4x8xf16>
  // CHECK: trace.dequantize %{{.*}}, %{{.*}} dim = -2 : (tensor<?x4x8xf8E4M3FN>, tensor<4xf16>) -> tensor<?x4x8xf16>
  %4 = trace.dequantize %1, %v dim = -2 : (tensor<?x4x8xf8E4M3FN>, tensor<4xf16>) -> tensor<?x4x8xf16>
  // CHECK: trace.dequantize %{{.*}}, %{{.*}} : (tensor<?x4x8xf8E5M2>, tensor<?x2x8xf16>) -> tensor<?x4x8xf16>
  %5 = trace.dequantize %2, %b : (tensor<?x4x8xf8E5M2>, tensor<?x2x8xf16>) -> tensor<?x4x8xf16>
  return
}
