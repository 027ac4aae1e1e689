// RUN: tripy-opt %s --kernel-emit-cuda --canonicalize --cse | FileCheck %s

// What is read at places that are data waits for two loads in turn: a thread of
// a large kernel has two vectors, and reads all of them before it writes one.
// 8501 rows of 128 vectors are 2126 blocks of 512 vectors, the last not full.
// CHECK: kernel.func @gathering loop {{.*}} config = <grid = () -> (2126, 1, 1), block = [256, 1, 1]
// CHECK: gpu.func @gathering
// CHECK-COUNT-2: -> vector<8xf16>
// CHECK-NOT: llvm.load
// CHECK-COUNT-2: scf.if
// CHECK: gpu.return
kernel.func @gathering loop sizeArgs = [] : (tensor<1000x1024xf16>, tensor<8501xi32>) -> tensor<8501x1024xf16> {
^bb0(%w: tensor<1000x1024xf16>, %i: tensor<8501xi32>):
  %e = tensor.empty() : tensor<8501x1024xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<8501xi32>) outs(%e : tensor<8501x1024xf16>) {
  ^bb0(%place: i32, %o: f16):
    %row = arith.index_cast %place : i32 to index
    %column = linalg.index 1 : index
    %x = tensor.extract %w[%row, %column] : tensor<1000x1024xf16>
    linalg.yield %x : f16
  } -> tensor<8501x1024xf16>
  kernel.yield %r : tensor<8501x1024xf16>
}
