// RUN: tripy-opt %s --trace-to-flatir | FileCheck %s

// Channels and positions are contracted, and the batch is a part of the columns.
// CHECK-LABEL: func.func @convolution(
// CHECK-DAG: %[[N:.*]] = flatir.dim %arg0, 0
// CHECK-DAG: %[[W:.*]] = flatir.dim %arg0, 3
// CHECK: flatir.require "at_most" %c1, %[[W]] "dimension 3 of 'convolution' is not empty"
// CHECK: flatir.require "at_most" %c3, %{{.*}} "a window of 'convolution' fits into the padded input in dimension 3"
// CHECK: %[[P:.*]] = arith.addi %[[W]], %c-1
// CHECK: %[[WINDOWS:.*]] = flatir.window %arg0 dims = [2, 3] window = [3, 3] strides = [2, 1] dilations = [1, 1] interior = [1, 1] low = [1, 0] value = 0.000000e+00 : f16 sizes(%[[N]], %[[P]]) : tensor<?x4x8x?xf16> -> tensor<3x3x?x4x4x?xf16>
// CHECK: %[[ORDERED:.*]] = flatir.transpose %[[WINDOWS]] [3, 0, 1, 2, 4, 5]
// CHECK: %[[ROWS:.*]] = flatir.reshape %arg1 sizes() : tensor<6x2x3x3xf16> -> tensor<2x3x18xf16>
// CHECK: %[[COLUMNS:.*]] = flatir.reshape %[[ORDERED]] sizes(%{{.*}}) : tensor<4x3x3x?x4x?xf16> -> tensor<2x18x?xf16>
// CHECK: %[[DOT:.*]] = flatir.dot %[[ROWS]], %[[COLUMNS]] batch = [0] x [0] contract = [2] x [1]
// CHECK: %[[GROUPED:.*]] = flatir.reshape %arg2 sizes() : tensor<6xf16> -> tensor<2x3xf16>
// CHECK: %[[BIAS:.*]] = flatir.broadcast %[[GROUPED]] dims = [0, 1]
// CHECK: %[[SUM:.*]] = flatir.add %[[DOT]], %[[BIAS]]
// CHECK: %[[APART:.*]] = flatir.reshape %[[SUM]] sizes(%[[N]], %[[P]]) : tensor<2x3x?xf16> -> tensor<6x?x4x?xf16>
// CHECK: %[[R:.*]] = flatir.transpose %[[APART]] [1, 0, 2, 3]
// CHECK: return %[[R]]
func.func @convolution(%x: tensor<?x4x8x?xf16>, %w: tensor<6x2x3x3xf16>, %b: tensor<6xf16>) -> tensor<?x6x4x?xf16> {
  %r = trace.convolution %x, %w, %b stride = [2, 1] low = [1, 0] high = [0, 1] groups = 2 : (tensor<?x4x8x?xf16>, tensor<6x2x3x3xf16>, tensor<6xf16>) -> tensor<?x6x4x?xf16>
  return %r : tensor<?x6x4x?xf16>
}

// Each element is a window: a product for each image.
// CHECK-LABEL: func.func @pointwise(
// CHECK-NOT: flatir.window
// CHECK: %[[ROWS:.*]] = flatir.reshape %arg1 sizes() : tensor<6x4x1xf32> -> tensor<6x4xf32>
// CHECK: %[[WIDE:.*]] = flatir.broadcast %[[ROWS]] dims = [1, 2]
// CHECK: flatir.dot %[[WIDE]], %arg0 batch = [0] x [0] contract = [2] x [1] allow_tf32
// CHECK: flatir.broadcast %arg2 dims = [1]
func.func @pointwise(%x: tensor<2x4x8xf32>, %w: tensor<6x4x1xf32>, %b: tensor<6xf32>) -> tensor<2x6x8xf32> {
  %r = trace.convolution %x, %w, %b allow_tf32 : (tensor<2x4x8xf32>, tensor<6x4x1xf32>, tensor<6xf32>) -> tensor<2x6x8xf32>
  return %r : tensor<2x6x8xf32>
}

