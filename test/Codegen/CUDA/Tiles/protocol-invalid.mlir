// What roles do with rings and ordered barriers, run against each other.
//
// RUN: tripy-opt %s --split-input-file --tile-check-protocol --verify-diagnostics

// The consumer takes a stage more than the producer fills.
tile.func @starves of @k grid affine_map<() -> (1)> {
  %map = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 128], swizzle = 128> : <128x64xf16, 128>
  %ring = tile.ring readers 4 : <2, <128x64xf16, 128>>
  %c0 = arith.constant 0 : index
  tile.role "producer" groups 1 registers 40 one_thread {
  ^bb0(%g: index):
    %p = tile.ring_start %ring : <2, <128x64xf16, 128>>
    tile.ring_fill %ring[%p] from %map[%c0, %c0] : <2, <128x64xf16, 128>>, <128x64xf16, 128>
  }
  tile.role "consumer" groups 1 registers 232 {
  ^bb0(%g: index):
    %p = tile.ring_start %ring : <2, <128x64xf16, 128>>
    %v = tile.ring_wait %ring[%p] : <2, <128x64xf16, 128>> -> <128x64xf16, 128>
    tile.ring_release %ring[%p] : <2, <128x64xf16, 128>>
    %n = tile.ring_next %ring[%p] : <2, <128x64xf16, 128>>
    // expected-error @below {{warp group 0 of role 'consumer' waits for ever}}
    %w = tile.ring_wait %ring[%n] : <2, <128x64xf16, 128>> -> <128x64xf16, 128>
  }
}

// -----

// No stage is ever released: the producer stands at the third.
tile.func @keeps of @k grid affine_map<() -> (1)> {
  %map = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 128], swizzle = 128> : <128x64xf16, 128>
  %ring = tile.ring readers 4 : <2, <128x64xf16, 128>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  tile.role "producer" groups 1 registers 40 one_thread {
  ^bb0(%g: index):
    %s = tile.ring_start %ring : <2, <128x64xf16, 128>>
    %e = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %s) -> (!tile.pos) {
      // expected-error @below {{warp group 0 of role 'producer' waits for ever}}
      tile.ring_fill %ring[%p] from %map[%c0, %c0] : <2, <128x64xf16, 128>>, <128x64xf16, 128>
      %n = tile.ring_next %ring[%p] : <2, <128x64xf16, 128>>
      scf.yield %n : !tile.pos
    }
  }
  tile.role "consumer" groups 1 registers 232 {
  ^bb0(%g: index):
    %s = tile.ring_start %ring : <2, <128x64xf16, 128>>
    %e = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %s) -> (!tile.pos) {
      %v = tile.ring_wait %ring[%p] : <2, <128x64xf16, 128>> -> <128x64xf16, 128>
      %n = tile.ring_next %ring[%p] : <2, <128x64xf16, 128>>
      scf.yield %n : !tile.pos
    }
  }
}

// -----

// The position does not move on: the parity is that of the round before.
tile.func @stands of @k grid affine_map<() -> (1)> {
  %map = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 128], swizzle = 128> : <128x64xf16, 128>
  %ring = tile.ring readers 4 : <1, <128x64xf16, 128>>
  %c0 = arith.constant 0 : index
  tile.role "producer" groups 1 registers 40 one_thread {
  ^bb0(%g: index):
    %p = tile.ring_start %ring : <1, <128x64xf16, 128>>
    tile.ring_fill %ring[%p] from %map[%c0, %c0] : <1, <128x64xf16, 128>>, <128x64xf16, 128>
  }
  tile.role "consumer" groups 1 registers 232 {
  ^bb0(%g: index):
    %p = tile.ring_start %ring : <1, <128x64xf16, 128>>
    %v = tile.ring_wait %ring[%p] : <1, <128x64xf16, 128>> -> <128x64xf16, 128>
    // expected-error @below {{warp group 0 of role 'consumer' waits for a round of a stage that is not the next}}
    %w = tile.ring_wait %ring[%p] : <1, <128x64xf16, 128>> -> <128x64xf16, 128>
  }
}

// -----

