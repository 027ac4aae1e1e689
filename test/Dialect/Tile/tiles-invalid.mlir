// What contractions need beside products: tiles of a persistent kernel, and results.
//
// RUN: tripy-opt %s --split-input-file --verify-diagnostics

#d = #tile.frag<wgmma_d>
tile.func @C1 of @k grid affine_map<() -> (132)> {
  %map = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 64], swizzle = 128> : <64x64xf16, 128>
  %half = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 32], swizzle = 128> : <32x64xf16, 128>
  %out = tile.staging : <2, 17408>
  %few = tile.staging : <2, 1024>
  %c0 = arith.constant 0 : index
  tile.role "producer" groups 1 registers 40 one_thread {
  ^bb0(%g: index):
  }
  tile.role "consumer" groups 2 registers 200 {
  ^bb0(%g: index):
    // expected-error @below {{violates [tile.for_tiles C1] tiles, steps and bands are positive}}
    %e = tile.for_tiles of (%c0, %c0 by 128, %c0 by 64) from %c0 step 0 band 16 carry (%c0) : (index) -> index {
    ^bb0(%b: index, %m: index, %n: index, %i: index):
      tile.yield %i : index
    }
  }
}

// -----

#d = #tile.frag<wgmma_d>
tile.func @C2 of @k grid affine_map<() -> (132)> {
  %map = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 64], swizzle = 128> : <64x64xf16, 128>
  %half = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 32], swizzle = 128> : <32x64xf16, 128>
  %out = tile.staging : <2, 17408>
  %few = tile.staging : <2, 1024>
  %c0 = arith.constant 0 : index
  tile.role "producer" groups 1 registers 40 one_thread {
  ^bb0(%g: index):
  }
  tile.role "consumer" groups 2 registers 200 {
  ^bb0(%g: index):
    // expected-error @below {{violates [tile.for_tiles C2] the region takes batch, row and column, of type index, and what is carried}}
    %e = tile.for_tiles of (%c0, %c0 by 128, %c0 by 64) from %c0 step 1 band 16 carry (%c0) : (index) -> index {
    ^bb0(%b: index, %m: index, %i: index):
      tile.yield %i : index
    }
  }
}

// -----

#d = #tile.frag<wgmma_d>
tile.func @C3 of @k grid affine_map<() -> (132)> {
  %map = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 64], swizzle = 128> : <64x64xf16, 128>
  %half = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 32], swizzle = 128> : <32x64xf16, 128>
  %out = tile.staging : <2, 17408>
  %few = tile.staging : <2, 1024>
  %c0 = arith.constant 0 : index
  tile.role "producer" groups 1 registers 40 one_thread {
  ^bb0(%g: index):
  }
  tile.role "consumer" groups 2 registers 200 {
  ^bb0(%g: index):
    // expected-error @below {{violates [tile.for_tiles C3] what is carried has the same types at the start, at each end and behind}}
    %e = tile.for_tiles of (%c0, %c0 by 128, %c0 by 64) from %c0 step 1 band 16 carry (%c0) : (index) -> index {
    ^bb0(%b: index, %m: index, %n: index, %i: index):
      %t = arith.constant true
      tile.yield %t : i1
    }
  }
}

// -----

#d = #tile.frag<wgmma_d>
tile.func @C4 of @k grid affine_map<()[s] -> (s)> {
  %map = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 64], swizzle = 128> : <64x64xf16, 128>
  %half = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 32], swizzle = 128> : <32x64xf16, 128>
  %out = tile.staging : <2, 17408>
  %few = tile.staging : <2, 1024>
  %c0 = arith.constant 0 : index
  tile.role "producer" groups 1 registers 40 one_thread {
  ^bb0(%g: index):
  }
  tile.role "consumer" groups 2 registers 200 {
  ^bb0(%g: index):
    // expected-error @below {{violates [tile.for_tiles C4] the blocks of the launch are a number}}
    %e = tile.for_tiles of (%c0, %c0 by 128, %c0 by 64) from %c0 step 1 band 16 carry (%c0) : (index) -> index {
    ^bb0(%b: index, %m: index, %n: index, %i: index):
      tile.yield %i : index
    }
  }
}

// -----

