// A small image network: a strided convolution with borders, a depthwise one, pooling, a concatenation, and a linear layer.
func.func @main(%x: tensor<2x9x8x3xf32>, %w1: tensor<6x3x3x3xf32>, %b1: tensor<6xf32>, %w2: tensor<3x3x6x1xf32>,
                %b2: tensor<6xf32>, %w3: tensor<12x4xf32>) -> tensor<2x4xf32> {
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %c1 = tosa.conv2d %x, %w1, %b1, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 0>, stride = array<i64: 2, 2>}
      : (tensor<2x9x8x3xf32>, tensor<6x3x3x3xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x5x4x6xf32>
  %r1 = tosa.clamp %c1 {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<2x5x4x6xf32>) -> tensor<2x5x4x6xf32>
  %c2 = tosa.depthwise_conv2d %r1, %w2, %b2, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>}
      : (tensor<2x5x4x6xf32>, tensor<3x3x6x1xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x5x4x6xf32>
  %t = tosa.tanh %c2 : (tensor<2x5x4x6xf32>) -> tensor<2x5x4x6xf32>
  %j = tosa.concat %r1, %t {axis = 3 : i32} : (tensor<2x5x4x6xf32>, tensor<2x5x4x6xf32>) -> tensor<2x5x4x12xf32>
  %m = tosa.max_pool2d %j {kernel = array<i64: 2, 2>, pad = array<i64: 0, 1, 0, 0>, stride = array<i64: 2, 2>}
      : (tensor<2x5x4x12xf32>) -> tensor<2x3x2x12xf32>
  %a = tosa.avg_pool2d %m, %zp, %zp {acc_type = f32, kernel = array<i64: 3, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
      : (tensor<2x3x2x12xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x1x1x12xf32>
  %s = tosa.const_shape {values = dense<[1, 2, 12]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %f = tosa.reshape %a, %s : (tensor<2x1x1x12xf32>, !tosa.shape<3>) -> tensor<1x2x12xf32>
  %v = tosa.const_shape {values = dense<[1, 12, 4]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %w33 = tosa.reshape %w3, %v : (tensor<12x4xf32>, !tosa.shape<3>) -> tensor<1x12x4xf32>
  %o = tosa.matmul %f, %w33, %zp, %zp : (tensor<1x2x12xf32>, tensor<1x12x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x2x4xf32>
  %u = tosa.const_shape {values = dense<[2, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %y = tosa.reshape %o, %u : (tensor<1x2x4xf32>, !tosa.shape<2>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
