// A ring that has all of shared memory leaves no room for a split tail.
// RUN: not tripy-opt %s --kernel-choose-schedules=chip=sm_86 2>&1 | FileCheck %s
// CHECK: the schedule is illegal: shared memory has room for the rings of all blocks of a multiprocessor
kernel.func @k gemm sizeArgs = [] {schedule = #kernel.mma_schedule<tile = [16, 128], stages = 11, kBytes = 64, tailSplitK = 2, resident = 1>} : (tensor<64x512xf16>, tensor<64x512xf16>) -> tensor<64x64xf32> {
^bb0(%a: tensor<64x512xf16>, %b: tensor<64x512xf16>):
  %dz = arith.constant 0.0 : f32
  %de = tensor.empty() : tensor<64x64xf32>
  %df = linalg.fill ins(%dz : f32) outs(%de : tensor<64x64xf32>) -> tensor<64x64xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<64x512xf16>, tensor<64x512xf16>) outs(%df : tensor<64x64xf32>) {
  ^bb0(%x: f16, %y: f16, %acc: f32):
    %x1 = arith.extf %x : f16 to f32
    %y1 = arith.extf %y : f16 to f32
    %p = arith.mulf %x1, %y1 : f32
    %t = arith.addf %acc, %p : f32
    linalg.yield %t : f32
  } -> tensor<64x64xf32>
  kernel.yield %d : tensor<64x64xf32>
}
