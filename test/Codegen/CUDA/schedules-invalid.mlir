// Schedules that are no schedules, or not for the kernel: rules that need neither a model nor a GPU, and those of each kind.
// RUN: tripy-opt %s --split-input-file --verify-diagnostics --kernel-choose-schedules

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: a tile has 64, 128 or 192 rows, with swapAB a multiple of 8 up to 256; found #kernel.wgmma_schedule<tile = [96, 128], stages = 4>}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.wgmma_schedule<tile = [96, 128], stages = 4>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: tiles that overlap have 16-bit results whose rows are not a multiple of 32 bytes, and an epilogue that reads no more than one tensor like the result}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.wgmma_schedule<tile = [64, 128], stages = 4, overlap = true>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: tiles that overlap use neither split-K, stream-K nor swapAB, and share no k-blocks of A}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.wgmma_schedule<tile = [64, 128], stages = 4, splitK = 2, overlap = true>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: a ping-pong consumer has registers for 128 x 192 accumulators}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.wgmma_schedule<tile = [128, 256], stages = 4, consumers = pingpong>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: a cluster has at most 8 blocks}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.wgmma_schedule<tile = [64, 64], stages = 4, clusterM = 4, clusterN = 4>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: with split-K, blocks share no k-blocks, and consumers are cooperative}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.wgmma_schedule<tile = [64, 64], stages = 4, clusterM = 2, splitK = 2>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: with stream-K, there is no split-K and consumers are cooperative}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.wgmma_schedule<tile = [128, 128], stages = 4, consumers = pingpong, streamK = true>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: the ring has 2 stages or more}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.wgmma_schedule<tile = [128, 256], stages = 1>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: the ring fits in shared memory}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.wgmma_schedule<tile = [128, 256], stages = 5>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: with split-K, the ring has room for the tile's partial sums}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.wgmma_schedule<tile = [128, 128], stages = 2, splitK = 2>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: with swapAB, a consumer has registers for 128 x 160 accumulators}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.wgmma_schedule<tile = [256, 256], stages = 2, swapAB = true>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: with swapAB, a consumer has registers for 128 x 160 accumulators, and three of them for 192 rows}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.wgmma_schedule<tile = [200, 192], stages = 2, swapAB = true>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: with swapAB, ping-pong is for tiles of more than 32 rows, and one contraction whose results TMA stores, in 16 bits}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.wgmma_schedule<tile = [128, 128], stages = 4, consumers = pingpong, swapAB = true>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: more than half of a cluster's blocks have rows}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.wgmma_schedule<tile = [128, 128], stages = 3, clusterM = 8>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: a tile is 128x256, 128x128, 64x128, 128x64, 64x64, 32x64 or 16x128}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.mma_schedule<tile = [64, 256], stages = 3, kBytes = 64, resident = 1>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: a multiprocessor has registers for its blocks}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.mma_schedule<tile = [128, 256], stages = 3, kBytes = 64, resident = 2>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: a tail has up to 16 parts of each tile, of 32 MB together}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.mma_schedule<tile = [64, 64], stages = 3, kBytes = 64, tailSplitK = 17, resident = 2>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: a k-block has 64 or 128 bytes of each row, and 64 where copies pass through registers}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.mma_schedule<tile = [128, 128], stages = 3, kBytes = 32, resident = 2>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: shared memory has room for the rings of all blocks of a multiprocessor}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.mma_schedule<tile = [128, 128], stages = 9, kBytes = 128, resident = 1>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: a tile is 128x128 with 128 or 256 threads, 128x64, 64x128, 64x64, 32x64, 16x128 or 128x16 with 128}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.simt_schedule<tile = [128, 64], threads = 256, stages = 2, k = 8, resident = 512>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: threads have registers for the sums of all contractions of a tile, and 128x128 with 128 threads is for 32-bit numbers along K without edges}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.simt_schedule<tile = [128, 128], threads = 128, stages = 2, k = 8, resident = 256>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: a k-block has 8 or 16 elements of each row, and 8 where copies pass through registers}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.simt_schedule<tile = [128, 64], threads = 128, stages = 2, k = 16, resident = 512>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: the ring has 2 to 4 stages, and 40 KB at most}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.simt_schedule<tile = [128, 64], threads = 128, stages = 5, k = 8, resident = 512>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: a multiprocessor has registers for its threads}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.simt_schedule<tile = [128, 64], threads = 128, stages = 2, k = 8, resident = 1024>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: a multiprocessor has registers for its threads}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.simt_schedule<tile = [128, 64], threads = 128, stages = 2, k = 8, resident = 9223372036854775807>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: K is split into 1, 2, 4 or 8 parts, where a kernel has one group of contractions and the GPU has clusters}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.simt_schedule<tile = [128, 64], threads = 128, stages = 2, k = 8, splitK = 3, resident = 512>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: the ring has room for the sums of a block that splits K, whose rows are shared out evenly}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.simt_schedule<tile = [128, 128], threads = 256, stages = 2, k = 8, splitK = 8, resident = 512>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: a tail has up to 16 parts of each tile, of 32 MB together, where blocks form no clusters and tiles are not 128x128 with 128 threads}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.simt_schedule<tile = [128, 64], threads = 128, stages = 2, k = 8, tailSplitK = 17, resident = 512>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: a tail has up to 16 parts of each tile, of 32 MB together, where blocks form no clusters and tiles are not 128x128 with 128 threads}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.simt_schedule<tile = [16, 128], threads = 128, stages = 2, k = 8, splitK = 2, tailSplitK = 2, resident = 512>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: the kernel's contractions have at most eight rows or columns, and are alike}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.gemv_schedule<width = 32, depth = 4, vector = 8>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{'kernel.func' op schedule must be for the kernel's fusion root, gemm; found one for attention}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.split_attention_schedule<splits = 1, keys = 16, warps = 4, stages = 3>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}

