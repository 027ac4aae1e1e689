// A matrix times a few vectors has a kernel of its own.
//
// RUN: tripy-opt %s --kernel-emit-cuda --canonicalize --cse | FileCheck %s
// RUN: tripy-opt %s --kernel-emit-cuda=chip=sm_80 --canonicalize --cse | FileCheck %s --check-prefix=OLD

#x = affine_map<(m, n, k) -> (m, k)>
#rows = affine_map<(m, n, k) -> (n, k)>
#columns = affine_map<(m, n, k) -> (k, n)>
#y = affine_map<(m, n, k) -> (m, n)>

// Rows along K: a warp for each column, which has enough of them.
// CHECK: kernel.func @linear gemm {{.*}} config = <grid = () -> (512, 1, 1), block = [256, 1, 1], cluster = [1, 1, 1]
// OLD: kernel.func @linear gemm {{.*}} config = <grid = () -> (512, 1, 1), block = [256, 1, 1], cluster = [1, 1, 1]
kernel.func @linear gemm sizeArgs = [] : (tensor<1x4096xf16>, tensor<4096x4096xf16>) -> tensor<1x4096xf32> {
^bb0(%x: tensor<1x4096xf16>, %w: tensor<4096x4096xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4096xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4096xf32>) -> tensor<1x4096xf32>
  %0 = linalg.generic {indexing_maps = [#x, #rows, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<1x4096xf16>, tensor<4096x4096xf16>) outs(%f : tensor<1x4096xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<1x4096xf32>
  kernel.yield %0 : tensor<1x4096xf32>
}

// Along the columns: K is shared by 16 parts of a block and 8 blocks of a
// cluster; an older card has blocks alone. (Rows of A that are no
// multiple of 16 bytes keep it from tensor cores.)
// CHECK: kernel.func @matmul gemm {{.*}} config = <grid = () -> (128, 1, 1), block = [512, 1, 1], cluster = [8, 1, 1]
// OLD: kernel.func @matmul gemm {{.*}} config = <grid = () -> (64, 1, 1), block = [512, 1, 1], cluster = [1, 1, 1]
kernel.func @matmul gemm sizeArgs = [] : (tensor<1x4092xf16>, tensor<4092x4096xf16>) -> tensor<1x4096xf32> {
^bb0(%x: tensor<1x4092xf16>, %w: tensor<4092x4096xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4096xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4096xf32>) -> tensor<1x4096xf32>
  %0 = linalg.generic {indexing_maps = [#x, #columns, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<1x4092xf16>, tensor<4092x4096xf16>) outs(%f : tensor<1x4096xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<1x4096xf32>
  kernel.yield %0 : tensor<1x4096xf32>
}

// The sides change places when the result has few columns, whatever their
// number of rows: here only a run knows it.
// CHECK: kernel.func @turned gemm {{.*}} config = <grid = ()[s0] -> (s0 ceildiv 8, 1, 1), block = [256, 1, 1], cluster = [1, 1, 1]
kernel.func @turned gemm sizeArgs = [2, 2] : (tensor<?x4096xf16>, tensor<1x4096xf16>, index) -> tensor<?x1xf32> {
^bb0(%x: tensor<?x4096xf16>, %w: tensor<1x4096xf16>, %n: index):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x1xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x1xf32>) -> tensor<?x1xf32>
  %0 = linalg.generic {indexing_maps = [#x, #rows, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<?x4096xf16>, tensor<1x4096xf16>) outs(%f : tensor<?x1xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<?x1xf32>
  kernel.yield %0 : tensor<?x1xf32>
}

// Nine rows are not few.
// CHECK: kernel.func @nine gemm
// CHECK-SAME: tensor_maps
kernel.func @nine gemm sizeArgs = [] : (tensor<9x4096xf16>, tensor<4096x4096xf16>) -> tensor<9x4096xf32> {
^bb0(%x: tensor<9x4096xf16>, %w: tensor<4096x4096xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9x4096xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<9x4096xf32>) -> tensor<9x4096xf32>
  %0 = linalg.generic {indexing_maps = [#x, #rows, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<9x4096xf16>, tensor<4096x4096xf16>) outs(%f : tensor<9x4096xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<9x4096xf32>
  kernel.yield %0 : tensor<9x4096xf32>
}

// Four accesses are in flight; the threads of a warp add up by shuffles. The
// assembler is told how many blocks a multiprocessor is to hold.
// CHECK-LABEL: gpu.func @linear(
// CHECK-SAME: nvvm.minctasm = 3
// CHECK: scf.for
// CHECK-COUNT-4: llvm.inline_asm {{.*}}"ld.global.nc.L1::no_allocate.v4.b32
// CHECK: math.fma
// CHECK-COUNT-5: gpu.shuffle
// CHECK: gpu.barrier
// CHECK-NOT: nvvm.cluster
// CHECK-LABEL: gpu.func @matmul(
// CHECK-COUNT-8: "ld.global.nc.L1::no_allocate.v4.b32
// CHECK-NOT: gpu.shuffle
// CHECK: gpu.barrier
// CHECK: nvvm.cluster.arrive
// CHECK-COUNT-8: nvvm.mapa
// CHECK: nvvm.cluster.arrive
// CHECK-LABEL: gpu.func @turned(
// CHECK-COUNT-4: "ld.global.nc.L1::no_allocate.v4.b32
// OLD-NOT: griddepcontrol
