// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// What has its default value is not printed.
// CHECK-LABEL: @convolution
func.func @convolution(%x: tensor<?x4x8x?xf32>, %w: tensor<6x2x3x3xf32>, %b: tensor<6xf32>) {
  // CHECK: trace.convolution %{{.*}}, %{{.*}}, %{{.*}} stride = [2, 1] dilation = [1, 2] low = [1, 0] high = [0, 1] groups = 2 allow_tf32 : (tensor<?x4x8x?xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<?x6x4x?xf32>
  %0 = trace.convolution %x, %w, %b stride = [2, 1] dilation = [1, 2] low = [1, 0] high = [0, 1] groups = 2 allow_tf32 : (tensor<?x4x8x?xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<?x6x4x?xf32>
  // CHECK: trace.convolution %{{.*}}, %{{.*}} groups = 2 : (tensor<?x4x8x?xf32>, tensor<6x2x3x3xf32>) -> tensor<?x6x6x?xf32>
  %1 = trace.convolution %x, %w stride = [] groups = 2 : (tensor<?x4x8x?xf32>, tensor<6x2x3x3xf32>) -> tensor<?x6x6x?xf32>
  return
}

// CHECK-LABEL: @conv_transpose
func.func @conv_transpose(%x: tensor<?x4x8xf16>, %w: tensor<4x3x5xf16>) {
  // CHECK: trace.conv_transpose %{{.*}}, %{{.*}} stride = [3] low = [1] high = [2] output_padding = [2] groups = 2 : (tensor<?x4x8xf16>, tensor<4x3x5xf16>) -> tensor<?x6x25xf16>
  %0 = trace.conv_transpose %x, %w stride = [3] low = [1] high = [2] output_padding = [2] groups = 2 : (tensor<?x4x8xf16>, tensor<4x3x5xf16>) -> tensor<?x6x25xf16>
  return
}

// The last window of ceil_mode begins before the end of the input.
// CHECK-LABEL: @pools
func.func @pools(%x: tensor<2x?x5x7xf32>) {
  // CHECK: trace.maxpool %{{.*}} window = [2, 2] stride = [2, 3] ceil_mode : (tensor<2x?x5x7xf32>) -> tensor<2x?x3x3xf32>
  %0 = trace.maxpool %x window = [2, 2] stride = [2, 3] ceil_mode : (tensor<2x?x5x7xf32>) -> tensor<2x?x3x3xf32>
  // CHECK: trace.maxpool %{{.*}} window = [2] stride = [6] high = [1] ceil_mode : (tensor<2x?x5x7xf32>) -> tensor<2x?x5x2xf32>
  %1 = trace.maxpool %x window = [2] stride = [6] high = [1] ceil_mode : (tensor<2x?x5x7xf32>) -> tensor<2x?x5x2xf32>
  // CHECK: trace.avgpool %{{.*}} window = [3, 3] low = [1, 1] high = [1, 1] count_include_pad = false : (tensor<2x?x5x7xf32>) -> tensor<2x?x5x7xf32>
  %2 = trace.avgpool %x window = [3, 3] low = [1, 1] high = [1, 1] count_include_pad = false : (tensor<2x?x5x7xf32>) -> tensor<2x?x5x7xf32>
  return
}

// CHECK-LABEL: @bytes
func.func @bytes(%x: tensor<2x?x5x7xi8>) {
  // CHECK: trace.avgpool %{{.*}} window = [3, 3] : (tensor<2x?x5x7xi8>) -> tensor<2x?x3x5xi8>
  %0 = trace.avgpool %x window = [3, 3] : (tensor<2x?x5x7xi8>) -> tensor<2x?x3x5xi8>
  return
}