// -----

// expected-error @below {{a tile has a positive number of rows and of columns; found [64]}}
#s = #kernel.mma_schedule<tile = [64], stages = 3, kBytes = 64, resident = 1>

// -----

// expected-error @below {{the numbers of a schedule are positive; found 0}}
#s = #kernel.wgmma_schedule<tile = [64, 64], stages = 0>

// -----

// expected-error @below {{the numbers of a schedule are positive; found -1}}
#s = #kernel.gemv_schedule<width = -1>

// -----

// expected-error @below {{the numbers of a schedule are positive; found 0}}
#s = #kernel.simt_schedule<tile = [64, 64], threads = 128, stages = 2, k = 0, resident = 512>

// -----

// expected-error @below {{the numbers of a schedule are positive; found 0}}
#s = #kernel.attention_schedule<tile = [64, 64], stages = 2, producer = 0, consumer = 240>

// -----

// expected-error @below {{the numbers of a schedule are positive; found 0}}
#s = #kernel.split_attention_schedule<splits = 0, keys = 16, warps = 4, stages = 3>

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: the threads along the matrix are a power of two up to 32}}
kernel.func @few gemm sizeArgs = [] {schedule = #kernel.gemv_schedule<width = 64, groups = 1>} : (tensor<2x512xf32>, tensor<96x512xf32>) -> tensor<2x96xf32> {
^bb0(%x: tensor<2x512xf32>, %w: tensor<96x512xf32>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x96xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x96xf32>) -> tensor<2x96xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x512xf32>, tensor<96x512xf32>) outs(%f : tensor<2x96xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %1 = arith.mulf %l, %r : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x96xf32>
  kernel.yield %0 : tensor<2x96xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: an access has a power of two of elements, up to 16 bytes, that divides the matrix's rows}}
kernel.func @few gemm sizeArgs = [] {schedule = #kernel.gemv_schedule<width = 32, vector = 8>} : (tensor<2x512xf32>, tensor<96x512xf32>) -> tensor<2x96xf32> {
^bb0(%x: tensor<2x512xf32>, %w: tensor<96x512xf32>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x96xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x96xf32>) -> tensor<2x96xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x512xf32>, tensor<96x512xf32>) outs(%f : tensor<2x96xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %1 = arith.mulf %l, %r : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x96xf32>
  kernel.yield %0 : tensor<2x96xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: a thread has at most 16 accesses in flight}}
kernel.func @few gemm sizeArgs = [] {schedule = #kernel.gemv_schedule<width = 32, depth = 17, vector = 4>} : (tensor<2x512xf32>, tensor<96x512xf32>) -> tensor<2x96xf32> {
^bb0(%x: tensor<2x512xf32>, %w: tensor<96x512xf32>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x96xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x96xf32>) -> tensor<2x96xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x512xf32>, tensor<96x512xf32>) outs(%f : tensor<2x96xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %1 = arith.mulf %l, %r : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x96xf32>
  kernel.yield %0 : tensor<2x96xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: where the matrix is contiguous along the result's columns, there is one group, and a thread's columns are those of an access}}
