// RUN: tripy-opt %s --trace-to-flatir --canonicalize --split-input-file | FileCheck %s

// w f and (b - m) f + a, with f = w / sqrt(v + eps): f is 1/2 and 2.
// CHECK-LABEL: func.func @folded
// CHECK-DAG: dense<{{\[}}[1.500000e+00], [1.000000e+01]]> : tensor<2x1xf32>
// CHECK-DAG: dense<[8.000000e+00, -1.000000e+00]> : tensor<2xf32>
// CHECK-NOT: composite
// CHECK: flatir.dot
// CHECK-NOT: composite
func.func @folded(%x: tensor<1x1x4xf32>) -> tensor<1x2x4xf32> {
  %w = trace.constant dense<[[[3.0]], [[5.0]]]> : tensor<2x1x1xf32>
  %b = trace.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %mean = trace.constant dense<[-1.0, 4.0]> : tensor<2xf32>
  %variance = trace.constant dense<[3.0, 0.0]> : tensor<2xf32>
  %scale = trace.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %shift = trace.constant dense<[7.0, 3.0]> : tensor<2xf32>
  %0 = trace.convolution %x, %w, %b : (tensor<1x1x4xf32>, tensor<2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4xf32>
  %1 = trace.batch_norm %0, %mean, %variance, %scale, %shift eps = 1.0 : (tensor<1x2x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4xf32>
  return %1 : tensor<1x2x4xf32>
}

// -----

// Not weights of 16 bits, parameters of the run, a convolution that is read elsewhere, or a variance of 0
// without eps.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-4: composite "batch_norm"
func.func @kept(%x: tensor<1x1x4xf32>, %h: tensor<1x1x4xf16>, %p: tensor<2xf32>) -> (tensor<1x2x4xf16>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) {
  %w = trace.constant dense<[[[3.0]], [[5.0]]]> : tensor<2x1x1xf32>
  %wh = trace.constant dense<[[[3.0]], [[5.0]]]> : tensor<2x1x1xf16>
  %c = trace.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %ch = trace.constant dense<[1.0, 2.0]> : tensor<2xf16>
  %zero = trace.constant dense<0.0> : tensor<2xf32>
  %0 = trace.convolution %h, %wh : (tensor<1x1x4xf16>, tensor<2x1x1xf16>) -> tensor<1x2x4xf16>
  %1 = trace.batch_norm %0, %ch, %ch, %ch, %ch eps = 1.0 : (tensor<1x2x4xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>) -> tensor<1x2x4xf16>
  %2 = trace.convolution %x, %w : (tensor<1x1x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4xf32>
  %3 = trace.batch_norm %2, %c, %c, %c, %p eps = 1.0 : (tensor<1x2x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4xf32>
  %4 = trace.convolution %x, %w : (tensor<1x1x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4xf32>
  %5 = trace.batch_norm %4, %c, %c, %c, %c eps = 1.0 : (tensor<1x2x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4xf32>
  %6 = trace.convolution %x, %w : (tensor<1x1x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4xf32>
  %7 = trace.batch_norm %6, %c, %zero, %c, %c eps = 0.0 : (tensor<1x2x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4xf32>
  return %1, %3, %4, %5, %7 : tensor<1x2x4xf16>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>
}

// -----

// The weight of a transposed convolution is (channels, output channels of a group, window): the factors 1/2 and 2 are those of the
// first two channels, 2 and 3 those of the others.
// CHECK-LABEL: func.func @transposed
// CHECK-DAG: dense<{{\[}}[0.000000e+00, 1.000000e+00], [1.000000e+00, -6.000000e+00]]> : tensor<2x2xf32>
// CHECK-DAG: dense<{{\[\[\[}}[5.000000e-01, 1.000000e+00], [6.000000e+00, 8.000000e+00]], {{\[}}[2.500000e+00, 3.000000e+00], [1.400000e+01, 1.600000e+01]]], {{\[\[}}[1.800000e+01, 2.000000e+01], [3.300000e+01, 3.600000e+01]], {{\[}}[2.600000e+01, 2.800000e+01], [4.500000e+01, 4.800000e+01]]]]>
// CHECK-NOT: composite
// CHECK: flatir.dot
// CHECK-NOT: composite
func.func @transposed(%x: tensor<?x4x5xf32> {tripy.profile = #tripy.profile<min = [0, 4, 5], opt = [1, 4, 5], max = [3, 4, 5]>}) -> tensor<?x4x6xf32> {
  %w = trace.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]], [[9.0, 10.0], [11.0, 12.0]], [[13.0, 14.0], [15.0, 16.0]]]> : tensor<4x2x2xf32>
  %mean = trace.constant dense<[0.0, 1.0, 0.0, 2.0]> : tensor<4xf32>
  %variance = trace.constant dense<[3.0, 0.0, 15.0, 0.0]> : tensor<4xf32>
  %scale = trace.constant dense<[1.0, 2.0, 8.0, 3.0]> : tensor<4xf32>
  %shift = trace.constant dense<[0.0, 3.0, 1.0, 0.0]> : tensor<4xf32>
  %0 = trace.conv_transpose %x, %w groups = 2 : (tensor<?x4x5xf32>, tensor<4x2x2xf32>) -> tensor<?x4x6xf32>
  %1 = trace.batch_norm %0, %mean, %variance, %scale, %shift eps = 1.0 : (tensor<?x4x6xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x4x6xf32>
  return %1 : tensor<?x4x6xf32>
}

// -----

// One group, and a bias: w f and b f + a, with f 2 and 3 and a -1 and 4.
// CHECK-LABEL: func.func @transposed_with_bias
// CHECK-DAG: dense<{{\[\[\[}}2.000000e+00], [9.000000e+00]], {{\[\[}}1.000000e+01], [2.100000e+01]]]>
// CHECK-DAG: dense<[1.000000e+00, 1.000000e+01]> : tensor<2xf32>
// CHECK-NOT: composite
func.func @transposed_with_bias(%x: tensor<1x2x4xf32>) -> tensor<1x2x4xf32> {
  %w = trace.constant dense<[[[1.0], [3.0]], [[5.0], [7.0]]]> : tensor<2x2x1xf32>
  %b = trace.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %mean = trace.constant dense<[0.0, 0.0]> : tensor<2xf32>
  %variance = trace.constant dense<[3.0, 0.0]> : tensor<2xf32>
  %scale = trace.constant dense<[4.0, 3.0]> : tensor<2xf32>
  %shift = trace.constant dense<[-1.0, 4.0]> : tensor<2xf32>
  %0 = trace.conv_transpose %x, %w, %b : (tensor<1x2x4xf32>, tensor<2x2x1xf32>, tensor<2xf32>) -> tensor<1x2x4xf32>
  %1 = trace.batch_norm %0, %mean, %variance, %scale, %shift eps = 1.0 : (tensor<1x2x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4xf32>
  return %1 : tensor<1x2x4xf32>
}

// -----

// Neither weights of 16 bits nor a result that is read elsewhere.
// CHECK-LABEL: func.func @transposed_kept
// CHECK-COUNT-2: composite "batch_norm"
func.func @transposed_kept(%x: tensor<1x2x4xf32>, %h: tensor<1x2x4xf16>) -> (tensor<1x2x4xf16>, tensor<1x2x4xf32>, tensor<1x2x4xf32>) {
  %w = trace.constant dense<1.0> : tensor<2x2x1xf32>
  %wh = trace.constant dense<1.0> : tensor<2x2x1xf16>
  %c = trace.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %ch = trace.constant dense<[1.0, 2.0]> : tensor<2xf16>
  %0 = trace.conv_transpose %h, %wh : (tensor<1x2x4xf16>, tensor<2x2x1xf16>) -> tensor<1x2x4xf16>
  %1 = trace.batch_norm %0, %ch, %ch, %ch, %ch eps = 1.0 : (tensor<1x2x4xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>) -> tensor<1x2x4xf16>
  %2 = trace.conv_transpose %x, %w : (tensor<1x2x4xf32>, tensor<2x2x1xf32>) -> tensor<1x2x4xf32>
  %3 = trace.batch_norm %2, %c, %c, %c, %c eps = 1.0 : (tensor<1x2x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4xf32>
  return %1, %2, %3 : tensor<1x2x4xf16>, tensor<1x2x4xf32>, tensor<1x2x4xf32>
}
