// Tiles with mma.sync that are left behind whole waves are split along K, as
// those on CUDA cores are (simt-tail.mlir).
//
// RUN: tripy-opt %s --kernel-emit-cuda=chip=sm_80 | FileCheck %s
// RUN: tripy-opt %s --kernel-choose-schedules=chip=sm_80 | FileCheck %s --check-prefix=CHOSEN

// One tile and long K: 16 parts of 32 x 64 sums of 4 bytes, and a counter.
// CHECK-LABEL: kernel.func @long
// CHECK-SAME: grid = () -> (16, 1, 1), block = [128, 1, 1], cluster = [1, 1, 1]
// CHECK-SAME: workspace = [131072, 4]
// CHECK: gpu.func @long
// CHECK: %[[IS_PART:.*]] = arith.cmpi uge, %{{.*}}, %c0
// CHECK: scf.for {{.*}} step %c32
// CHECK: nvvm.mma.sync
// CHECK: scf.if %[[IS_PART]] -> ({{.*}}, i1)
// CHECK: atom.acq_rel.gpu.global.inc.u32
// CHECK: scf.for
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: arith.addf

// The model chooses so by itself.
// CHOSEN: #kernel.mma_schedule<tile = [32, 64], {{.*}}tailSplitK = 16,
kernel.func @long gemm sizeArgs = [] : (tensor<32x13238xf16>, tensor<31x13238xf16>) -> tensor<32x31xf32> {
^bb0(%a: tensor<32x13238xf16>, %b: tensor<31x13238xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x31xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<32x31xf32>) -> tensor<32x31xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<32x13238xf16>, tensor<31x13238xf16>) outs(%f : tensor<32x31xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %l = arith.extf %x : f16 to f32
    %m = arith.extf %y : f16 to f32
    %p = arith.mulf %l, %m : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<32x31xf32>
  kernel.yield %r : tensor<32x31xf32>
}