// Filled again in the same round.
tile.func @overwrites of @k grid affine_map<() -> (1)> {
  %map = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 128], swizzle = 128> : <128x64xf16, 128>
  %ring = tile.ring readers 4 : <1, <128x64xf16, 128>>
  %c0 = arith.constant 0 : index
  tile.role "producer" groups 1 registers 40 one_thread {
  ^bb0(%g: index):
    %p = tile.ring_start %ring : <1, <128x64xf16, 128>>
    tile.ring_fill %ring[%p] from %map[%c0, %c0] : <1, <128x64xf16, 128>>, <128x64xf16, 128>
    // expected-error @below {{warp group 0 of role 'producer' fills a stage that was not released}}
    tile.ring_fill %ring[%p] from %map[%c0, %c0] : <1, <128x64xf16, 128>>, <128x64xf16, 128>
  }
  tile.role "consumer" groups 1 registers 232 {
  ^bb0(%g: index):
  }
}

// -----

tile.func @early of @k grid affine_map<() -> (1)> {
  %ring = tile.ring readers 4 : <1, <128x64xf16, 128>>
  tile.role "producer" groups 1 registers 40 one_thread {
  ^bb0(%g: index):
  }
  tile.role "consumer" groups 1 registers 232 {
  ^bb0(%g: index):
    %p = tile.ring_start %ring : <1, <128x64xf16, 128>>
    // expected-error @below {{warp group 0 of role 'consumer' releases a stage that it did not wait for}}
    tile.ring_release %ring[%p] : <1, <128x64xf16, 128>>
  }
}

// -----

// Two warp groups release what has the arrivals of one.
tile.func @many of @k grid affine_map<() -> (1)> {
  %map = tile.map <buffer = 0, dims = () -> (64, 512), strides = () -> (128), box = [64, 128], swizzle = 128> : <128x64xf16, 128>
  %ring = tile.ring readers 6 : <1, <128x64xf16, 128>>
  %c0 = arith.constant 0 : index
  tile.role "producer" groups 1 registers 40 one_thread {
  ^bb0(%g: index):
    %p = tile.ring_start %ring : <1, <128x64xf16, 128>>
    tile.ring_fill %ring[%p] from %map[%c0, %c0] : <1, <128x64xf16, 128>>, <128x64xf16, 128>
  }
  tile.role "consumer" groups 2 registers 232 {
  ^bb0(%g: index):
    %p = tile.ring_start %ring : <1, <128x64xf16, 128>>
    %v = tile.ring_wait %ring[%p] : <1, <128x64xf16, 128>> -> <128x64xf16, 128>
    // expected-error @below {{warp group 1 of role 'consumer' releases a stage that has fewer readers}}
    tile.ring_release %ring[%p] : <1, <128x64xf16, 128>>
  }
}

// -----

// A turn that is passed twice.
tile.func @pushes of @k grid affine_map<() -> (1)> {
  %order = tile.order : <2>
  tile.role "producer" groups 1 registers 40 one_thread {
  ^bb0(%g: index):
  }
  tile.role "consumer" groups 2 registers 232 {
  ^bb0(%g: index):
    tile.order_wait %order[%g] : <2>
    tile.order_pass %order[%g] : <2>
    // expected-error @below {{warp group 0 of role 'consumer' passes a turn that was not taken yet}}
    tile.order_pass %order[%g] : <2>
  }
}

// -----

// Numbers wrap, members too, and a loop too long to be followed is not checked.
tile.func @long of @k grid affine_map<() -> (1)> {
  %order = tile.order : <2>
  %most = arith.constant 9223372036854775807 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = arith.addi %most, %most : index
  %product = arith.muli %most, %sum : index
  tile.role "producer" groups 1 registers 40 one_thread {
  ^bb0(%g: index):
    tile.order_wait %order[%c0] : <2>
    tile.order_pass %order[%most] : <2>
    scf.for %i = %c0 to %c1 step %c1 {
      scf.for %j = %c0 to %most step %c1 {
      }
    }
  }
  tile.role "consumer" groups 1 registers 232 {
  ^bb0(%g: index):
    scf.for %i = %c1 to %most step %most {
      tile.order_wait %order[%c1] : <2>
    }
  }
}
