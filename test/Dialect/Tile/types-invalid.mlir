// RUN: tripy-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{elements are f16, bf16 or f32; found 'i8'}}
func.func private @f(!tile.smem<64x64xi8, 128>)

// -----

// expected-error @below {{a swizzle is 32, 64 or 128; found 16}}
func.func private @f(!tile.smem<64x64xf16, 16>)

// -----

// expected-error @below {{a box is rows, 8 to 256 and a multiple of 8, by at most 256 columns}}
func.func private @f(!tile.map<60x64xf16, 128>)

// -----

// expected-error @below {{a row is a multiple of the swizzle; found 80 bytes for 128}}
func.func private @f(!tile.map<64x40xf16, 128>)

// -----

// expected-error @below {{a ring has 1 to 16 stages; found 17}}
func.func private @f(!tile.ring<17, <64x64xf16, 128>>)

// -----

// expected-error @below {{an ordered barrier has 2 to 7 members; found 1}}
func.func private @f(!tile.order<1>)

// -----

// expected-error @below {{a fragment is reduced along dimension 1; found 0}}
func.func private @f(tensor<64xf32, #tile.frag<wgmma_d, reduced = 0>>)

// -----

// expected-error @below {{operands of products are not reduced}}
func.func private @f(tensor<64xf16, #tile.frag<wgmma_a, reduced = 1>>)