#d = #tile.frag<wgmma_d>
tile.func @C1 of @k grid affine_map<() -> (132)> {
  %map = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 64], swizzle = 128> : <64x64xf16, 128>
  %half = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 32], swizzle = 128> : <32x64xf16, 128>
  %out = tile.staging : <2, 17408>
  %few = tile.staging : <2, 1024>
  %c0 = arith.constant 0 : index
  tile.role "producer" groups 1 registers 40 one_thread {
  ^bb0(%g: index):
  }
  tile.role "consumer" groups 2 registers 200 {
  ^bb0(%g: index):
    %e = tile.for_tiles of (%c0, %c0 by 128, %c0 by 64) from %c0 step 1 band 16 carry (%c0) : (index) -> index {
    ^bb0(%b: index, %m: index, %n: index, %i: index):
      %z = arith.constant dense<0.0> : tensor<64x64xf16, #d>
      // expected-error @below {{violates [tile.store_boxes C1] the fragment has layout wgmma_d, f32; found 'tensor<64x64xf16, #tile.frag<wgmma_d>>'}}
      tile.store_boxes %z at (%b, %m, %n) cooperative through %out to %map : tensor<64x64xf16, #d>, <2, 17408>, !tile.map<64x64xf16, 128>
      tile.yield %i : index
    }
  }
}

// -----

#d = #tile.frag<wgmma_d>
tile.func @C2 of @k grid affine_map<() -> (132)> {
  %map = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 64], swizzle = 128> : <64x64xf16, 128>
  %half = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 32], swizzle = 128> : <32x64xf16, 128>
  %out = tile.staging : <2, 17408>
  %few = tile.staging : <2, 1024>
  %c0 = arith.constant 0 : index
  tile.role "producer" groups 1 registers 40 one_thread {
  ^bb0(%g: index):
  }
  tile.role "consumer" groups 2 registers 200 {
  ^bb0(%g: index):
    %e = tile.for_tiles of (%c0, %c0 by 128, %c0 by 64) from %c0 step 1 band 16 carry (%c0) : (index) -> index {
    ^bb0(%b: index, %m: index, %n: index, %i: index):
      %z = arith.constant dense<0.0> : tensor<64x64xf32, #d>
      // expected-error @below {{violates [tile.store_boxes C2] boxes have 64 rows and one swizzle}}
      tile.store_boxes %z at (%b, %m, %n) cooperative through %out to %half : tensor<64x64xf32, #d>, <2, 17408>, !tile.map<32x64xf16, 128>
      tile.yield %i : index
    }
  }
}

// -----

#d = #tile.frag<wgmma_d>
tile.func @C3 of @k grid affine_map<() -> (132)> {
  %map = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 64], swizzle = 128> : <64x64xf16, 128>
  %half = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 32], swizzle = 128> : <32x64xf16, 128>
  %out = tile.staging : <2, 17408>
  %few = tile.staging : <2, 1024>
  %c0 = arith.constant 0 : index
  tile.role "producer" groups 1 registers 40 one_thread {
  ^bb0(%g: index):
  }
  tile.role "consumer" groups 2 registers 200 {
  ^bb0(%g: index):
    %e = tile.for_tiles of (%c0, %c0 by 128, %c0 by 64) from %c0 step 1 band 16 carry (%c0) : (index) -> index {
    ^bb0(%b: index, %m: index, %n: index, %i: index):
      %z = arith.constant dense<0.0> : tensor<64x64xf32, #d>
      // expected-error @below {{violates [tile.store_boxes C3] staging has room for 16384 bytes of boxes; found 1024}}
      tile.store_boxes %z at (%b, %m, %n) cooperative through %few to %map : tensor<64x64xf32, #d>, <2, 1024>, !tile.map<64x64xf16, 128>
      tile.yield %i : index
    }
  }
}

// -----

