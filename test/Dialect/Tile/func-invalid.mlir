// RUN: tripy-opt %s --split-input-file --verify-diagnostics

tile.func @C1 of @k grid affine_map<() -> (1)> {
  // expected-error @-1 {{violates [tile.func C1] arguments are sizes, of type index}}
^bb0(%x: f32):
  tile.role "one" groups 1 registers 24 one_thread {
  ^bb0(%a: index):
  }
  tile.role "two" groups 2 registers 240 {
  ^bb0(%b: index):
  }
}

// -----

tile.func @C2 of @k grid affine_map<() -> (1)> {
  // expected-error @-1 {{violates [tile.func C2] the roles are the last operations, two or more}}
  tile.role "one" groups 1 registers 24 one_thread {
  ^bb0(%a: index):
  }
  tile.role "two" groups 2 registers 240 {
  ^bb0(%b: index):
  }
  %c = arith.constant 1 : index
}

// -----

tile.func @C3 of @k grid affine_map<() -> (1)> {
  // expected-error @-1 {{violates [tile.func C3] roles have at most 8 warp groups together; found 9}}
  tile.role "one" groups 1 registers 24 one_thread {
  ^bb0(%a: index):
  }
  tile.role "two" groups 8 registers 240 {
  ^bb0(%b: index):
  }
}

// -----

tile.func @C4 of @k grid affine_map<() -> (1)> {
  // expected-error @-1 {{violates [tile.func C4] registers of all warp groups are at most those of the launch; found 536, the launch has 504}}
  tile.role "one" groups 1 registers 56 one_thread {
  ^bb0(%a: index):
  }
  tile.role "two" groups 2 registers 240 {
  ^bb0(%b: index):
  }
}

// -----

tile.func @C1 of @k grid affine_map<() -> (1)> {
  // expected-error @below {{violates [tile.role C1] a role has 1 to 8 warp groups; found 0}}
  tile.role "one" groups 0 registers 24 one_thread {
  ^bb0(%a: index):
  }
  tile.role "two" groups 2 registers 240 {
  ^bb0(%b: index):
  }
}

// -----

tile.func @C2 of @k grid affine_map<() -> (1)> {
  // expected-error @below {{violates [tile.role C2] registers are 24 to 256, a multiple of 8; found 20}}
  tile.role "one" groups 1 registers 20 one_thread {
  ^bb0(%a: index):
  }
  tile.role "two" groups 2 registers 200 {
  ^bb0(%b: index):
  }
}

// -----

tile.func @C3 of @k grid affine_map<() -> (1)> {
  // expected-error @below {{violates [tile.role C3] the region has one argument, of type index}}
  tile.role "one" groups 1 registers 24 one_thread {
  ^bb0(%a: i32):
  }
  tile.role "two" groups 2 registers 240 {
  ^bb0(%b: index):
  }
}

// -----

tile.func @C4 of @k grid affine_map<() -> (1)> {
  %ring = tile.ring readers 8 : <2, <128x64xf16, 128>>
  %pos = tile.ring_start %ring : <2, <128x64xf16, 128>>
  // expected-error @below {{violates [tile.role C4] fragments and positions are not used across roles}}
  tile.role "one" groups 1 registers 24 one_thread {
  ^bb0(%a: index):
    %next = tile.ring_next %ring[%pos] : <2, <128x64xf16, 128>>
  }
  tile.role "two" groups 2 registers 240 {
  ^bb0(%b: index):
  }
}

// -----

// Sums and products of what is out of range are numbers.
tile.func @C3 of @k grid affine_map<() -> (1)> {
  // expected-error @-1 {{violates [tile.func C3] roles have at most 8 warp groups together; found 2097152}}
  tile.role "one" groups 9223372036854775807 registers 9223372036854775807 one_thread {
  ^bb0(%a: index):
  }
  tile.role "two" groups 9223372036854775807 registers 2 {
  ^bb0(%b: index):
  }
}

// -----

tile.func @C1 of @k grid affine_map<() -> (1)> {
  // expected-error @below {{violates [tile.role C1] a role has 1 to 8 warp groups; found -1}}
  tile.role "one" groups 18446744073709551615 registers 24 one_thread {
  ^bb0(%a: index):
  }
  tile.role "two" groups 2 registers 240 {
  ^bb0(%b: index):
  }
}
