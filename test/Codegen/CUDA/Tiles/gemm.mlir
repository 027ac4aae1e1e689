// Contractions as tile functions: the operands' k-blocks are views of one ring, a loop carries the sums that products
// under way write, and tiles are walked in bands.
//
// RUN: tripy-opt %s --kernel-choose-schedules=gemm-tile=128x128 --kernel-build-tiles=tiles=all --tile-place --tile-check-protocol | FileCheck %s
// RUN: tripy-opt %s --kernel-choose-schedules=gemm-tile=128x128,pingpong --kernel-build-tiles=tiles=all --tile-place --tile-check-protocol | FileCheck %s --check-prefix=PING
// RUN: tripy-opt %s --kernel-choose-schedules=gemm-tile=128x128,cluster=2 --kernel-build-tiles=tiles=all | FileCheck %s --check-prefix=NONE
// RUN: tripy-opt %s --kernel-choose-schedules=gemm-tile=128x128 --kernel-build-tiles | FileCheck %s --check-prefix=NONE
// NONE-NOT: tile.func

// Cooperative: each consumer has 64 rows.
// CHECK-LABEL: tile.func @linear_tiles of @linear grid #{{.*}} shared 229472
// CHECK: %[[RING:.*]] = tile.ring readers 8 at 0 barriers 229376 : <6, <128x64xf16, 128>, <128x64xf16, 128>>
// CHECK: %[[OUT:.*]] = tile.staging at 196608 barrier 1 : <2, 16384>
// CHECK: tile.role "producer" groups 1 registers 56 one_thread
// CHECK: tile.for_tiles of(%{{.*}}, %{{.*}} by 128, %{{.*}} by 128) from %{{.*}} step 1 band 16
// CHECK: tile.ring_fill %[[RING]][%{{.*}}] from %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}[%{{.*}}, %{{.*}}] :
// CHECK: tile.role "consumer" groups 2 registers 224
// CHECK: tile.ring_none
// CHECK: tile.zero
// CHECK: scf.for
// CHECK: tile.rows
// CHECK: tile.mma_async {{.*}} plus %{{.*}} : !tile.pending<tensor<64x128xf32, #tile.frag<wgmma_d>>>
// CHECK: tile.mma_retire newer 1
// CHECK: tile.ring_release {{.*}} if_any
// CHECK: tile.mma_wait {{.*}} newer 0
// CHECK: tile.store_boxes {{.*}} cooperative through %[[OUT]]
// CHECK: tile.store_wait

// Ping-pong: a consumer has a tile, skips the other's stages, and has its turn of the products.
// PING-LABEL: tile.func @linear_tiles
// PING: tile.ring readers 4
// PING: tile.staging at {{.*}} barrier 1
// PING: tile.order first 3 : <2>
// PING: tile.role "consumer"
// PING: tile.ring_skip
// PING: tile.for_tiles {{.*}} step 2 band 16
// PING: tile.order_wait
// PING: tile.mma_async {{.*}} !tile.smem<128x64xf16, 128>, <128x64xf16, 128> -> <tensor<128x128xf32
// PING: tile.order_pass
// PING: tile.mma_wait
// PING: tile.store_boxes
// PING-NOT: cooperative
// PING: tile.ring_skip
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(d0, d1) -> (d0, d1)>
kernel.func @linear gemm sizeArgs = [] : (tensor<512x640xf16>, tensor<768x640xf16>) -> tensor<512x768xf16> {
^bb0(%x: tensor<512x640xf16>, %w: tensor<768x640xf16>):
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x768xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x768xf32>) -> tensor<512x768xf32>
  %0 = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<512x640xf16>, tensor<768x640xf16>) outs(%f : tensor<512x768xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %1 = arith.extf %l : f16 to f32
    %2 = arith.extf %r : f16 to f32
    %3 = arith.mulf %1, %2 : f32
    %4 = arith.addf %o, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<512x768xf32>
  %h = tensor.empty() : tensor<512x768xf16>
  %5 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<512x768xf32>) outs(%h : tensor<512x768xf16>) {
  ^bb0(%l: f32, %o: f16):
    %6 = arith.truncf %l : f32 to f16
    linalg.yield %6 : f16
  } -> tensor<512x768xf16>
  kernel.yield %5 : tensor<512x768xf16>
}
