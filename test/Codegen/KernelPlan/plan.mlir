// RUN: tripy-opt %s --kernel-plan | FileCheck %s

// A chain: the first and the third intermediate share memory, the second does
// not; the result goes to the output directly. Sizes are those of the profile's
// largest batch, 8.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: -> index
// CHECK-SAME: kernel.arena = 1024 : i64
// CHECK-SAME: kernel.output_names = ["y"]
// CHECK-SAME: kernel.outputs = [tensor<?x16xf32>]
// CHECK-DAG: %[[N:.*]] = kernel.input_size 0, 0
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
// CHECK: %[[BYTES:.*]] = arith.muli %[[N]], %[[C64]]
// CHECK: %[[IN:.*]] = kernel.buffer input 0
// CHECK: %[[A:.*]] = kernel.buffer arena 0 size = 512
// CHECK: kernel.launch @k grid(%[[N]], %{{.*}}, %{{.*}}) buffers(%[[IN]], %[[A]]) bytes(%[[BYTES]], %[[BYTES]]) sizes(%[[N]]) written = 1
// CHECK: %[[B:.*]] = kernel.buffer arena 0 offset = 512 size = 512
// CHECK: kernel.launch @k {{.*}} buffers(%[[A]], %[[B]])
// CHECK: %[[C:.*]] = kernel.buffer arena 0 size = 512
// CHECK: kernel.launch @k {{.*}} buffers(%[[B]], %[[C]])
// CHECK: %[[OUT:.*]] = kernel.buffer output 0
// CHECK: kernel.launch @k {{.*}} buffers(%[[C]], %[[OUT]])
// CHECK: return %[[N]] : index
func.func @chain(%x: tensor<?x16xf32> {tripy.profile = #tripy.profile<min = [0, 16], opt = [4, 16], max = [8, 16]>})
    -> (tensor<?x16xf32> {tripy.name = "y"}) {
  %n = flatir.dim %x, 0 : tensor<?x16xf32>
  %dead = kernel.call @k(%x, %n) sizes(%n) : (tensor<?x16xf32>, index) -> tensor<?x16xf32>
  %0 = kernel.call @k(%x, %n) sizes(%n) : (tensor<?x16xf32>, index) -> tensor<?x16xf32>
  %1 = kernel.call @k(%0, %n) sizes(%n) : (tensor<?x16xf32>, index) -> tensor<?x16xf32>
  %m = flatir.dim %1, 0 : tensor<?x16xf32>
  %2 = kernel.call @k(%1, %m) sizes(%m) : (tensor<?x16xf32>, index) -> tensor<?x16xf32>
  %3 = kernel.call @k(%2, %n) sizes(%n) : (tensor<?x16xf32>, index) -> tensor<?x16xf32>
  return %3 : tensor<?x16xf32>
}

// Constants are listed once; an i1 takes a byte; equal results are computed
// once each.
// CHECK-LABEL: func.func @constants(
// CHECK-SAME: kernel.arena = 0 : i64
// CHECK-SAME: kernel.constants = [dense<[true, false, true]> : tensor<3xi1>]
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK: %[[IN:.*]] = kernel.buffer constant 0
// CHECK: %[[O0:.*]] = kernel.buffer output 0
// CHECK: kernel.launch @bits {{.*}} buffers(%[[IN]], %[[O0]]) bytes(%[[C3]], %[[C3]]) sizes() written = 1
// CHECK: %[[O1:.*]] = kernel.buffer output 1
// CHECK: kernel.launch @bits {{.*}} buffers(%[[IN]], %[[O1]])
func.func @constants() -> (tensor<3xi1>, tensor<3xi1>) {
  %c = flatir.constant dense<[true, false, true]> : tensor<3xi1>
  %0 = kernel.call @bits(%c) sizes() : (tensor<3xi1>) -> tensor<3xi1>
  return %0, %0 : tensor<3xi1>, tensor<3xi1>
}

// Sizes: what the size of a broadcast is, clamping, division.
// CHECK-LABEL: func.func @sizes(
// CHECK-DAG: %[[A:.*]] = kernel.input_size 0, 0
// CHECK-DAG: %[[B:.*]] = kernel.input_size 1, 0
// CHECK: kernel.require broadcastable %[[A]], %[[B]] "the operands of 'add' agree in dimension 0"
// CHECK: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: %[[IS1:.*]] = arith.cmpi eq, %[[A]], %[[ONE]]
// CHECK: %[[R:.*]] = arith.select %[[IS1]], %[[B]], %[[A]]
// CHECK: return %[[R]]
func.func @sizes(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [1], opt = [4], max = [8]>},
                 %y: tensor<?xf32> {tripy.profile = #tripy.profile<min = [1], opt = [4], max = [8]>})
    -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %n = flatir.dim %x, 0 : tensor<?xf32>
  %m = flatir.dim %y, 0 : tensor<?xf32>
  kernel.require broadcastable %n, %m "the operands of 'add' agree in dimension 0"
  %is1 = arith.cmpi eq, %n, %c1 : index
  %r = arith.select %is1, %m, %n : index
  %0 = kernel.call @add(%x, %y, %n, %m, %r) sizes(%r) : (tensor<?xf32>, tensor<?xf32>, index, index, index) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

kernel.func @k loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?x16xf32>, index) -> tensor<?x16xf32> {
^bb0(%a: tensor<?x16xf32>, %d: index):
  kernel.yield %a : tensor<?x16xf32>
}
kernel.func @bits loop sizeArgs = [] config = <grid = () -> (1, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<3xi1>) -> tensor<3xi1> {
^bb0(%a: tensor<3xi1>):
  kernel.yield %a : tensor<3xi1>
}
kernel.func @add loop sizeArgs = [2, 3, 4] config = <grid = ()[s0, s1, s2] -> (s2 ceildiv 4096, 1, 1), block = [1, 1, 1], cluster = [1, 1, 1], scratch = 0> : (tensor<?xf32>, tensor<?xf32>, index, index, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %b: tensor<?xf32>, %n: index, %m: index, %r: index):
  %0 = tensor.empty(%r) : tensor<?xf32>
  kernel.yield %0 : tensor<?xf32>
}
