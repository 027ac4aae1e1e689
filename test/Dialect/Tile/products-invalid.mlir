// RUN: tripy-opt %s --split-input-file --verify-diagnostics

#d = #tile.frag<wgmma_d>
#a = #tile.frag<wgmma_a>
#row = #tile.frag<wgmma_d, reduced = 1>
#part = #tile.frag<wgmma_d, reduced = 1, partial = true>
func.func @C1(%a: tensor<64x128xf32, #d>, %b: !tile.smem<128x64xf16, 128>) {
  // expected-error @below {{violates [tile.mma_async C1] A is in shared memory, or a fragment of layout wgmma_a that is not transposed; found 'tensor<64x128xf32, #tile.frag<wgmma_d>>'}}
  %p = tile.mma_async %a, %b : tensor<64x128xf32, #d>, <128x64xf16, 128> -> <tensor<64x128xf32, #d>>
  %r = tile.mma_wait %p newer 0 : <tensor<64x128xf32, #d>> -> tensor<64x128xf32, #d>
  return
}

// -----

#d = #tile.frag<wgmma_d>
#a = #tile.frag<wgmma_a>
#row = #tile.frag<wgmma_d, reduced = 1>
#part = #tile.frag<wgmma_d, reduced = 1, partial = true>
func.func @C2(%a: !tile.smem<64x64xf16, 128>, %b: !tile.smem<128x64xf16, 128>) {
  // expected-error @below {{violates [tile.mma_async C2] the sums are M x N, f32, of layout wgmma_d, M a multiple of 64, N being 8 to 256 and a multiple of 8; found '!tile.pending<tensor<64x128xf16, #tile.frag<wgmma_d>>>'}}
  %p = tile.mma_async %a, %b : !tile.smem<64x64xf16, 128>, <128x64xf16, 128> -> <tensor<64x128xf16, #d>>
  return
}

// -----

#d = #tile.frag<wgmma_d>
#a = #tile.frag<wgmma_a>
#row = #tile.frag<wgmma_d, reduced = 1>
#part = #tile.frag<wgmma_d, reduced = 1, partial = true>
func.func @C3(%a: !tile.smem<64x64xf16, 128>, %b: !tile.smem<64x64xf16, 128>) {
  // expected-error @below {{violates [tile.mma_async C3] the operands' sizes agree with the sums'; found '!tile.smem<64x64xf16, 128>' and '!tile.smem<64x64xf16, 128>'}}
  %p = tile.mma_async %a, %b : !tile.smem<64x64xf16, 128>, <64x64xf16, 128> -> <tensor<64x128xf32, #d>>
  %r = tile.mma_wait %p newer 0 : <tensor<64x128xf32, #d>> -> tensor<64x128xf32, #d>
  return
}

// -----

#d = #tile.frag<wgmma_d>
#a = #tile.frag<wgmma_a>
#row = #tile.frag<wgmma_d, reduced = 1>
#part = #tile.frag<wgmma_d, reduced = 1, partial = true>
func.func @C4(%a: !tile.smem<64x64xf16, 128>, %b: !tile.smem<128x64xbf16, 128>) {
  // expected-error @below {{violates [tile.mma_async C4] both operands have one type, f16 or bf16; found 'bf16'}}
  %p = tile.mma_async %a, %b : !tile.smem<64x64xf16, 128>, <128x64xbf16, 128> -> <tensor<64x128xf32, #d>>
  %r = tile.mma_wait %p newer 0 : <tensor<64x128xf32, #d>> -> tensor<64x128xf32, #d>
  return
}

// -----

#d = #tile.frag<wgmma_d>
#a = #tile.frag<wgmma_a>
#row = #tile.frag<wgmma_d, reduced = 1>
#part = #tile.frag<wgmma_d, reduced = 1, partial = true>
func.func @C5(%a: !tile.smem<64x64xf16, 128>, %b: !tile.smem<128x64xf16, 128>, %c: tensor<64x64xf32, #d>) {
  // expected-error @below {{violates [tile.mma_async C5] what is added to has the type of the sums}}
  %p = tile.mma_async %a, %b plus %c : tensor<64x64xf32, #d> : !tile.smem<64x64xf16, 128>, <128x64xf16, 128> -> <tensor<64x128xf32, #d>>
  %r = tile.mma_wait %p newer 0 : <tensor<64x128xf32, #d>> -> tensor<64x128xf32, #d>
  return
}

