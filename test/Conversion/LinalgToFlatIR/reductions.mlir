// Reductions, contractions and windows.
// RUN: tripy-opt %s --linalg-to-flatir --split-input-file | FileCheck %s

// A start other than what changes nothing is combined once.
// CHECK-LABEL: @start
// CHECK: %[[FIVE:.*]] = flatir.constant dense<5.000000e+00> : tensor<4xf32>
// CHECK: %[[SUM:.*]] = flatir.reduce sum %arg0 dims = [1]
// CHECK: %[[R:.*]] = flatir.add %[[FIVE]], %[[SUM]]
// CHECK: %[[MAX:.*]] = flatir.reduce max %arg0 dims = [0]
// CHECK: return %[[R]], %[[MAX]]
func.func @start(%a: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  %five = arith.constant 5.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%five : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.reduce { arith.addf } ins(%a : tensor<4x8xf32>) outs(%f : tensor<4xf32>) dimensions = [1]
  %g = tensor.empty() : tensor<8xf32>
  %h = linalg.fill ins(%low : f32) outs(%g : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.reduce { arith.maximumf } ins(%a : tensor<4x8xf32>) outs(%h : tensor<8xf32>) dimensions = [0]
  return %r, %s : tensor<4xf32>, tensor<8xf32>
}

// -----

// maxnumf passes over NaN, which a maximum does not.
// CHECK-LABEL: @number
// CHECK: %[[NAN:.*]] = flatir.compare ne %arg0, %arg0
// CHECK: %[[X:.*]] = flatir.select %[[NAN]], %{{.*}}, %arg0
// CHECK: %[[R:.*]] = flatir.reduce max %[[X]]
// CHECK: return %[[R]]
func.func @number(%a: tensor<4x8xf32>) -> tensor<4xf32> {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.reduce { arith.maxnumf } ins(%a : tensor<4x8xf32>) outs(%f : tensor<4xf32>) dimensions = [1]
  return %r : tensor<4xf32>
}

// -----

// Operands of 16 bits with a sum in f32 stay what they are; what is no product of the operands is no contraction, and what
// is computed of one operand is computed before.
// CHECK-LABEL: @contractions
// CHECK: %[[DOT:.*]] = flatir.dot %arg0, %arg1 batch = [] x [] contract = [1] x [0] : (tensor<4x8xf16>, tensor<8x6xf16>) -> tensor<4x6xf32>
// CHECK: flatir.add %arg2, %[[DOT]]
// CHECK: flatir.dot %arg0, %arg1 batch = [] x [] contract = [1] x [0] : (tensor<4x8xf16>, tensor<8x6xf16>) -> tensor<4x6xf16>
// CHECK: flatir.reduce sum {{.*}} dims = [2]
// CHECK: %[[LEFT:.*]] = flatir.exp %arg0
// CHECK: flatir.dot %[[LEFT]], %arg1
func.func @contractions(%a: tensor<4x8xf16>, %b: tensor<8x6xf16>, %c: tensor<4x6xf32>)
    -> (tensor<4x6xf32>, tensor<4x6xf16>, tensor<4x6xf32>, tensor<4x6xf16>) {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf16>, tensor<8x6xf16>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<4x6xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<4x6xf16>) -> tensor<4x6xf16>
  %1 = linalg.matmul ins(%a, %b : tensor<4x8xf16>, tensor<8x6xf16>) outs(%f : tensor<4x6xf16>) -> tensor<4x6xf16>
  // The product is rounded to f16 before it is summed in f32.
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x8xf16>, tensor<8x6xf16>) outs(%c : tensor<4x6xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %p = arith.mulf %x, %y : f16
    %q = arith.extf %p : f16 to f32
    %s = arith.addf %o, %q : f32
    linalg.yield %s : f32
  } -> tensor<4x6xf32>
  %3 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x8xf16>, tensor<8x6xf16>) outs(%f : tensor<4x6xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %p = math.exp %x : f16
    %q = arith.mulf %p, %y : f16
    %s = arith.addf %o, %q : f16
    linalg.yield %s : f16
  } -> tensor<4x6xf16>
  return %0, %1, %2, %3 : tensor<4x6xf32>, tensor<4x6xf16>, tensor<4x6xf32>, tensor<4x6xf16>
}

// -----

// Dimensions in any order; a batch of one is dropped.
// CHECK-LABEL: @orders
// CHECK: flatir.dot %arg0, %arg1 batch = [0] x [1] contract = [1] x [2] : (tensor<3x8x4xf32>, tensor<6x3x8xf32>) -> tensor<3x4x6xf32>
// CHECK: flatir.dot %{{.*}}, %{{.*}} batch = [] x [] contract = [1] x [0] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
func.func @orders(%a: tensor<3x8x4xf32>, %b: tensor<6x3x8xf32>, %c: tensor<1x4x8xf32>, %d: tensor<1x8x6xf32>)
    -> (tensor<3x4x6xf32>, tensor<1x4x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x4x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %0 = linalg.contract indexing_maps = [affine_map<(b, i, j, k) -> (b, k, i)>, affine_map<(b, i, j, k) -> (j, b, k)>, affine_map<(b, i, j, k) -> (b, i, j)>]
      ins(%a, %b : tensor<3x8x4xf32>, tensor<6x3x8xf32>) outs(%f : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %g = tensor.empty() : tensor<1x4x6xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<1x4x6xf32>) -> tensor<1x4x6xf32>
  %1 = linalg.batch_matmul ins(%c, %d : tensor<1x4x8xf32>, tensor<1x8x6xf32>) outs(%h : tensor<1x4x6xf32>) -> tensor<1x4x6xf32>
  return %0, %1 : tensor<3x4x6xf32>, tensor<1x4x6xf32>
}

// -----

// Windows are a view, and the contracted loops are one dimension; steps of one loop are a slice.
// CHECK-LABEL: @windows
// CHECK: flatir.window %arg0 dims = [2] window = [3] strides = [2] dilations = [1] interior = [1] low = [0] value = 0.000000e+00 : f32 sizes() : tensor<1x8x8x2xf32> -> tensor<3x1x8x3x2xf32>
// CHECK: flatir.window %{{.*}} dims = [1] window = [3] strides = [2]
// CHECK-NOT: flatir.gather
// CHECK: flatir.dot {{.*}} batch = [] x [] contract = [3] x [0] : (tensor<1x3x3x18xf32>, tensor<18x4xf32>) -> tensor<1x3x3x4xf32>
// CHECK: %[[COLUMNS:.*]] = flatir.slice %arg0 [0, 0, 0, 0] strides = [1, 1, 2, 1]
// CHECK: flatir.slice %[[COLUMNS]] [0, 0, 0, 0] strides = [1, 2, 1, 1]
// CHECK: flatir.dot
func.func @windows(%a: tensor<1x8x8x2xf32>, %w: tensor<3x3x2x4xf32>, %v: tensor<1x1x2x4xf32>) -> (tensor<1x3x3x4xf32>, tensor<1x4x4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x3x3x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x3x4xf32>) -> tensor<1x3x3x4xf32>
  %0 = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%a, %w : tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>)
      outs(%f : tensor<1x3x3x4xf32>) -> tensor<1x3x3x4xf32>
  %g = tensor.empty() : tensor<1x4x4x4xf32>
  %h = linalg.fill ins(%zero : f32) outs(%g : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  %1 = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>} ins(%a, %v : tensor<1x8x8x2xf32>, tensor<1x1x2x4xf32>)
      outs(%h : tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  return %0, %1 : tensor<1x3x3x4xf32>, tensor<1x4x4x4xf32>
}
