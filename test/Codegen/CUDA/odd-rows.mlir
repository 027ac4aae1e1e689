// RUN: tripy-opt %s --kernel-emit-cuda --canonicalize --cse | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>

// Where rows may be anything on both sides, the last of three versions takes
// words too, from a tile with a word and a row more.
// CHECK: kernel.func @dynamic loop {{.*}} config = <grid = ()[s0, s1] -> ({{.*}}ceildiv 32{{.*}}, 1, 1), block = [128, 1, 1]
kernel.func @dynamic loop sizeArgs = [1, 1, 2, 1] {sizes = #kernel.sizes<[2, 500, 700], [2, 500, 700]>} : (tensor<?x?xf16>, index, index) -> tensor<?x?xf16> {
^bb0(%a: tensor<?x?xf16>, %n: index, %m: index):
  %e = tensor.empty(%m, %n) : tensor<?x?xf16>
  %0 = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<?x?xf16>) outs(%e : tensor<?x?xf16>) {
  ^bb0(%x: f16, %o: f16):
    linalg.yield %x : f16
  } -> tensor<?x?xf16>
  kernel.yield %0 : tensor<?x?xf16>
}

// Rows of one side alone: 8 bytes on the other are worth more.
// CHECK: kernel.func @one loop
kernel.func @one loop sizeArgs = [] : (tensor<519x2484xf16>) -> tensor<2484x519xf16> {
^bb0(%a: tensor<519x2484xf16>):
  %e = tensor.empty() : tensor<2484x519xf16>
  %0 = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<519x2484xf16>) outs(%e : tensor<2484x519xf16>) {
  ^bb0(%x: f16, %o: f16):
    linalg.yield %x : f16
  } -> tensor<2484x519xf16>
  kernel.yield %0 : tensor<2484x519xf16>
}

// Words of 4 elements, up to 3 of which are in front of the tile.
// CHECK: kernel.func @bytes loop {{.*}} block = [256, 1, 1]
kernel.func @bytes loop sizeArgs = [] : (tensor<2587x5187xi8>) -> tensor<5187x2587xi8> {
^bb0(%a: tensor<2587x5187xi8>):
  %e = tensor.empty() : tensor<5187x2587xi8>
  %0 = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<2587x5187xi8>) outs(%e : tensor<5187x2587xi8>) {
  ^bb0(%x: i8, %o: i8):
    linalg.yield %x : i8
  } -> tensor<5187x2587xi8>
  kernel.yield %0 : tensor<5187x2587xi8>
}

// CHECK-DAG: llvm.mlir.global internal @dynamic.tile0() {{.*}} : !llvm.array<1156 x f16>
// CHECK-DAG: llvm.mlir.global internal @bytes.tile0() {{.*}} : !llvm.array<4624 x i8>
// CHECK-LABEL: gpu.func @dynamic(
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK: } else {
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xf16>
// CHECK: } else {
// CHECK-COUNT-5: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<2xf16>
// CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 4 : i64} : vector<2xf16>, !llvm.ptr<1>
// CHECK-LABEL: gpu.func @one(
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<4xf16>
// CHECK-LABEL: gpu.func @bytes(
// CHECK-COUNT-5: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<4xi8>
// CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 4 : i64} : vector<4xi8>, !llvm.ptr<1>
// CHECK: gpu.return
