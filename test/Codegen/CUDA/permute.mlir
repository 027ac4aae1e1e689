// Permutes with short dimensions on both sides: a block takes a box of several
// dimensions, whose elements are runs of memory in both tensors.
//
// RUN: tripy-opt %s --kernel-emit-cuda --canonicalize --cse | FileCheck %s

#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// 197 x 2 are one dimension of both tensors, and a box has 32 x 3 neighbours of
// one and 64 of the other.
// CHECK: kernel.func @reversed loop {{.*}} config = <grid = () -> (294, 1, 1), block = [256, 1, 1]
kernel.func @reversed loop sizeArgs = [] : (tensor<197x2x1316x3xf16>) -> tensor<3x1316x197x2xf16> {
^bb0(%a: tensor<197x2x1316x3xf16>):
  %e = tensor.empty() : tensor<3x1316x197x2xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d2, d3, d1, d0)>, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a : tensor<197x2x1316x3xf16>) outs(%e : tensor<3x1316x197x2xf16>) {
  ^bb0(%x: f16, %o: f16):
    linalg.yield %x : f16
  } -> tensor<3x1316x197x2xf16>
  kernel.yield %0 : tensor<3x1316x197x2xf16>
}

// The same where 197 is n: the box is that of the expected size.
// CHECK: kernel.func @dynamic loop {{.*}} config = <grid = ()[s0] -> (((s0 * 2) ceildiv 64) * 42
kernel.func @dynamic loop sizeArgs = [1, 1] {sizes = #kernel.sizes<[1, 197, 256]>} : (tensor<?x2x1316x3xf16>, index) -> tensor<3x1316x?x2xf16> {
^bb0(%a: tensor<?x2x1316x3xf16>, %n: index):
  %e = tensor.empty(%n) : tensor<3x1316x?x2xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d2, d3, d1, d0)>, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a : tensor<?x2x1316x3xf16>) outs(%e : tensor<3x1316x?x2xf16>) {
  ^bb0(%x: f16, %o: f16):
    linalg.yield %x : f16
  } -> tensor<3x1316x?x2xf16>
  kernel.yield %0 : tensor<3x1316x?x2xf16>
}

// Three channels: 2048 places of each, which are 6144 elements side by side.
// CHECK: kernel.func @channels loop {{.*}} config = <grid = () -> (800, 1, 1), block = [256, 1, 1]
kernel.func @channels loop sizeArgs = [] : (tensor<32x3x224x224xf16>) -> tensor<32x224x224x3xf16> {
^bb0(%a: tensor<32x3x224x224xf16>):
  %e = tensor.empty() : tensor<32x224x224x3xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a : tensor<32x3x224x224xf16>) outs(%e : tensor<32x224x224x3xf16>) {
  ^bb0(%x: f16, %o: f16):
    linalg.yield %x : f16
  } -> tensor<32x224x224x3xf16>
  kernel.yield %0 : tensor<32x224x224x3xf16>
}

// Many small matrices: a box has 32 of them, and nothing else is contiguous.
// CHECK: kernel.func @matrices loop {{.*}} config = <grid = () -> (63, 1, 1), block = [128, 1, 1]
kernel.func @matrices loop sizeArgs = [] : (tensor<2000x5x7xf32>) -> tensor<2000x7x5xf32> {
^bb0(%a: tensor<2000x5x7xf32>):
  %e = tensor.empty() : tensor<2000x7x5xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a : tensor<2000x5x7xf32>) outs(%e : tensor<2000x7x5xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<2000x7x5xf32>
  kernel.yield %0 : tensor<2000x7x5xf32>
}

// Few elements, and rows that have an access of 16 bytes in common, are left to
// loops.
// CHECK: kernel.func @few loop {{.*}} block = [256, 1, 1]
kernel.func @few loop sizeArgs = [] : (tensor<100x5x7xf32>) -> tensor<100x7x5xf32> {
^bb0(%a: tensor<100x5x7xf32>):
  %e = tensor.empty() : tensor<100x7x5xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a : tensor<100x5x7xf32>) outs(%e : tensor<100x7x5xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<100x7x5xf32>
  kernel.yield %0 : tensor<100x7x5xf32>
}

kernel.func @heads loop sizeArgs = [] : (tensor<64x50x40x4xf32>) -> tensor<64x40x50x4xf32> {
^bb0(%a: tensor<64x50x40x4xf32>):
  %e = tensor.empty() : tensor<64x40x50x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a : tensor<64x50x40x4xf32>) outs(%e : tensor<64x40x50x4xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<64x40x50x4xf32>
  kernel.yield %0 : tensor<64x40x50x4xf32>
}

// CHECK-DAG: llvm.mlir.global internal @reversed.box0()
// CHECK-LABEL: gpu.func @reversed(
// CHECK-COUNT-6: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<4xf16>
// CHECK: gpu.barrier
// CHECK-COUNT-12: llvm.store %{{.*}} {alignment = 4 : i64} : vector<2xf16>, !llvm.ptr<1>
// CHECK-LABEL: gpu.func @channels(
// CHECK-COUNT-3: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK: gpu.barrier
// CHECK-COUNT-3: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
// CHECK-LABEL: gpu.func @matrices(
// CHECK: gpu.barrier
// CHECK-LABEL: gpu.func @few(
// CHECK-NOT: gpu.barrier
// CHECK-LABEL: gpu.func @heads(
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
