// Two layers and a softmax, as a front end of TOSA writes them.
func.func @main(%x: tensor<5x24xf32>, %w1: tensor<24x40xf32>, %b1: tensor<1x40xf32>, %w2: tensor<40x12xf32>,
                %b2: tensor<1x12xf32>) -> tensor<5x12xf32> {
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %s3 = tosa.const_shape {values = dense<[1, 5, 24]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %x3 = tosa.reshape %x, %s3 : (tensor<5x24xf32>, !tosa.shape<3>) -> tensor<1x5x24xf32>
  %t1 = tosa.const_shape {values = dense<[1, 24, 40]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %w13 = tosa.reshape %w1, %t1 : (tensor<24x40xf32>, !tosa.shape<3>) -> tensor<1x24x40xf32>
  %m1 = tosa.matmul %x3, %w13, %zp, %zp : (tensor<1x5x24xf32>, tensor<1x24x40xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x5x40xf32>
  %u1 = tosa.const_shape {values = dense<[5, 40]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %h0 = tosa.reshape %m1, %u1 : (tensor<1x5x40xf32>, !tosa.shape<2>) -> tensor<5x40xf32>
  %h1 = tosa.add %h0, %b1 : (tensor<5x40xf32>, tensor<1x40xf32>) -> tensor<5x40xf32>
  %h2 = tosa.clamp %h1 {min_val = 0.0 : f32, max_val = 3.4028235e+38 : f32} : (tensor<5x40xf32>) -> tensor<5x40xf32>
  %v1 = tosa.const_shape {values = dense<[1, 5, 40]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %h3 = tosa.reshape %h2, %v1 : (tensor<5x40xf32>, !tosa.shape<3>) -> tensor<1x5x40xf32>
  %t2 = tosa.const_shape {values = dense<[1, 40, 12]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %w23 = tosa.reshape %w2, %t2 : (tensor<40x12xf32>, !tosa.shape<3>) -> tensor<1x40x12xf32>
  %m2 = tosa.matmul %h3, %w23, %zp, %zp : (tensor<1x5x40xf32>, tensor<1x40x12xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x5x12xf32>
  %u2 = tosa.const_shape {values = dense<[5, 12]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %o0 = tosa.reshape %m2, %u2 : (tensor<1x5x12xf32>, !tosa.shape<2>) -> tensor<5x12xf32>
  %o1 = tosa.add %o0, %b2 : (tensor<5x12xf32>, tensor<1x12xf32>) -> tensor<5x12xf32>
  %max = tosa.reduce_max %o1 {axis = 1 : i32} : (tensor<5x12xf32>) -> tensor<5x1xf32>
  %d = tosa.sub %o1, %max : (tensor<5x12xf32>, tensor<5x1xf32>) -> tensor<5x12xf32>
  %e = tosa.exp %d : (tensor<5x12xf32>) -> tensor<5x12xf32>
  %sum = tosa.reduce_sum %e {axis = 1 : i32} : (tensor<5x12xf32>) -> tensor<5x1xf32>
  %r = tosa.reciprocal %sum : (tensor<5x1xf32>) -> tensor<5x1xf32>
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %y = tosa.mul %e, %r, %shift : (tensor<5x12xf32>, tensor<5x1xf32>, tensor<1xi8>) -> tensor<5x12xf32>
  return %y : tensor<5x12xf32>
}
