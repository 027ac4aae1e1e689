// RUN: tripy-opt %s --split-input-file --kernel-emit-cuda --canonicalize --cse | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// A short row is a warp's: it is loaded once, and both passes use the
// registers.
// CHECK: kernel.func @short row {{.*}} config = <grid = ()[s0] -> (s0 ceildiv 4, 1, 1), block = [128, 1, 1]
// CHECK: gpu.func @short
// CHECK-COUNT-1: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-NOT: llvm.load
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: gpu.barrier
// CHECK-NOT: llvm.load
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>
kernel.func @short row sizeArgs = [1, 1] : (tensor<?x128xf32>, index) -> tensor<?x128xf32> {
^bb0(%a: tensor<?x128xf32>, %n: index):
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<?x128xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.addf %o, %x : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?x128xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %s : tensor<?x128xf32>, tensor<?xf32>) outs(%e : tensor<?x128xf32>) {
  ^bb0(%x: f32, %t: f32, %o: f32):
    %y = arith.divf %x, %t : f32
    linalg.yield %y : f32
  } -> tensor<?x128xf32>
  kernel.yield %r : tensor<?x128xf32>
}

// -----

// A row of dynamic length: a block's threads loop over it.
// CHECK: kernel.func @dynamic row {{.*}} config = <grid = ()[s0, s1] -> (s0, 1, 1), block = [256, 1, 1]
// CHECK: gpu.func @dynamic
// CHECK: scf.for
// CHECK: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK: gpu.shuffle xor
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<1>
kernel.func @dynamic row sizeArgs = [1, 2, 1] : (tensor<?x?xf32>, index, index) -> tensor<?xf32> {
^bb0(%a: tensor<?x?xf32>, %n: index, %m: index):
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.addf %o, %x : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  kernel.yield %s : tensor<?xf32>
}

// -----

// A row of more than 32768 columns belongs to a cluster, whose blocks keep 32
// columns for each thread. They send each other their sums; the cluster's barrier
// is passed once, when all have started, and no one waits at the end.
// CHECK: kernel.func @long row {{.*}} config = <grid = () -> (28, 1, 1), block = [512, 1, 1], cluster = [4, 1, 1]
kernel.func @long row sizeArgs = [] : (tensor<7x50000xf32>) -> tensor<7xf32> {
^bb0(%a: tensor<7x50000xf32>):
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<7xf32>) -> tensor<7xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<7x50000xf32>) outs(%f : tensor<7xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %o, %x : f32
    linalg.yield %s : f32
  } -> tensor<7xf32>
  kernel.yield %0 : tensor<7xf32>
}
// CHECK: gpu.func @long
// CHECK: nvvm.mbarrier.init
// CHECK: nvvm.cluster.arrive.relaxed
// CHECK-NOT: scf.for
// CHECK: nvvm.cluster.wait
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-COUNT-2: nvvm.mapa
// CHECK: scf.if
// CHECK-NEXT: llvm.inline_asm {{.*}}st.async
// CHECK: mbarrier.try_wait.parity
// CHECK-COUNT-2: gpu.shuffle xor
// CHECK-NOT: nvvm.cluster
// CHECK: gpu.return

// -----

