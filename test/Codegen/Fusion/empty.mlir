// Tensors of no elements and reductions over none are constants to the fusion pass.
// linalg erases them: a kernel around them would have no common loops left.
// RUN: tripy-opt %s --flatir-form-dispatches | FileCheck %s
// RUN: tripy-opt %s --tripy-cpu -o /dev/null
// RUN: tripy-opt %s --tripy-cuda -o /dev/null

// CHECK-LABEL: func.func @rows(
// CHECK: kernel.dispatch loop() {{.*}} -> tensor<0x6x4xf32>
// CHECK: kernel.dispatch loop() {{.*}} -> tensor<0x6x1xf32>
// CHECK-NOT: flatir.reduce
func.func @rows(%a: tensor<0x6x4xf32>) -> (tensor<0x6x4xf32>, tensor<0x6x1xf32>) {
  %0 = flatir.sub %a, %a : tensor<0x6x4xf32>
  %1 = flatir.reduce max %0 dims = [2] : tensor<0x6x4xf32> -> tensor<0x6xf32>
  %2 = flatir.reshape %1 sizes() : tensor<0x6xf32> -> tensor<0x6x1xf32>
  return %0, %2 : tensor<0x6x4xf32>, tensor<0x6x1xf32>
}

// What other sizes say is not lost.
// CHECK-LABEL: func.func @dynamic(
// CHECK-NOT: flatir.reduce
// CHECK: flatir.broadcast
// CHECK-SAME: tensor<f32> -> tensor<?xf32>
// CHECK-NOT: flatir.reduce
#rows0 = #tripy.profile<min = [1, 0], opt = [2, 0], max = [3, 0]>
#rows7 = #tripy.profile<min = [1, 7], opt = [2, 7], max = [3, 7]>
func.func @dynamic(%a: tensor<?x0xf32> {tripy.profile = #rows0}, %b: tensor<?x7xf32> {tripy.profile = #rows7}) -> (tensor<?xf32>, tensor<?x7xf32>) {
  %0 = flatir.reduce max %a dims = [1] : tensor<?x0xf32> -> tensor<?xf32>
  %1 = flatir.exp %b : tensor<?x7xf32>
  return %0, %1 : tensor<?xf32>, tensor<?x7xf32>
}

// CHECK-LABEL: func.func @products(
// CHECK-NOT: flatir.dot
func.func @products(%a: tensor<3x0xf32>, %b: tensor<0x5xf32>) -> tensor<3x5xf32> {
  %0 = flatir.dot %a, %b batch = [] x [] contract = [1] x [0] : (tensor<3x0xf32>, tensor<0x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// f8E4M3FN has no infinity: the maximum of nothing is that of f32, converted.
// CHECK-LABEL: func.func @small(
// CHECK: dense<0xFF800000> : tensor<f32>
// CHECK: flatir.convert
func.func @small(%a: tensor<3x0xf8E4M3FN>) -> tensor<3xf8E4M3FN> {
  %0 = flatir.reduce max %a dims = [1] : tensor<3x0xf8E4M3FN> -> tensor<3xf8E4M3FN>
  return %0 : tensor<3xf8E4M3FN>
}