// One channel in each group: products in f32, summed over the positions.
// CHECK-LABEL: func.func @depthwise(
// CHECK: %[[TWICE:.*]] = flatir.broadcast %arg0 dims = [0, 1, 3] sizes() : tensor<2x4x8xf16> -> tensor<2x4x2x8xf16>
// CHECK: flatir.reshape %[[TWICE]] sizes() : tensor<2x4x2x8xf16> -> tensor<2x8x8xf16>
// CHECK: %[[WINDOWS:.*]] = flatir.window {{.*}} : tensor<2x8x8xf32> -> tensor<3x2x8x6xf32>
// CHECK: flatir.transpose %{{.*}} [1, 0] : tensor<8x3xf32> -> tensor<3x8xf32>
// CHECK: %[[TAPS:.*]] = flatir.broadcast %{{.*}} dims = [0, 2] sizes() : tensor<3x8xf32> -> tensor<3x2x8x6xf32>
// CHECK: %[[PRODUCTS:.*]] = flatir.mul %[[WINDOWS]], %[[TAPS]]
// CHECK: %[[SUM:.*]] = flatir.reduce sum %[[PRODUCTS]] dims = [0]
// CHECK: flatir.convert %[[SUM]] : tensor<2x8x6xf32> -> tensor<2x8x6xf16>
func.func @depthwise(%x: tensor<2x4x8xf16>, %w: tensor<8x1x3xf16>) -> tensor<2x8x6xf16> {
  %r = trace.convolution %x, %w groups = 4 : (tensor<2x4x8xf16>, tensor<8x1x3xf16>) -> tensor<2x8x6xf16>
  return %r : tensor<2x8x6xf16>
}

// Windows are read from their end. A batch of one is not moved.
// CHECK-LABEL: func.func @transposed(
// CHECK: flatir.transpose %arg1 [1, 0, 2] : tensor<4x3x3xf32> -> tensor<3x4x3xf32>
// CHECK: flatir.window %arg0 dims = [2] window = [3] strides = [1] dilations = [-2] interior = [1] low = [-1] value = 0.000000e+00 : f32 sizes() : tensor<1x4x5xf32> -> tensor<3x1x4x8xf32>
// CHECK: %[[DOT:.*]] = flatir.dot {{.*}} : (tensor<3x12xf32>, tensor<12x8xf32>) -> tensor<3x8xf32>
// CHECK-NEXT: flatir.reshape %[[DOT]] sizes() : tensor<3x8xf32> -> tensor<1x3x8xf32>
func.func @transposed(%x: tensor<1x4x5xf32>, %w: tensor<4x3x3xf32>) -> tensor<1x3x8xf32> {
  %r = trace.conv_transpose %x, %w dilation = [2] low = [1] : (tensor<1x4x5xf32>, tensor<4x3x3xf32>) -> tensor<1x3x8xf32>
  return %r : tensor<1x3x8xf32>
}

// Every other element of the result takes the taps 0 and 2, the others tap 1: a
// product for each, of the input as it is.
// CHECK-LABEL: func.func @phases(
// CHECK: %[[W:.*]] = flatir.transpose %arg1 [1, 0, 2]
// CHECK: flatir.window %[[W]] dims = [2] window = [2] strides = [1] dilations = [2] interior = [1] low = [0] {{.*}} : tensor<3x4x3xf32> -> tensor<2x3x4x1xf32>
// CHECK: flatir.window %arg0 dims = [2] window = [2] strides = [1] dilations = [-1] interior = [1] low = [0] {{.*}} : tensor<1x4x5xf32> -> tensor<2x1x4x6xf32>
// CHECK: flatir.dot {{.*}} : (tensor<3x8xf32>, tensor<8x6xf32>) -> tensor<3x6xf32>
// CHECK: flatir.window %[[W]] dims = [2] window = [1] strides = [1] dilations = [2] interior = [1] low = [-1] {{.*}} : tensor<3x4x3xf32> -> tensor<1x3x4x1xf32>
// CHECK: flatir.dot {{.*}} : (tensor<3x4xf32>, tensor<4x6xf32>) -> tensor<3x6xf32>
// CHECK: %[[JOINED:.*]] = flatir.concatenate {{.*}} dim = 2 : (tensor<1x3x1x6xf32>, tensor<1x3x1x6xf32>) -> tensor<1x3x2x6xf32>
// CHECK: flatir.transpose %[[JOINED]] [0, 1, 3, 2]
// CHECK: flatir.slice %{{.*}} [0, 0, 1] strides = [1, 1, 1] sizes() : tensor<1x3x12xf32> -> tensor<1x3x10xf32>
// CHECK: flatir.add
func.func @phases(%x: tensor<1x4x5xf32>, %w: tensor<4x3x3xf32>, %b: tensor<3xf32>) -> tensor<1x3x10xf32> {
  %r = trace.conv_transpose %x, %w, %b stride = [2] low = [1] : (tensor<1x4x5xf32>, tensor<4x3x3xf32>, tensor<3xf32>) -> tensor<1x3x10xf32>
  return %r : tensor<1x3x10xf32>
}