// Of many long rows, clusters of blocks take several: 28 clusters 17 rows each,
// the 36 that are left one by one. Three slots of 32 KB: the first rows are
// requested in front of the loop. In it a row is waited for, taken to registers
// 16 bytes at a time, and its slot is requested again behind the barrier of the
// first reduction. A single reduction joins warps and blocks in two places in
// turn, without a barrier of the cluster. Nothing else is read from memory.
// CHECK: kernel.func @staying row {{.*}} config = <grid = () -> (512, 1, 1), block = [512, 1, 1], cluster = [8, 1, 1], scratch = 98304>
// CHECK: llvm.mlir.global internal @staying.parts0() {{.*}} : !llvm.array<16 x i32>
// CHECK: llvm.mlir.global internal @staying.partials0() {{.*}} : !llvm.array<64 x f32>
// CHECK: llvm.mlir.global external @staying_shared() {addr_space = 3 : i32, alignment = 128 : i64
// CHECK: gpu.func @staying({{.*}} nvvm.minctasm = 2
// CHECK-COUNT-5: nvvm.mbarrier.init
// CHECK: nvvm.cluster.arrive.relaxed
// CHECK-COUNT-3: nvvm.cp.async.bulk.shared.cluster.global
// CHECK: nvvm.cluster.wait
// CHECK: scf.for
// CHECK: mbarrier.try_wait.parity
// CHECK-COUNT-4: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xf16>
// CHECK: gpu.barrier
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK: nvvm.cp.async.bulk.shared.cluster.global
// CHECK: st.async
// CHECK: mbarrier.try_wait.parity
// CHECK-NOT: llvm.load {{.*}} !llvm.ptr<1>
// CHECK-COUNT-4: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
// CHECK-NOT: nvvm.cluster
// CHECK: gpu.return
kernel.func @staying row sizeArgs = [] : (tensor<512x131072xf16>) -> tensor<512x131072xf16> {
^bb0(%a: tensor<512x131072xf16>):
  %z = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e1 : tensor<512xf32>) -> tensor<512xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<512x131072xf16>) outs(%f : tensor<512xf32>) {
  ^bb0(%x: f16, %o: f32):
    %w = arith.extf %x : f16 to f32
    %y = arith.addf %o, %w : f32
    linalg.yield %y : f32
  } -> tensor<512xf32>
  %e = tensor.empty() : tensor<512x131072xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a, %s : tensor<512x131072xf16>, tensor<512xf32>) outs(%e : tensor<512x131072xf16>) {
  ^bb0(%x: f16, %t: f32, %o: f16):
    %w = arith.extf %x : f16 to f32
    %y = arith.mulf %w, %t : f32
    %v = arith.truncf %y : f32 to f16
    linalg.yield %v : f16
  } -> tensor<512x131072xf16>
  kernel.yield %r : tensor<512x131072xf16>
}

// -----

// The same for a number of rows that is not known: of fewer than 30, each has a
// cluster of its own. Rows of 33000 columns are cut into parts of 8256,
// of which the last one has 8232.
// CHECK: kernel.func @stayingDynamic row {{.*}} config = <grid = ()[s0] -> ((s0 mod 30 + (s0 floordiv 30) * 2 + ((s0 floordiv 30) ceildiv 1099511627776) * 28) * 4, 1, 1), block = [512, 1, 1], cluster = [4, 1, 1], scratch = 49536>
// CHECK: gpu.func @stayingDynamic
// CHECK: nvvm.cp.async.bulk.shared.cluster.global
kernel.func @stayingDynamic row sizeArgs = [1, 1] : (tensor<?x33000xf16>, index) -> tensor<?x33000xf16> {
^bb0(%a: tensor<?x33000xf16>, %n: index):
  %z = arith.constant 0.0 : f32
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<?x33000xf16>) outs(%f : tensor<?xf32>) {
  ^bb0(%x: f16, %o: f32):
    %w = arith.extf %x : f16 to f32
    %y = arith.addf %o, %w : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?x33000xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a, %s : tensor<?x33000xf16>, tensor<?xf32>) outs(%e : tensor<?x33000xf16>) {
  ^bb0(%x: f16, %t: f32, %o: f16):
    %w = arith.extf %x : f16 to f32
    %y = arith.mulf %w, %t : f32
    %v = arith.truncf %y : f32 to f16
    linalg.yield %v : f16
  } -> tensor<?x33000xf16>
  kernel.yield %r : tensor<?x33000xf16>
}

// -----

// Rows that do not begin at multiples of 16 bytes cannot be copied in bulk.
// CHECK: kernel.func @unaligned row {{.*}} config = <grid = () -> (2048, 1, 1), block = [512, 1, 1], cluster = [4, 1, 1], scratch = 0>
// CHECK: gpu.func @unaligned
// CHECK-NOT: nvvm.cp.async.bulk
// CHECK: gpu.return
kernel.func @unaligned row sizeArgs = [] : (tensor<512x33001xf16>) -> tensor<512x33001xf16> {
^bb0(%a: tensor<512x33001xf16>):
  %z = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e1 : tensor<512xf32>) -> tensor<512xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<512x33001xf16>) outs(%f : tensor<512xf32>) {
  ^bb0(%x: f16, %o: f32):
    %w = arith.extf %x : f16 to f32
    %y = arith.addf %o, %w : f32
    linalg.yield %y : f32
  } -> tensor<512xf32>
  %e = tensor.empty() : tensor<512x33001xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a, %s : tensor<512x33001xf16>, tensor<512xf32>) outs(%e : tensor<512x33001xf16>) {
  ^bb0(%x: f16, %t: f32, %o: f16):
    %w = arith.extf %x : f16 to f32
    %y = arith.mulf %w, %t : f32
    %v = arith.truncf %y : f32 to f16
    linalg.yield %v : f16
  } -> tensor<512x33001xf16>
  kernel.yield %r : tensor<512x33001xf16>
}
