// RUN: tripy-opt %s --kernel-emit-cuda --canonicalize --cse | FileCheck %s
// RUN: tripy-opt %s --kernel-emit-cuda=chip=sm_80 --canonicalize --cse | FileCheck %s --check-prefix=OLD

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>

// 16384 columns are 64 strips: the blocks of a cluster share the rows of one, and
// one of them joins the others' sums. (Of fewer strips: reduction.mlir.)
// CHECK: kernel.func @tall reduce {{.*}} config = <grid = () -> (512, 1, 1), block = [256, 1, 1], cluster = [8, 1, 1]
// OLD: kernel.func @tall reduce {{.*}} config = <grid = () -> (64, 1, 1), block = [256, 1, 1]
// OLD-NOT: cluster = [8
// OLD-NOT: nvvm.mapa
kernel.func @tall reduce sizeArgs = [] : (tensor<8192x16384xf16>) -> tensor<16384xf16> {
^bb0(%a: tensor<8192x16384xf16>):
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16384xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16384xf32>) -> tensor<16384xf32>
  %0 = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]} ins(%a : tensor<8192x16384xf16>) outs(%f : tensor<16384xf32>) {
  ^bb0(%x: f16, %o: f32):
    %w = arith.extf %x : f16 to f32
    %s = arith.addf %o, %w : f32
    linalg.yield %s : f32
  } -> tensor<16384xf32>
  %r = tensor.empty() : tensor<16384xf16>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%0 : tensor<16384xf32>) outs(%r : tensor<16384xf16>) {
  ^bb0(%x: f32, %o: f16):
    %n = arith.truncf %x : f32 to f16
    linalg.yield %n : f16
  } -> tensor<16384xf16>
  kernel.yield %1 : tensor<16384xf16>
}

// Few rows: no cluster. An odd number of columns: single elements.
// CHECK: kernel.func @odd reduce {{.*}} config = <grid = () -> (3, 1, 1), block = [256, 1, 1]
kernel.func @odd reduce sizeArgs = [] : (tensor<2x301xf32>) -> tensor<301xf32> {
^bb0(%a: tensor<2x301xf32>):
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<301xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<301xf32>) -> tensor<301xf32>
  %0 = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]} ins(%a : tensor<2x301xf32>) outs(%f : tensor<301xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %o, %x : f32
    linalg.yield %s : f32
  } -> tensor<301xf32>
  kernel.yield %0 : tensor<301xf32>
}

// Four rows are in flight at a time, 16 bytes of each, which pass the L1 cache.
// CHECK-LABEL: gpu.func @tall(
// CHECK: nvvm.cluster.arrive.relaxed
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK: scf.for
// CHECK-COUNT-4: llvm.inline_asm {{.*}}ld.global.nc.L1::no_allocate.v4.b32
// CHECK: gpu.barrier
// CHECK: nvvm.cluster.wait
// CHECK-COUNT-2: llvm.inline_asm {{.*}}st.async{{.*}}v4.b32
// CHECK: mbarrier.try_wait.parity
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
// CHECK-NOT: nvvm.cluster
// CHECK-LABEL: gpu.func @odd(
// CHECK: llvm.inline_asm {{.*}}ld.global.nc.L1::no_allocate.b32
// CHECK-NOT: nvvm.cluster
// CHECK: gpu.return
