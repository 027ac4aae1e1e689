// Attention as a tile function: one thread copies, consumers of 64 queries multiply.
//
// RUN: tripy-opt %s --split-input-file --kernel-build-tiles --tile-place --tile-check-protocol | FileCheck %s
// RUN: tripy-opt %s --split-input-file --kernel-build-tiles=tiles=off | FileCheck %s --check-prefix=NONE
// RUN: tripy-opt %s --split-input-file --kernel-build-tiles=chip=sm_80 | FileCheck %s --check-prefix=NONE
// NONE-NOT: tile.func

// The keys are a multiple of the block: nothing is masked, and the scale is the exponent's.
// CHECK-LABEL: tile.func @plain_tiles of @plain grid #{{.*}} shared 196704
// CHECK-COUNT-3: tile.map <buffer = {{[0-2]}}, dims = () -> (128, 2048, 32, 4), strides = () -> (256, 524288, 16777216), box = [64, 128, 1, 1], swizzle = 128> : <128x128xf16, 128>
// CHECK: %[[Q:.*]] = tile.ring readers 8 at 0 barriers 196608 : <2, <128x128xf16, 128>>
// CHECK: %[[K:.*]] = tile.ring readers 8 at 65536 barriers 196640 : <2, <128x128xf16, 128>>
// CHECK: %[[V:.*]] = tile.ring readers 8 at 131072 barriers 196672 : <2, <128x128xf16, 128>>
// CHECK: %[[ORDER:.*]] = tile.order first 1 : <2>
// CHECK: tile.await_predecessors
// CHECK: tile.role "producer" groups 1 registers 56 one_thread
// CHECK: scf.for
// CHECK: tile.ring_fill %[[Q]]
// CHECK: tile.ring_fill %[[K]]
// CHECK: scf.for
// CHECK: tile.ring_fill %[[K]]
// CHECK: tile.ring_fill %[[V]]
// CHECK: tile.ring_fill %[[V]]
// CHECK: tile.role "consumer" groups 2 registers 224
// CHECK-NOT: tile.score
// The scores of the next keys are started before the powers of the last ones meet their values, and awaited first.
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tile.order_wait %[[ORDER]]
// CHECK: %[[S:.*]] = tile.mma_async {{.*}} : !tile.smem<64x128xf16, 128>, <128x128xf16, 128> -> <tensor<64x128xf32, #tile.frag<wgmma_d>>>
// CHECK: %[[O:.*]] = tile.mma_async {{.*}} transposed plus
// CHECK: tile.order_pass %[[ORDER]]
// CHECK: tile.mma_wait %[[S]] newer 1
// CHECK: tile.ring_release %[[K]]
// CHECK: math.exp2 {{.*}} {tripy.feeds_f16}
// CHECK: tile.hold
// CHECK: tile.mma_wait %[[O]] newer 0 holding
// CHECK: tile.ring_release %[[V]]
// CHECK: scf.yield
// CHECK: tile.ring_release %[[Q]]
// CHECK: tile.store
kernel.func @plain attention sizeArgs = [] : (tensor<4x32x2048x128xf16>, tensor<4x32x2048x128xf16>, tensor<4x32x2048x128xf16>) -> tensor<4x32x2048x128xf32> {
^bb0(%q: tensor<4x32x2048x128xf16>, %k: tensor<4x32x2048x128xf16>, %v: tensor<4x32x2048x128xf16>):
  %r = kernel.attention %q, %k, %v causal = none scale = 0.088388347648318433 : (tensor<4x32x2048x128xf16>, tensor<4x32x2048x128xf16>, tensor<4x32x2048x128xf16>) -> tensor<4x32x2048x128xf32>
  kernel.yield %r : tensor<4x32x2048x128xf32>
}

// -----

