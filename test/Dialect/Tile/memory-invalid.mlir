// RUN: tripy-opt %s --split-input-file --verify-diagnostics

tile.func @C1 of @k grid affine_map<() -> (1)> {
  // expected-error @below {{violates [tile.map C1] a TMA box is one panel: as many bytes as the swizzle, as many rows as the type, 1 in other dimensions}}
  %m = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [32, 128], swizzle = 128> : <128x64xf16, 128>
  tile.role "one" groups 1 registers 24 one_thread {
  ^bb0(%a: index):
  }
  tile.role "two" groups 2 registers 240 {
  ^bb0(%b: index):
  }
}

// -----

tile.func @C2 of @k grid affine_map<() -> (1)> {
  // expected-error @below {{violates [tile.map C2] map and type have one swizzle; found 64}}
  %m = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 128], swizzle = 64> : <128x64xf16, 128>
  tile.role "one" groups 1 registers 24 one_thread {
  ^bb0(%a: index):
  }
  tile.role "two" groups 2 registers 240 {
  ^bb0(%b: index):
  }
}

// -----

tile.func @C1 of @k grid affine_map<() -> (1)> {
  // expected-error @below {{violates [tile.ring C1] a ring has 1 to 32 readers; found 0}}
  %r = tile.ring readers 0 : <2, <128x64xf16, 128>>
  tile.role "one" groups 1 registers 24 one_thread {
  ^bb0(%a: index):
  }
  tile.role "two" groups 2 registers 240 {
  ^bb0(%b: index):
  }
}

// -----

tile.func @C2 of @k grid affine_map<() -> (1)> {
  // expected-error @below {{violates [tile.ring C2] stages begin at multiples of 1024 bytes, and are such multiples}}
  %r = tile.ring readers 8 at 512 : <2, <128x64xf16, 128>>
  tile.role "one" groups 1 registers 24 one_thread {
  ^bb0(%a: index):
  }
  tile.role "two" groups 2 registers 240 {
  ^bb0(%b: index):
  }
}

// -----

tile.func @C1 of @k grid affine_map<() -> (1)> {
  %m = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 64], swizzle = 128> : <64x64xf16, 128>
  %r = tile.ring readers 8 : <2, <128x64xf16, 128>>
  tile.role "one" groups 1 registers 24 one_thread {
  ^bb0(%a: index):
    %p = tile.ring_start %r : <2, <128x64xf16, 128>>
    // expected-error @below {{violates [tile.ring_fill C1] the maps bring what a stage holds}}
    tile.ring_fill %r[%p] from %m[%a, %a] : <2, <128x64xf16, 128>>, <64x64xf16, 128>
  }
  tile.role "two" groups 2 registers 240 {
  ^bb0(%b: index):
  }
}

// -----

tile.func @C2 of @k grid affine_map<() -> (1)> {
  %m = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 128], swizzle = 128> : <128x64xf16, 128>
  %r = tile.ring readers 8 : <2, <128x64xf16, 128>>
  tile.role "one" groups 1 registers 24 one_thread {
  ^bb0(%a: index):
    %p = tile.ring_start %r : <2, <128x64xf16, 128>>
    // expected-error @below {{violates [tile.ring_fill C2] a coordinate for each dimension of each map; found 1}}
    tile.ring_fill %r[%p] from %m[%a] : <2, <128x64xf16, 128>>, <128x64xf16, 128>
  }
  tile.role "two" groups 2 registers 240 {
  ^bb0(%b: index):
  }
}

// -----

tile.func @C3 of @k grid affine_map<() -> (1)> {
  %m = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 128], swizzle = 128> : <128x64xf16, 128>
  %r = tile.ring readers 8 : <2, <128x64xf16, 128>>
  tile.role "one" groups 1 registers 24 {
  ^bb0(%a: index):
    %p = tile.ring_start %r : <2, <128x64xf16, 128>>
    // expected-error @below {{violates [tile.ring_fill C3] one thread fills stages}}
    tile.ring_fill %r[%p] from %m[%a, %a] : <2, <128x64xf16, 128>>, <128x64xf16, 128>
  }
  tile.role "two" groups 2 registers 240 {
  ^bb0(%b: index):
  }
}

// -----

func.func @C1(%r: !tile.ring<2, <128x64xf16, 128>>, %p: !tile.pos) {
  // expected-error @below {{violates [tile.ring_wait C1] the views are what a stage holds}}
  %v = tile.ring_wait %r[%p] : <2, <128x64xf16, 128>> -> <64x64xf16, 128>
  return
}

// -----

func.func @C1(%v: !tile.smem<128x64xf16, 128>, %i: index) {
  // expected-error @below {{violates [tile.rows C1] a multiple of 8 rows, which the view's are a multiple of; found '!tile.smem<48x64xf16, 128>'}}
  %w = tile.rows %v[%i] : <128x64xf16, 128> -> <48x64xf16, 128>
  return
}

// -----

tile.func @C1 of @k grid affine_map<() -> (1)> {
  // expected-error @below {{violates [tile.map C1]}}
  %m = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [-9223372036854775808, 128], swizzle = 128> : <128x64xf16, 128>
  tile.role "one" groups 1 registers 24 one_thread {
  ^bb0(%a: index):
  }
  tile.role "two" groups 2 registers 240 {
  ^bb0(%b: index):
  }
}

// -----

func.func @C1(%v: !tile.smem<64x128xf16, 128>, %n: index) {
  // expected-error @below {{violates [tile.columns C1] whole panels, which the view's are a multiple of; found '!tile.smem<32x64xf16, 128>'}}
  %c = tile.columns %v[%n] : <64x128xf16, 128> -> <32x64xf16, 128>
  return
}
