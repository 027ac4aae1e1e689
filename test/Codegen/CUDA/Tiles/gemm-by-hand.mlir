// A product that begins at the tile level, and runs through the rest of the passes: with the 6 stages that are written
// here, and edited to 5. The check of the protocol finds what else an edit may break.
//
// RUN: tripy-opt %s --tile-place --tile-check-protocol --kernel-emit-cuda --tile-to-nvvm | FileCheck %s --check-prefixes=CODE,SIX
// RUN: sed 's/<6,/<5,/g' %s | tripy-opt --tile-place --tile-check-protocol --kernel-emit-cuda --tile-to-nvvm | FileCheck %s --check-prefixes=CODE,FIVE
// SIX: scratch = 180320
// FIVE: scratch = 155728
// CODE-COUNT-8: nvvm.wgmma.mma_async
//
// RUN: sed '/tile.order_wait/d' %s | not tripy-opt --tile-check-protocol 2>&1 | FileCheck %s --check-prefix=NOTURN
// NOTURN: error: warp group {{[01]}} of role 'consumer'
// RUN: sed 's/%later = .*/%later = arith.constant 0 : index/' %s | not tripy-opt --tile-check-protocol 2>&1 | FileCheck %s --check-prefix=ROUND
// ROUND: warp group 1 of role 'consumer' waits for a round of a stage that is not the next
// RUN: sed 's/ring_release %ring\[%before\] if_any/ring_release %ring[%before]/' %s | not tripy-opt --tile-check-protocol 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: warp group 0 of role 'consumer' releases a stage that it did not wait for
// RUN: sed '/tile.ring_release %ring\[%done#1\]/d' %s | not tripy-opt --tile-check-protocol 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: waits for ever
//
// What asks for results that the kernel does not have.
// RUN: sed 's/to %my : /to %my, %my : /; s/, !tile.map<64x64xf16, 128>$/, !tile.map<64x64xf16, 128>, !tile.map<64x64xf16, 128>/' %s | not tripy-opt --tile-place --kernel-emit-cuda --tile-to-nvvm 2>&1 | FileCheck %s --check-prefix=MAPS
// MAPS: boxes are of results that TMA can store, one map each
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

tile.func @linear_tiles of @linear grid affine_map<() -> (132)> {
  %mx = tile.map <buffer = 0, dims = () -> (640, 512), strides = () -> (1280), box = [64, 128], swizzle = 128> : <128x64xf16, 128>
  %mw = tile.map <buffer = 1, dims = () -> (640, 768), strides = () -> (1280), box = [64, 64], swizzle = 128> : <64x64xf16, 128>
  %my = tile.map <buffer = 2, dims = () -> (768, 512), strides = () -> (1536), box = [64, 64], swizzle = 128> : <64x64xf16, 128>
  %ring = tile.ring readers 4 : <6, <128x64xf16, 128>, <64x64xf16, 128>>
  %out = tile.staging : <2, 16384>
  %turn = tile.order : <2>
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %c768 = arith.constant 768 : index
  tile.await_predecessors
  tile.role "producer" groups 1 registers 56 one_thread {
  ^bb0(%number: index):
    %start = tile.ring_start %ring : <6, <128x64xf16, 128>, <64x64xf16, 128>>
    %c0 = arith.constant 0 : index
    %end = tile.for_tiles of(%c1, %c512 by 128, %c768 by 64) from %c0 step 1 band 16 carry(%start) : (!tile.pos) -> !tile.pos {
    ^bb0(%batch: index, %row: index, %column: index, %first: !tile.pos):
      %c0_0 = arith.constant 0 : index
      %c640 = arith.constant 640 : index
      %c64 = arith.constant 64 : index
      %last = scf.for %k = %c0_0 to %c640 step %c64 iter_args(%p = %first) -> (!tile.pos) {
        tile.ring_fill %ring[%p] from %mx[%row, %k], %mw[%column, %k] : <6, <128x64xf16, 128>, <64x64xf16, 128>>, <128x64xf16, 128>, <64x64xf16, 128>
        %next = tile.ring_next %ring[%p] : <6, <128x64xf16, 128>, <64x64xf16, 128>>
        scf.yield %next : !tile.pos
      }
      tile.yield %last : !tile.pos
    }
  }
  tile.role "consumer" groups 2 registers 224 {
  ^bb0(%number: index):
    %start = tile.ring_start %ring : <6, <128x64xf16, 128>, <64x64xf16, 128>>
    %c0 = arith.constant 0 : index
    %c10 = arith.constant 10 : index
    %later = arith.muli %number, %c10 : index
    %own = tile.ring_skip %ring[%start] by %later : <6, <128x64xf16, 128>, <64x64xf16, 128>>
    %end = tile.for_tiles of(%c1, %c512 by 128, %c768 by 64) from %number step 2 band 16 carry(%own) : (!tile.pos) -> !tile.pos {
    ^bb0(%batch: index, %row: index, %column: index, %first: !tile.pos):
      tile.order_wait %turn[%number] : <2>
      %none = tile.ring_none %ring : <6, <128x64xf16, 128>, <64x64xf16, 128>>
      %zero = tile.zero : <tensor<128x64xf32, #tile.frag<wgmma_d>>>
      %c0_0 = arith.constant 0 : index
      %c640 = arith.constant 640 : index
      %c64 = arith.constant 64 : index
      %done:3 = scf.for %k = %c0_0 to %c640 step %c64 iter_args(%p = %first, %before = %none, %sums = %zero) -> (!tile.pos, !tile.pos, !tile.pending<tensor<128x64xf32, #tile.frag<wgmma_d>>>) {
        %views:2 = tile.ring_wait %ring[%p] : <6, <128x64xf16, 128>, <64x64xf16, 128>> -> <128x64xf16, 128>, <64x64xf16, 128>
        %new = tile.mma_async %views#0, %views#1 plus %sums : !tile.pending<tensor<128x64xf32, #tile.frag<wgmma_d>>> : !tile.smem<128x64xf16, 128>, <64x64xf16, 128> -> <tensor<128x64xf32, #tile.frag<wgmma_d>>>
        tile.mma_retire newer 1
        tile.ring_release %ring[%before] if_any : <6, <128x64xf16, 128>, <64x64xf16, 128>>
        %next = tile.ring_next %ring[%p] : <6, <128x64xf16, 128>, <64x64xf16, 128>>
        scf.yield %next, %p, %new : !tile.pos, !tile.pos, !tile.pending<tensor<128x64xf32, #tile.frag<wgmma_d>>>
      }
      tile.order_pass %turn[%number] : <2>
      %all = tile.mma_wait %done#2 newer 0 : <tensor<128x64xf32, #tile.frag<wgmma_d>>> -> tensor<128x64xf32, #tile.frag<wgmma_d>>
      tile.ring_release %ring[%done#1] if_any : <6, <128x64xf16, 128>, <64x64xf16, 128>>
      tile.store_boxes %all at(%batch, %row, %column) through %out to %my : tensor<128x64xf32, #tile.frag<wgmma_d>>, <2, 16384>, !tile.map<64x64xf16, 128>
      %other = tile.ring_skip %ring[%done#0] by %c10 : <6, <128x64xf16, 128>, <64x64xf16, 128>>
      tile.yield %other : !tile.pos
    }
    tile.store_wait
  }
}