// A causal mask: a loop over the blocks that it cuts, and one over those before. The 40 columns of a row are 64 in
// shared memory. Heads share keys. Tiles are few: each has 64 queries.
// CHECK-LABEL: tile.func @causal_tiles of @causal
// CHECK: tile.map <buffer = 0, dims = () -> (40, 300, 4, 2), strides = () -> (80, 24000, 96000), box = [64, 64, 1, 1], swizzle = 128> : <64x64xbf16, 128>
// CHECK: tile.map <buffer = 1, dims = () -> (40, 300, 2, 2)
// CHECK: tile.role "consumer"
// CHECK: tile.score {{.*}} within %{{.*}} unscaled :
// CHECK: scf.for
// CHECK: tile.score {{.*}} within %{{.*}} unscaled :
// CHECK: scf.for
// CHECK-NOT: tile.score
// CHECK: tile.store
kernel.func @causal attention sizeArgs = [] : (tensor<2x4x300x40xbf16>, tensor<2x2x300x40xbf16>, tensor<2x2x300x40xbf16>) -> tensor<2x4x300x40xf32> {
^bb0(%q: tensor<2x4x300x40xbf16>, %k: tensor<2x2x300x40xbf16>, %v: tensor<2x2x300x40xbf16>):
  %r = kernel.attention %q, %k, %v causal = top_left scale = 0.25 : (tensor<2x4x300x40xbf16>, tensor<2x2x300x40xbf16>, tensor<2x2x300x40xbf16>) -> tensor<2x4x300x40xf32>
  kernel.yield %r : tensor<2x4x300x40xf32>
}

// -----