#d = #tile.frag<wgmma_d>
tile.func @C4 of @k grid affine_map<() -> (132)> {
  %map = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 64], swizzle = 128> : <64x64xf16, 128>
  %half = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 32], swizzle = 128> : <32x64xf16, 128>
  %out = tile.staging : <2, 17408>
  %few = tile.staging : <2, 1024>
  %c0 = arith.constant 0 : index
  tile.role "producer" groups 1 registers 40 one_thread {
  ^bb0(%g: index):
  }
  tile.role "consumer" groups 2 registers 200 {
  ^bb0(%g: index):
    %e = tile.for_tiles of (%c0, %c0 by 128, %c0 by 64) from %c0 step 1 band 16 carry (%c0) : (index) -> index {
    ^bb0(%b: index, %m: index, %n: index, %i: index):
      %z = arith.constant dense<0.0> : tensor<64x72xf32, #d>
      // expected-error @below {{violates [tile.store_boxes C4] fragment and tile have one size}}
      tile.store_boxes %z at (%b, %m, %n) cooperative through %out to %map : tensor<64x72xf32, #d>, <2, 17408>, !tile.map<64x64xf16, 128>
      tile.yield %i : index
    }
  }
}

// -----

#d = #tile.frag<wgmma_d>
tile.func @C1 of @k grid affine_map<() -> (132)> {
  %map = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 64], swizzle = 128> : <64x64xf16, 128>
  %half = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 32], swizzle = 128> : <32x64xf16, 128>
  %out = tile.staging : <2, 17408>
  %few = tile.staging : <2, 1024>
  %c0 = arith.constant 0 : index
  tile.role "producer" groups 1 registers 40 one_thread {
  ^bb0(%g: index):
  }
  tile.role "consumer" groups 2 registers 200 {
  ^bb0(%g: index):
    %e = tile.for_tiles of (%c0, %c0 by 128, %c0 by 64) from %c0 step 1 band 16 carry (%c0) : (index) -> index {
    ^bb0(%b: index, %m: index, %n: index, %i: index):
      %z = arith.constant dense<0.0> : tensor<64x64xf16, #d>
      // expected-error @below {{violates [tile.store_rows C1] the fragment has layout wgmma_d, f32; found 'tensor<64x64xf16, #tile.frag<wgmma_d>>'}}
      tile.store_rows %z at (%b, %m, %n) cooperative through %out : tensor<64x64xf16, #d>, <2, 17408>
      tile.yield %i : index
    }
  }
}

// -----

#d = #tile.frag<wgmma_d>
tile.func @C2 of @k grid affine_map<() -> (132)> {
  %map = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 64], swizzle = 128> : <64x64xf16, 128>
  %half = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 32], swizzle = 128> : <32x64xf16, 128>
  %out = tile.staging : <2, 17408>
  %few = tile.staging : <2, 1024>
  %c0 = arith.constant 0 : index
  tile.role "producer" groups 1 registers 40 one_thread {
  ^bb0(%g: index):
  }
  tile.role "consumer" groups 2 registers 200 {
  ^bb0(%g: index):
    %e = tile.for_tiles of (%c0, %c0 by 128, %c0 by 64) from %c0 step 1 band 16 carry (%c0) : (index) -> index {
    ^bb0(%b: index, %m: index, %n: index, %i: index):
      %z = arith.constant dense<0.0> : tensor<64x64xf32, #d>
      // expected-error @below {{violates [tile.store_rows C2] staging has room for 64 rows of 68 sums; found 1024}}
      tile.store_rows %z at (%b, %m, %n) cooperative through %few : tensor<64x64xf32, #d>, <2, 1024>
      tile.yield %i : index
    }
  }
}

// -----

#d = #tile.frag<wgmma_d>
tile.func @C3 of @k grid affine_map<() -> (132)> {
  %map = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 64], swizzle = 128> : <64x64xf16, 128>
  %half = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 32], swizzle = 128> : <32x64xf16, 128>
  %out = tile.staging : <2, 17408>
  %few = tile.staging : <2, 1024>
  %c0 = arith.constant 0 : index
  tile.role "producer" groups 1 registers 40 one_thread {
  ^bb0(%g: index):
  }
  tile.role "consumer" groups 2 registers 200 {
  ^bb0(%g: index):
    %e = tile.for_tiles of (%c0, %c0 by 128, %c0 by 64) from %c0 step 1 band 16 carry (%c0) : (index) -> index {
    ^bb0(%b: index, %m: index, %n: index, %i: index):
      %z = arith.constant dense<0.0> : tensor<64x72xf32, #d>
      // expected-error @below {{violates [tile.store_rows C3] fragment and tile have one size}}
      tile.store_rows %z at (%b, %m, %n) cooperative through %out : tensor<64x72xf32, #d>, <2, 17408>
      tile.yield %i : index
    }
  }
}
