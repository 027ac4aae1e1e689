// RUN: tripy-opt %s | tripy-opt | FileCheck %s

// A plan at the edges of its rules: a buffer that ends where the arena does, an
// empty one on top of another, a kernel with a workspace, sizes as arguments.
// CHECK-LABEL: func.func @edges(
// CHECK: kernel.buffer arena 0 offset = 256 size = 768
// CHECK: kernel.launch @k {{.*}} written = 3
func.func @edges(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>}) -> index
    attributes {kernel.arena = 1028 : i64, kernel.constants = [], kernel.output_names = ["y"], kernel.outputs = [tensor<?xf32>]} {
  %n = kernel.input_size 0, 0
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c768 = arith.constant 768 : index
  kernel.require at_most %n, %c4 "it is small"
  %in = kernel.buffer input 0
  %out = kernel.buffer output 0
  %space = kernel.buffer arena 0 offset = 256 size = 768
  %zeros = kernel.buffer zeroed 0 offset = 1024 size = 4
  kernel.launch @k grid(%n, %c1, %c1) buffers(%in, %out, %space, %zeros) bytes(%n, %n, %c768, %c4) sizes(%n) written = 3
  %empty = kernel.buffer arena 0 offset = 256
  kernel.launch @none grid(%c1, %c1, %c1) buffers(%empty, %out) bytes(%c0, %n) sizes(%n) written = 1
  return %n : index
}
kernel.func @k loop sizeArgs = [1, 1] config = <grid = ()[s0] -> (s0, 1, 1), block = [1024, 1, 1], cluster = [16, 1, 1], scratch = 0 workspace = [768, 4], tensor_maps = [<buffer = 1, dims = ()[s0] -> (s0), strides = ()[s0] -> (), box = [256], swizzle = 0>]> : (tensor<?xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<?xf32>, %n: index):
  kernel.yield %a : tensor<?xf32>
}
kernel.func @none loop sizeArgs = [1] config = <grid = ()[s0] -> (1, 1, 1), block = [1, 1, 64], cluster = [1, 1, 1], scratch = 0> : (tensor<0xf32>, index) -> tensor<?xf32> {
^bb0(%a: tensor<0xf32>, %n: index):
  %0 = tensor.empty(%n) : tensor<?xf32>
  kernel.yield %0 : tensor<?xf32>
}