// -----

#d = #tile.frag<wgmma_d>
#a = #tile.frag<wgmma_a>
#row = #tile.frag<wgmma_d, reduced = 1>
#part = #tile.frag<wgmma_d, reduced = 1, partial = true>
func.func @C6(%a: !tile.smem<64x64xf16, 128>, %b: !tile.smem<128x64xf16, 128>) {
  // expected-error @below {{violates [tile.mma_async C6] one operation waits for a product, or goes on with it}}
  %p = tile.mma_async %a, %b : !tile.smem<64x64xf16, 128>, <128x64xf16, 128> -> <tensor<64x128xf32, #d>>
  return
}

// -----

#d = #tile.frag<wgmma_d>
#a = #tile.frag<wgmma_a>
#row = #tile.frag<wgmma_d, reduced = 1>
#part = #tile.frag<wgmma_d, reduced = 1, partial = true>
func.func @C1(%a: !tile.smem<64x64xf16, 128>, %b: !tile.smem<128x64xf16, 128>) {
  %p = tile.mma_async %a, %b : !tile.smem<64x64xf16, 128>, <128x64xf16, 128> -> <tensor<64x128xf32, #d>>
  // expected-error @below {{violates [tile.mma_wait C1] the result is the fragment that was pending; found 'tensor<64x64xf32, #tile.frag<wgmma_d>>'}}
  %r = tile.mma_wait %p newer 0 : <tensor<64x128xf32, #d>> -> tensor<64x64xf32, #d>
  return
}

// -----

#d = #tile.frag<wgmma_d>
#a = #tile.frag<wgmma_a>
#row = #tile.frag<wgmma_d, reduced = 1>
#part = #tile.frag<wgmma_d, reduced = 1, partial = true>
func.func @C2(%a: !tile.smem<64x64xf16, 128>, %b: !tile.smem<128x64xf16, 128>) {
  %p = tile.mma_async %a, %b : !tile.smem<64x64xf16, 128>, <128x64xf16, 128> -> <tensor<64x128xf32, #d>>
  // expected-error @below {{violates [tile.mma_wait C2] newer is 0 to 7; found 8}}
  %r = tile.mma_wait %p newer 8 : <tensor<64x128xf32, #d>> -> tensor<64x128xf32, #d>
  return
}

// -----

#d = #tile.frag<wgmma_d>
#a = #tile.frag<wgmma_a>
#row = #tile.frag<wgmma_d, reduced = 1>
#part = #tile.frag<wgmma_d, reduced = 1, partial = true>
func.func @C3(%a: tensor<64x64xf16, #a>, %b: !tile.smem<128x64xf16, 128>) {
  %p = tile.mma_async %a, %b : tensor<64x64xf16, #a>, <128x64xf16, 128> -> <tensor<64x128xf32, #d>>
  // expected-error @below {{violates [tile.mma_wait C3] it holds A where that is in registers}}
  %r = tile.mma_wait %p newer 0 : <tensor<64x128xf32, #d>> -> tensor<64x128xf32, #d>
  return
}

// -----

#d = #tile.frag<wgmma_d>
#a = #tile.frag<wgmma_a>
#row = #tile.frag<wgmma_d, reduced = 1>
#part = #tile.frag<wgmma_d, reduced = 1, partial = true>
func.func @C4(%a: !tile.smem<64x64xf16, 128>, %b: !tile.smem<128x64xf16, 128>) {
  %p = tile.mma_async %a, %b : !tile.smem<64x64xf16, 128>, <128x64xf16, 128> -> <tensor<64x128xf32, #d>>
  // expected-error @below {{violates [tile.mma_wait C4] newer is the number of products that were started since, in this block of code, or 0 behind a loop; found 1}}
  %r = tile.mma_wait %p newer 1 : <tensor<64x128xf32, #d>> -> tensor<64x128xf32, #d>
  return
}

// -----

func.func @C1() {
  // expected-error @below {{violates [tile.mma_retire C1] newer is 0 to 7; found 8}}
  tile.mma_retire newer 8
  return
}
