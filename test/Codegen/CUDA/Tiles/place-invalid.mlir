// What has no place in a block.
//
// RUN: tripy-opt %s --split-input-file --tile-place --verify-diagnostics

// expected-error @below {{a block has 232448 bytes of shared memory; found 262208}}
tile.func @memory of @k grid affine_map<() -> (1)> {
  %ring = tile.ring readers 4 : <4, <256x128xf16, 128>>
  tile.role "producer" groups 1 registers 40 one_thread {
  ^bb0(%g: index):
  }
  tile.role "consumer" groups 1 registers 232 {
  ^bb0(%g: index):
  }
}

// -----

// expected-error @below {{a block has 16 named barriers; found 22}}
tile.func @barriers of @k grid affine_map<() -> (1)> {
  %a = tile.order : <7>
  %b = tile.order : <7>
  %c = tile.order : <7>
  tile.role "producer" groups 1 registers 40 one_thread {
  ^bb0(%g: index):
  }
  tile.role "consumer" groups 1 registers 232 {
  ^bb0(%g: index):
  }
}

// -----

// 128 registers of sums, and as many of scores.
#d = #tile.frag<wgmma_d>
tile.func @registers of @k grid affine_map<() -> (1)> {
  %ring = tile.ring readers 4 : <1, <256x64xf16, 128>>
  tile.role "producer" groups 1 registers 40 one_thread {
  ^bb0(%g: index):
  }
  tile.role "consumer" groups 1 registers 232 {
  ^bb0(%g: index):
    %p = tile.ring_start %ring : <1, <256x64xf16, 128>>
    %v = tile.ring_wait %ring[%p] : <1, <256x64xf16, 128>> -> <256x64xf16, 128>
    %r = tile.rows %v[%g] : <256x64xf16, 128> -> <64x64xf16, 128>
    %a = tile.mma_async %r, %v : !tile.smem<64x64xf16, 128>, <256x64xf16, 128> -> <tensor<64x256xf32, #d>>
    // expected-error @below {{role 'consumer' has 232 registers a thread, and 256 of fragments are live here besides 24 for other values}}
    %b = tile.mma_async %r, %v : !tile.smem<64x64xf16, 128>, <256x64xf16, 128> -> <tensor<64x256xf32, #d>>
    %x = tile.mma_wait %a newer 1 : <tensor<64x256xf32, #d>> -> tensor<64x256xf32, #d>
    %y = tile.mma_wait %b newer 0 : <tensor<64x256xf32, #d>> -> tensor<64x256xf32, #d>
    %s = arith.addf %x, %y : tensor<64x256xf32, #d>
    tile.store %s at (%g, %g) : tensor<64x256xf32, #d>
  }
}