// Queries, keys and values are parts of one tensor, with the heads inside of rows: maps with strides, and coordinates
// that begin at a later head. A bias: the score has it, with the scale.
// CHECK-LABEL: tile.func @parts_tiles of @parts
// CHECK: tile.map <buffer = 0, dims = () -> (64, 200, 8), strides = () -> (3072, 128), box = [64, 64, 1]
// CHECK: tile.map <buffer = 0, dims = () -> (64, 200, 16), strides = () -> (3072, 128), box = [64, 128, 1]
// CHECK: tile.map <buffer = 0, dims = () -> (64, 200, 24), strides = () -> (3072, 128), box = [64, 128, 1]
// CHECK: tile.role "consumer"
// CHECK: scf.for
// CHECK: tile.score {{.*}} within %{{[^ ]*}} seen :
// CHECK: scf.for
// CHECK: tile.score {{.*}}) seen :
#rows = affine_map<(h, i, d) -> (i, h, d)>
#same = affine_map<(h, i, d) -> (h, i, d)>
kernel.func @parts attention sizeArgs = [] : (tensor<200x1536xf16>, tensor<8x200x200xf16>) -> tensor<8x200x64xf32> {
^bb0(%x: tensor<200x1536xf16>, %m: tensor<8x200x200xf16>):
  %e = tensor.empty() : tensor<8x200x64xf16>
  %q0 = tensor.extract_slice %x[0, 0] [200, 512] [1, 1] : tensor<200x1536xf16> to tensor<200x512xf16>
  %q1 = tensor.expand_shape %q0 [[0], [1, 2]] output_shape [200, 8, 64] : tensor<200x512xf16> into tensor<200x8x64xf16>
  %q = linalg.generic {indexing_maps = [#rows, #same], iterator_types = ["parallel", "parallel", "parallel"]} ins(%q1 : tensor<200x8x64xf16>) outs(%e : tensor<8x200x64xf16>) {
  ^bb0(%a: f16, %o: f16):
    linalg.yield %a : f16
  } -> tensor<8x200x64xf16>
  %k0 = tensor.extract_slice %x[0, 512] [200, 512] [1, 1] : tensor<200x1536xf16> to tensor<200x512xf16>
  %k1 = tensor.expand_shape %k0 [[0], [1, 2]] output_shape [200, 8, 64] : tensor<200x512xf16> into tensor<200x8x64xf16>
  %k = linalg.generic {indexing_maps = [#rows, #same], iterator_types = ["parallel", "parallel", "parallel"]} ins(%k1 : tensor<200x8x64xf16>) outs(%e : tensor<8x200x64xf16>) {
  ^bb0(%a: f16, %o: f16):
    linalg.yield %a : f16
  } -> tensor<8x200x64xf16>
  %v0 = tensor.extract_slice %x[0, 1024] [200, 512] [1, 1] : tensor<200x1536xf16> to tensor<200x512xf16>
  %v1 = tensor.expand_shape %v0 [[0], [1, 2]] output_shape [200, 8, 64] : tensor<200x512xf16> into tensor<200x8x64xf16>
  %v = linalg.generic {indexing_maps = [#rows, #same], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v1 : tensor<200x8x64xf16>) outs(%e : tensor<8x200x64xf16>) {
  ^bb0(%a: f16, %o: f16):
    linalg.yield %a : f16
  } -> tensor<8x200x64xf16>
  %r = kernel.attention %q, %k, %v mask = %m causal = none scale = 0.125 : (tensor<8x200x64xf16>, tensor<8x200x64xf16>, tensor<8x200x64xf16>, tensor<8x200x200xf16>) -> tensor<8x200x64xf32>
  kernel.yield %r : tensor<8x200x64xf32>
}

// -----

// Values are columns of a tensor from a multiple of 16 bytes on: the map ends where they do, and copies begin there.
// CHECK-LABEL: tile.func @columns_tiles of @columns
// CHECK: tile.map <buffer = 2, dims = () -> (104, 300, 4), strides = () -> (208, 62400), box = [64, {{[0-9]+}}, 1], swizzle = 128>
// CHECK: tile.role "producer"
// CHECK: %[[FIRST:.*]] = arith.addi %c0{{.*}}, %c40{{.*}} : index
// CHECK: tile.ring_fill {{.*}}, %[[FIRST]]]
kernel.func @columns attention sizeArgs = [] : (tensor<4x300x64xf16>, tensor<4x300x64xf16>, tensor<4x300x104xf16>) -> tensor<4x300x64xf32> {
^bb0(%q: tensor<4x300x64xf16>, %k: tensor<4x300x64xf16>, %x: tensor<4x300x104xf16>):
  %v = tensor.extract_slice %x[0, 0, 40] [4, 300, 64] [1, 1, 1] : tensor<4x300x104xf16> to tensor<4x300x64xf16>
  %r = kernel.attention %q, %k, %v causal = none scale = 0.125 : (tensor<4x300x64xf16>, tensor<4x300x64xf16>, tensor<4x300x64xf16>) -> tensor<4x300x64xf32>
  kernel.yield %r : tensor<4x300x64xf32>
}

// -----

// Few queries, lengths in memory, rows of 66 bytes, columns from no multiple of 16 bytes on, f32: none of these.
// CHECK-NOT: tile.func
kernel.func @few attention sizeArgs = [] : (tensor<8x4x64xf16>, tensor<8x200x64xf16>) -> tensor<8x4x64xf32> {
^bb0(%q: tensor<8x4x64xf16>, %k: tensor<8x200x64xf16>):
  %r = kernel.attention %q, %k, %k causal = none scale = 0.125 : (tensor<8x4x64xf16>, tensor<8x200x64xf16>, tensor<8x200x64xf16>) -> tensor<8x4x64xf32>
  kernel.yield %r : tensor<8x4x64xf32>
}
kernel.func @lengths attention sizeArgs = [] : (tensor<2x8x100x64xf16>, tensor<2xi32>) -> tensor<2x8x100x64xf32> {
^bb0(%q: tensor<2x8x100x64xf16>, %n: tensor<2xi32>):
  %r = kernel.attention %q, %q, %q lengths = %n causal = none scale = 0.125 : (tensor<2x8x100x64xf16>, tensor<2x8x100x64xf16>, tensor<2x8x100x64xf16>, tensor<2xi32>) -> tensor<2x8x100x64xf32>
  kernel.yield %r : tensor<2x8x100x64xf32>
}
kernel.func @odd attention sizeArgs = [] : (tensor<8x100x33xf16>) -> tensor<8x100x33xf32> {
^bb0(%q: tensor<8x100x33xf16>):
  %r = kernel.attention %q, %q, %q causal = none scale = 0.125 : (tensor<8x100x33xf16>, tensor<8x100x33xf16>, tensor<8x100x33xf16>) -> tensor<8x100x33xf32>
  kernel.yield %r : tensor<8x100x33xf32>
}
kernel.func @between attention sizeArgs = [] : (tensor<4x300x64xf16>, tensor<4x300x104xf16>) -> tensor<4x300x64xf32> {
^bb0(%q: tensor<4x300x64xf16>, %x: tensor<4x300x104xf16>):
  %v = tensor.extract_slice %x[0, 0, 36] [4, 300, 64] [1, 1, 1] : tensor<4x300x104xf16> to tensor<4x300x64xf16>
  %r = kernel.attention %q, %q, %v causal = none scale = 0.125 : (tensor<4x300x64xf16>, tensor<4x300x64xf16>, tensor<4x300x64xf16>) -> tensor<4x300x64xf32>
  kernel.yield %r : tensor<4x300x64xf32>
}
kernel.func @wide attention sizeArgs = [] : (tensor<8x100x64xf32>) -> tensor<8x100x64xf32> {
^bb0(%q: tensor<8x100x64xf32>):
  %r = kernel.attention %q, %q, %q causal = none scale = 0.125 : (tensor<8x100x64xf32>, tensor<8x100x64xf32>, tensor<8x100x64xf32>) -> tensor<8x100x64xf32>
  kernel.yield %r : tensor<8x100x64xf32>
}
