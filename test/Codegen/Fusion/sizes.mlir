// RUN: tripy-opt %s --flatir-form-dispatches | FileCheck %s

// Size arithmetic stays in the function, before all kernels, in terms of the
// arguments.

// CHECK-LABEL: func.func @of_results(
// CHECK: %[[N:.*]] = flatir.dim %arg0, 0
// CHECK: %[[M:.*]] = arith.addi %[[N]], %{{.*}}
// CHECK-NOT: flatir.dim
// CHECK: kernel.dispatch loop(%arg0, %arg1, %[[N]], %[[M]]) sizes(%[[M]]) sizeArgs = [2, 3]
func.func @of_results(%x: tensor<?x3xf32>, %y: tensor<2x3xf32>) -> tensor<?x3xf32> {
  %c = flatir.concatenate %x, %y dim = 0 : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<?x3xf32>
  %n = flatir.neg %c : tensor<?x3xf32>
  %d = flatir.dim %n, 0 : tensor<?x3xf32>
  %b = flatir.constant dense<1.0> : tensor<f32>
  %s = flatir.broadcast %b dims = [] sizes(%d) : tensor<f32> -> tensor<?x3xf32>
  %r = flatir.add %n, %s : tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}

// A named dimension is one size.
// CHECK-LABEL: func.func @named(
// CHECK: %[[N:.*]] = flatir.dim %arg0, 0
// CHECK-NOT: flatir.dim
// CHECK: kernel.dispatch loop(%arg0, %arg1, %[[N]]) sizes(%[[N]]) sizeArgs = [2, 2, 2]
func.func @named(%x: tensor<?xf32> {tripy.dims = ["n"], tripy.profile = #tripy.profile<min = [1], opt = [2], max = [4]>},
                 %y: tensor<?xf32> {tripy.dims = ["n"], tripy.profile = #tripy.profile<min = [1], opt = [2], max = [4]>}) -> tensor<?xf32> {
  %r = flatir.add %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}

// Other requirements stay as they are.
// CHECK-LABEL: func.func @required(
// CHECK-DAG: %[[N:.*]] = flatir.dim %arg0, 0
// CHECK-DAG: %[[M:.*]] = flatir.dim %arg1, 0
// CHECK: kernel.require broadcastable %[[N]], %[[M]] "they broadcast"
// CHECK: kernel.dispatch loop(%arg0, %arg1, %[[N]], %[[M]])
func.func @required(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %n = flatir.dim %x, 0 : tensor<?xf32>
  %m = flatir.dim %y, 0 : tensor<?xf32>
  flatir.require "broadcastable" %n, %m "they broadcast"
  %b = flatir.broadcast %x dims = [0] sizes(%m) : tensor<?xf32> -> tensor<?xf32>
  %r = flatir.add %b, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}

// A constant size is made inside.
// CHECK-LABEL: func.func @dynamic_slice(
// CHECK: %[[O:.*]] = arith.subi
// CHECK: kernel.dispatch loop(%arg0, %{{.*}}, %[[O]]) sizes()
func.func @dynamic_slice(%x: tensor<?xf32>) -> tensor<2xf32> {
  %c2 = arith.constant 2 : index
  %n = flatir.dim %x, 0 : tensor<?xf32>
  %o = arith.subi %n, %c2 : index
  %r = flatir.slice %x [%o] strides = [1] sizes() : tensor<?xf32> -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// The size as a number.
// CHECK-LABEL: func.func @mean(
// CHECK: %[[N:.*]] = flatir.dim
// CHECK: kernel.dispatch row(%arg0, %[[N]])
// CHECK: flatir.reduce
// CHECK: flatir.from_index
// CHECK: flatir.div
// CHECK-NOT: kernel.dispatch
func.func @mean(%x: tensor<?xf32>) -> tensor<f32> {
  %s = flatir.reduce sum %x dims = [0] : tensor<?xf32> -> tensor<f32>
  %n = flatir.dim %x, 0 : tensor<?xf32>
  %f = flatir.from_index %n : tensor<f32>
  %m = flatir.div %s, %f : tensor<f32>
  return %m : tensor<f32>
}