kernel.func @few gemm sizeArgs = [] {schedule = #kernel.gemv_schedule<width = 8, groups = 4, parts = 4, vector = 4>} : (tensor<2x512xf32>, tensor<512x96xf32>) -> tensor<2x96xf32> {
^bb0(%x: tensor<2x512xf32>, %w: tensor<512x96xf32>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x96xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x96xf32>) -> tensor<2x96xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x512xf32>, tensor<512x96xf32>) outs(%f : tensor<2x96xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %1 = arith.mulf %l, %r : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x96xf32>
  kernel.yield %0 : tensor<2x96xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: a block has whole warps, of 1024 threads at most}}
kernel.func @few gemm sizeArgs = [] {schedule = #kernel.gemv_schedule<width = 8, groups = 3, vector = 4>} : (tensor<2x512xf32>, tensor<96x512xf32>) -> tensor<2x96xf32> {
^bb0(%x: tensor<2x512xf32>, %w: tensor<96x512xf32>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x96xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x96xf32>) -> tensor<2x96xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x512xf32>, tensor<96x512xf32>) outs(%f : tensor<2x96xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %1 = arith.mulf %l, %r : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x96xf32>
  kernel.yield %0 : tensor<2x96xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: a multiprocessor has room for the threads of its blocks}}
kernel.func @few gemm sizeArgs = [] {schedule = #kernel.gemv_schedule<width = 32, groups = 32, vector = 4, resident = 3>} : (tensor<2x512xf32>, tensor<96x512xf32>) -> tensor<2x96xf32> {
^bb0(%x: tensor<2x512xf32>, %w: tensor<96x512xf32>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x96xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x96xf32>) -> tensor<2x96xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x512xf32>, tensor<96x512xf32>) outs(%f : tensor<2x96xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %1 = arith.mulf %l, %r : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x96xf32>
  kernel.yield %0 : tensor<2x96xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: a cluster has 1, 2, 4 or 8 blocks, and 1 where the GPU has none}}
kernel.func @few gemm sizeArgs = [] {schedule = #kernel.gemv_schedule<width = 32, vector = 4, cluster = 3>} : (tensor<2x512xf32>, tensor<96x512xf32>) -> tensor<2x96xf32> {
^bb0(%x: tensor<2x512xf32>, %w: tensor<96x512xf32>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x96xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x96xf32>) -> tensor<2x96xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x512xf32>, tensor<96x512xf32>) outs(%f : tensor<2x96xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %1 = arith.mulf %l, %r : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x96xf32>
  kernel.yield %0 : tensor<2x96xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: a thread has registers for 128 accumulators}}
kernel.func @few gemm sizeArgs = [] {schedule = #kernel.gemv_schedule<width = 32, columns = 65, vector = 4>} : (tensor<2x512xf32>, tensor<96x512xf32>) -> tensor<2x96xf32> {
^bb0(%x: tensor<2x512xf32>, %w: tensor<96x512xf32>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x96xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x96xf32>) -> tensor<2x96xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x512xf32>, tensor<96x512xf32>) outs(%f : tensor<2x96xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %1 = arith.mulf %l, %r : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x96xf32>
  kernel.yield %0 : tensor<2x96xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: shared memory has room for the partial sums of all parts: 48 KB}}
kernel.func @few gemm sizeArgs = [] {schedule = #kernel.gemv_schedule<width = 2, groups = 64, parts = 8, columns = 16, vector = 4>} : (tensor<2x512xf32>, tensor<96x512xf32>) -> tensor<2x96xf32> {
^bb0(%x: tensor<2x512xf32>, %w: tensor<96x512xf32>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x96xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x96xf32>) -> tensor<2x96xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x512xf32>, tensor<96x512xf32>) outs(%f : tensor<2x96xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %1 = arith.mulf %l, %r : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x96xf32>
  kernel.yield %0 : tensor<2x96xf32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>

// expected-error @below {{the schedule is illegal: three consumers of 64 rows are cooperative, and have registers for 192 columns; found #kernel.wgmma_schedule<tile = [192, 128], stages = 4, consumers = pingpong>}}
kernel.func @dot gemm sizeArgs = [] {schedule = #kernel.wgmma_schedule<tile = [192, 128], stages = 4, consumers = pingpong>} : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf32> {
^bb0(%x: tensor<512x512xf16>, %w: tensor<512x512xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x512xf16>, tensor<512x512xf16>) outs(%f : tensor<512x512xf32>) {
  ^bb1(%p: f16, %q: f16, %s: f32):
    %u = arith.extf %p : f16 to f32
    %v = arith.extf %q : f16 to f32
    %t = arith.mulf %u, %v : f32
    %r = arith.addf %s, %t : f32
    linalg.yield %r : f32
  } -> tensor<512x512xf32>
  kernel.yield %0 : tensor<512x512xf32>
}