// As many taps in each phase: one product, of twice the output channels.
// CHECK-LABEL: func.func @equal_phases(
// CHECK: flatir.dot {{.*}} : (tensor<6x8xf32>, tensor<8x?xf32>) -> tensor<6x?xf32>
// CHECK-NOT: flatir.dot
// CHECK-NOT: flatir.concatenate
// CHECK: return
func.func @equal_phases(%x: tensor<?x4x?xf32>, %w: tensor<4x3x4xf32>) -> tensor<?x3x?xf32> {
  %r = trace.conv_transpose %x, %w stride = [2] low = [1] high = [1] : (tensor<?x4x?xf32>, tensor<4x3x4xf32>) -> tensor<?x3x?xf32>
  return %r : tensor<?x3x?xf32>
}

// The stride is larger than the window: no window at all, and zeros between.
// CHECK-LABEL: func.func @gaps(
// CHECK-NOT: flatir.window %arg0
// CHECK: flatir.dot {{.*}} : (tensor<1x6x4xf32>, tensor<1x4x5xf32>) -> tensor<1x6x5xf32>
// CHECK: flatir.concatenate {{.*}} dim = 2 : (tensor<1x3x2x5xf32>, tensor<1x3x3x5xf32>) -> tensor<1x3x5x5xf32>
// CHECK: flatir.slice {{.*}} : tensor<1x3x25xf32> -> tensor<1x3x22xf32>
func.func @gaps(%x: tensor<1x4x5xf32>, %w: tensor<4x3x2xf32>) -> tensor<1x3x22xf32> {
  %r = trace.conv_transpose %x, %w stride = [5] : (tensor<1x4x5xf32>, tensor<4x3x2xf32>) -> tensor<1x3x22xf32>
  return %r : tensor<1x3x22xf32>
}

// Dilated taps have phases of their own, at different distances. Where there
// would be too many, the last dimensions keep zeros between their elements.
// CHECK-LABEL: func.func @dilated(
// CHECK-DAG: flatir.window %arg0 dims = [2] window = [2] strides = [1] dilations = [-2] interior = [1] low = [0]
// CHECK-DAG: flatir.window %arg0 dims = [2] window = [1] strides = [1] dilations = [-2] interior = [1] low = [0]
// CHECK-DAG: flatir.window %arg0 dims = [2] window = [1] strides = [1] dilations = [-2] interior = [1] low = [1]
// CHECK: flatir.window %arg2 dims = [2, 3] {{.*}} dilations = [-2, -2] interior = [1, 7]
// CHECK: return
func.func @dilated(%x: tensor<1x4x5xf32>, %w: tensor<4x3x4xf32>, %y: tensor<1x4x5x5xf32>, %v: tensor<4x3x7x7xf32>) -> (tensor<1x3x19xf32>, tensor<1x3x41x41xf32>) {
  %r = trace.conv_transpose %x, %w stride = [3] dilation = [2] : (tensor<1x4x5xf32>, tensor<4x3x4xf32>) -> tensor<1x3x19xf32>
  %s = trace.conv_transpose %y, %v stride = [7, 7] dilation = [2, 2] : (tensor<1x4x5x5xf32>, tensor<4x3x7x7xf32>) -> tensor<1x3x41x41xf32>
  return %r, %s : tensor<1x3x19xf32>, tensor<1x3x41x41xf32>
}

