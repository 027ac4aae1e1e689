// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// CHECK-LABEL: @attention
func.func @attention(%q: tensor<2x4x5x8xf16>, %k: tensor<2x4x7x8xf16>, %v: tensor<2x4x7x6xf16>, %g: tensor<2x2x7x8xf16>,
                     %h: tensor<2x2x7x6xf16>, %m: tensor<4x1x7xi1>, %f: tensor<f32>, %l: tensor<2xi32>, %one: tensor<i32>) {
  // CHECK: trace.attention %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x4x5x8xf16>, tensor<2x4x7x8xf16>, tensor<2x4x7x6xf16>) -> tensor<2x4x5x6xf16>
  %0 = trace.attention %q, %k, %v : (tensor<2x4x5x8xf16>, tensor<2x4x7x8xf16>, tensor<2x4x7x6xf16>) -> tensor<2x4x5x6xf16>
  // CHECK: trace.attention %{{.*}}, %{{.*}}, %{{.*}} mask = %{{.*}} lengths = %{{.*}} causal = "bottom_right" scale = 2.500000e-01 : (tensor<2x4x5x8xf16>, tensor<2x2x7x8xf16>, tensor<2x2x7x6xf16>, tensor<4x1x7xi1>, tensor<2xi32>) -> tensor<2x4x5x6xf16>
  %1 = trace.attention %q, %g, %h mask = %m lengths = %l causal = "bottom_right" scale = 0.25 : (tensor<2x4x5x8xf16>, tensor<2x2x7x8xf16>, tensor<2x2x7x6xf16>, tensor<4x1x7xi1>, tensor<2xi32>) -> tensor<2x4x5x6xf16>
  // CHECK: trace.attention %{{.*}}, %{{.*}}, %{{.*}} mask = %{{.*}} causal = "top_left" : (tensor<2x4x5x8xf16>, tensor<2x4x7x8xf16>, tensor<2x4x7x6xf16>, tensor<f32>) -> tensor<2x4x5x6xf16>
  %2 = trace.attention %q, %k, %v mask = %f causal = "top_left" : (tensor<2x4x5x8xf16>, tensor<2x4x7x8xf16>, tensor<2x4x7x6xf16>, tensor<f32>) -> tensor<2x4x5x6xf16>
  // CHECK: trace.attention %{{.*}}, %{{.*}}, %{{.*}} lengths = %{{.*}} : (tensor<2x4x5x8xf16>, tensor<2x4x7x8xf16>, tensor<2x4x7x6xf16>, tensor<i32>) -> tensor<2x4x5x6xf16>
  %3 = trace.attention %q, %k, %v lengths = %one : (tensor<2x4x5x8xf16>, tensor<2x4x7x8xf16>, tensor<2x4x7x6xf16>, tensor<i32>) -> tensor<2x4x5x6xf16>
  return
}

// What any operand knows of a size, the result knows.
// CHECK-LABEL: @sizes
func.func @sizes(%q: tensor<?x?x?x8xf32>, %k: tensor<3x2x?x8xf32>, %v: tensor<?x?x7x5xf32>, %none: tensor<0x0x4xf32>,
                 %all: tensor<8x7x6x5x4x3x0x2xbf16>) {
  // CHECK: trace.attention {{.*}} -> tensor<3x2x?x5xf32>
  %0 = trace.attention %q, %k, %v : (tensor<?x?x?x8xf32>, tensor<3x2x?x8xf32>, tensor<?x?x7x5xf32>) -> tensor<3x2x?x5xf32>
  // CHECK: trace.attention {{.*}} -> tensor<0x0x4xf32>
  %1 = trace.attention %none, %none, %none : (tensor<0x0x4xf32>, tensor<0x0x4xf32>, tensor<0x0x4xf32>) -> tensor<0x0x4xf32>
  // CHECK: trace.attention {{.*}} -> tensor<8x7x6x5x4x3x0x2xbf16>
  %2 = trace.attention %all, %all, %all : (tensor<8x7x6x5x4x3x0x2xbf16>, tensor<8x7x6x5x4x3x0x2xbf16>, tensor<8x7x6x5x4x3x0x2xbf16>) -> tensor<8x7x6x5x4x3x0x2xbf16>
  return
}
