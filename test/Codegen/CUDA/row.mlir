// RUN: tripy-opt %s --split-input-file --kernel-emit-cuda --canonicalize --cse | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// A short row is a warp's: it is loaded once, and both passes use the
// registers.
// CHECK: kernel.func @short row {{.*}} config = <grid = ()[s0] -> (s0 ceildiv 8, 1, 1), block = [256, 1, 1]
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

// A row of dynamic length that is written: a block's threads loop over it. (Of sums alone, blocks may share rows:
// reduction.mlir.)
// CHECK: kernel.func @dynamic row {{.*}} config = <grid = ()[s0, s1] -> (s0, 1, 1), block = [256, 1, 1]
// CHECK: gpu.func @dynamic
// CHECK: scf.for
// CHECK: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK: gpu.shuffle xor
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<1>
kernel.func @dynamic row sizeArgs = [1, 2, 1, 2] : (tensor<?x?xf32>, index, index) -> tensor<?x?xf32> {
^bb0(%a: tensor<?x?xf32>, %n: index, %m: index):
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.addf %o, %x : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a, %s : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %t: f32, %o: f32):
    %y = arith.divf %x, %t : f32
    linalg.yield %y : f32
  } -> tensor<?x?xf32>
  kernel.yield %r : tensor<?x?xf32>
}

// -----

// A row of more than 32768 columns belongs to a cluster. Where it cannot be
// copied in bulk, threads keep some 32 columns each. They send each
// other their sums; the cluster's barrier is passed once, when all have started,
// and no one waits at the end.
// CHECK: kernel.func @long row {{.*}} config = <grid = () -> (2800, 1, 1), block = [448, 1, 1], cluster = [4, 1, 1]
kernel.func @long row sizeArgs = [] : (tensor<700x50001xf32>) -> tensor<700xf32> {
^bb0(%a: tensor<700x50001xf32>):
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<700xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<700xf32>) -> tensor<700xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<700x50001xf32>) outs(%f : tensor<700xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %o, %x : f32
    linalg.yield %s : f32
  } -> tensor<700xf32>
  kernel.yield %0 : tensor<700xf32>
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

// Each long row has a cluster of blocks. A block's part, 32 KB, comes to shared
// memory by one bulk copy; both passes read it from there, 16 bytes at a time,
// so that a thread needs few registers and five blocks live on a
// multiprocessor. Nothing else is read from memory.
// CHECK: kernel.func @staged row {{.*}} config = <grid = () -> (4096, 1, 1), block = [256, 1, 1], cluster = [8, 1, 1], scratch = 32768>
// CHECK: llvm.mlir.global external @staged_shared() {addr_space = 3 : i32, alignment = 128 : i64
// CHECK: gpu.func @staged({{.*}} nvvm.minctasm = 5
// CHECK: nvvm.mbarrier.init
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK: nvvm.cp.async.bulk.shared.cluster.global
// CHECK-NOT: nvvm.cp.async.bulk
// CHECK: nvvm.cluster.arrive.relaxed
// CHECK: mbarrier.try_wait.parity
// CHECK-COUNT-8: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xf16>
// CHECK: gpu.barrier
// CHECK: nvvm.cluster.wait
// CHECK: st.async
// CHECK: mbarrier.try_wait.parity
// CHECK-NOT: llvm.load {{.*}} !llvm.ptr<1>
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xf16>
// CHECK-NOT: llvm.load {{.*}} !llvm.ptr<1>
// CHECK-COUNT-8: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
// CHECK-NOT: nvvm.cluster
// CHECK: gpu.return
kernel.func @staged row sizeArgs = [] : (tensor<512x131072xf16>) -> tensor<512x131072xf16> {
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

// The same for a number of rows that is not known. Rows of 33000 columns are cut
// into parts of 8256, of which the last one has 8232.
// CHECK: kernel.func @stagedDynamic row {{.*}} config = <grid = ()[s0] -> (s0 * 4, 1, 1), block = [256, 1, 1], cluster = [4, 1, 1], scratch = 16512>
// CHECK: gpu.func @stagedDynamic
// CHECK: nvvm.cp.async.bulk.shared.cluster.global
kernel.func @stagedDynamic row sizeArgs = [1, 1] : (tensor<?x33000xf16>, index) -> tensor<?x33000xf16> {
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
// CHECK: kernel.func @unaligned row {{.*}} config = <grid = () -> (2048, 1, 1), block = [352, 1, 1], cluster = [4, 1, 1], scratch = 0>
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