// CHECK-LABEL: func.func @maxpool(
// CHECK: arith.ceildivsi
// CHECK: %[[COUNT:.*]] = arith.minsi
// CHECK: %[[WINDOWS:.*]] = flatir.window %arg0 {{.*}} low = [1] value = -2147483648 : i32 sizes(%[[COUNT]])
// CHECK: flatir.reduce max %[[WINDOWS]] dims = [0] : tensor<3x2x3x?xi32> -> tensor<2x3x?xi32>
func.func @maxpool(%x: tensor<2x3x?xi32>) -> tensor<2x3x?xi32> {
  %r = trace.maxpool %x window = [3] stride = [2] low = [1] ceil_mode : (tensor<2x3x?xi32>) -> tensor<2x3x?xi32>
  return %r : tensor<2x3x?xi32>
}

// A divisor for all windows, unless they have different numbers of elements.
// CHECK-LABEL: func.func @avgpool(
// CHECK: %[[SUM:.*]] = flatir.reduce sum
// CHECK: %[[THREE:.*]] = flatir.constant dense<3.000000e+00> : tensor<2x4xf32>
// CHECK: flatir.div %[[SUM]], %[[THREE]]
// CHECK: %[[OTHER:.*]] = flatir.reduce sum
// CHECK: flatir.iota dim = 0 sizes() : tensor<3xi64>
// CHECK: %[[COUNTS:.*]] = flatir.broadcast %{{.*}} dims = [1] sizes() : tensor<3xf32> -> tensor<2x3xf32>
// CHECK: flatir.div %[[OTHER]], %[[COUNTS]]
func.func @avgpool(%x: tensor<2x9xf16>) -> (tensor<2x4xf16>, tensor<2x3xf16>) {
  %r = trace.avgpool %x window = [3] stride = [2] : (tensor<2x9xf16>) -> tensor<2x4xf16>
  %s = trace.avgpool %x window = [3] stride = [3] low = [1] high = [1] count_include_pad = false : (tensor<2x9xf16>) -> tensor<2x3xf16>
  return %r, %s : tensor<2x4xf16>, tensor<2x3xf16>
}

// Bytes are summed in 32 bits, divided in floats and rounded once, to an integer;
// sums that 32 bits may not hold, in 64.
// CHECK-LABEL: func.func @avgpool_bytes(
// CHECK: %[[WIDE:.*]] = flatir.convert %arg0 : tensor<2x9xi8> -> tensor<2x9xi32>
// CHECK: %[[WINDOWS:.*]] = flatir.window %[[WIDE]] {{.*}} value = 0 : i32
// CHECK: %[[SUM:.*]] = flatir.reduce sum %[[WINDOWS]] dims = [0] : tensor<3x2x4xi32> -> tensor<2x4xi32>
// CHECK: %[[FLOAT:.*]] = flatir.convert %[[SUM]] : tensor<2x4xi32> -> tensor<2x4xf32>
// CHECK: %[[THREE:.*]] = flatir.constant dense<3.000000e+00> : tensor<2x4xf32>
// CHECK: %[[MEAN:.*]] = flatir.div %[[FLOAT]], %[[THREE]]
// CHECK: %[[ROUND:.*]] = flatir.round %[[MEAN]]
// CHECK: flatir.convert %[[ROUND]] : tensor<2x4xf32> -> tensor<2x4xi8>
// CHECK: flatir.convert %arg1 : tensor<20000000xi8> -> tensor<20000000xi64>
func.func @avgpool_bytes(%x: tensor<2x9xi8>, %y: tensor<20000000xi8>) -> (tensor<2x4xi8>, tensor<1xi8>) {
  %r = trace.avgpool %x window = [3] stride = [2] : (tensor<2x9xi8>) -> tensor<2x4xi8>
  %s = trace.avgpool %y window = [20000000] : (tensor<20000000xi8>) -> tensor<1xi8>
  return %r, %s : tensor<2x4xi8>, tensor<1xi8>
}

// Statistics are those of groups; the result has the input's shape from the start.
// CHECK-LABEL: func.func @group_norm(
// CHECK: flatir.composite "group_norm"(%arg0, %arg1, %arg2) {eps = 1.000000e-05 : f64, groups = 2 : i64}
// CHECK-NEXT: ^bb0(%[[IN:.*]]: tensor<2x6x4x4xf32>,
// CHECK: %[[X:.*]] = flatir.reshape %[[IN]] sizes() : tensor<2x6x4x4xf32> -> tensor<2x2x3x16xf32>
// CHECK: flatir.reduce sum %[[X]] dims = [2, 3] : tensor<2x2x3x16xf32> -> tensor<2x2xf32>
// CHECK: %[[SCALE:.*]] = flatir.rsqrt %{{.*}} : tensor<2x2xf32>
// CHECK: flatir.sub %[[IN]], %{{.*}} : tensor<2x6x4x4xf32>
// CHECK: %[[EACH:.*]] = flatir.broadcast %[[SCALE]] dims = [0, 1] sizes() : tensor<2x2xf32> -> tensor<2x2x3xf32>
// CHECK: %[[JOINED:.*]] = flatir.reshape %[[EACH]] sizes() : tensor<2x2x3xf32> -> tensor<2x6xf32>
// CHECK: flatir.broadcast %[[JOINED]] dims = [0, 1] sizes() : tensor<2x6xf32> -> tensor<2x6x4x4xf32>
// CHECK: %[[R:.*]] = flatir.add {{.*}} : tensor<2x6x4x4xf32>
// CHECK-NEXT: flatir.yield %[[R]]
func.func @group_norm(%x: tensor<2x6x4x4xf32>, %w: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<2x6x4x4xf32> {
  %r = trace.group_norm %x, %w, %b groups = 2 eps = 1.0e-5 : (tensor<2x6x4x4xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x4x4xf32>
  return %r : tensor<2x6x4x4xf32>
}

// CHECK-LABEL: func.func @batch_norm(
// CHECK: flatir.composite "batch_norm"(%arg0, %arg1, %arg1, %arg1, %arg1)
// CHECK: %[[SCALE:.*]] = flatir.mul %{{.*}}, %{{.*}} : tensor<6xf32>
// CHECK: flatir.broadcast %[[SCALE]] dims = [1]
func.func @batch_norm(%x: tensor<2x6x4xf16>, %v: tensor<6xf16>) -> tensor<2x6x4xf16> {
  %r = trace.batch_norm %x, %v, %v, %v, %v eps = 1.0e-5 : (tensor<2x6x4xf16>, tensor<6xf16>, tensor<6xf16>, tensor<6xf16>, tensor<6xf16>) -> tensor<2x6x4xf16>
  return %r : tensor<2x6x4xf16>
}

// Positions are quotients of integers.
// CHECK-LABEL: func.func @resize(
// CHECK: %[[I:.*]] = flatir.iota dim = 0 sizes() : tensor<8xi64>
// CHECK: flatir.floor_div {{.*}} : tensor<8xi64>
// CHECK: flatir.maximum
// CHECK: flatir.gather %arg0, %{{.*}} dim = 1 : (tensor<2x6xf32>, tensor<8xi64>) -> tensor<2x8xf32>
// CHECK: flatir.mul {{.*}} : tensor<2x8xf32>
// CHECK: flatir.gather %arg0
// CHECK: flatir.add {{.*}} : tensor<2x8xf32>
// CHECK-NOT: flatir.gather
// CHECK: return
func.func @resize(%x: tensor<2x6xf32>) -> tensor<2x8xf32> {
  %r = trace.resize %x to [-1, 8] mode = "linear" : (tensor<2x6xf32>) -> tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// All dimensions are weighed in floats, then one rounding.
// CHECK-LABEL: func.func @resize_bytes(
// CHECK: %[[WIDE:.*]] = flatir.convert %arg0 : tensor<4x6xi8> -> tensor<4x6xf32>
// CHECK-NOT: flatir.round
// CHECK: flatir.gather %[[WIDE]]
// CHECK-NOT: i8>
// CHECK: %[[ROUND:.*]] = flatir.round %{{.*}} : tensor<3x8xf32>
// CHECK: flatir.convert %[[ROUND]] : tensor<3x8xf32> -> tensor<3x8xi8>
// CHECK-LABEL: func.func @nearest_bytes(
// CHECK-NOT: f32>
// CHECK: return
func.func @resize_bytes(%x: tensor<4x6xi8>) -> tensor<3x8xi8> {
  %r = trace.resize %x to [3, 8] mode = "cubic" : (tensor<4x6xi8>) -> tensor<3x8xi8>
  return %r : tensor<3x8xi8>
}
func.func @nearest_bytes(%x: tensor<4x6xi8>) -> tensor<3x8xi8> {
  %r = trace.resize %x to [3, 8] mode = "nearest" : (tensor<4x6xi8>) -> tensor<3x8xi8>
  return %r : tensor<3x8xi8>
}
