// RUN: tripy-opt %s --split-input-file --verify-diagnostics

#d = #tile.frag<wgmma_d>
#a = #tile.frag<wgmma_a>
#row = #tile.frag<wgmma_d, reduced = 1>
#part = #tile.frag<wgmma_d, reduced = 1, partial = true>
func.func @C1(%a: tensor<64x128xf32, #d>) {
  // expected-error @below {{violates [tile.reduce C1] the result is the rows of the operand, which has columns or is partial; found 'tensor<64x64xf32, #tile.frag<wgmma_d>>'}}
  %r = tile.reduce max %a : tensor<64x128xf32, #d> -> tensor<64x64xf32, #d>
  return
}

// -----

#d = #tile.frag<wgmma_d>
#a = #tile.frag<wgmma_a>
#row = #tile.frag<wgmma_d, reduced = 1>
#part = #tile.frag<wgmma_d, reduced = 1, partial = true>
func.func @C1(%a: tensor<64xf32, #part>) {
  // expected-error @below {{violates [tile.broadcast C1] the operand is the rows of the result, and not partial; found 'tensor<64xf32, #tile.frag<wgmma_d, reduced = 1, partial = true>>'}}
  %r = tile.broadcast %a : tensor<64xf32, #part> -> tensor<64x128xf32, #d>
  return
}

// -----

#d = #tile.frag<wgmma_d>
#a = #tile.frag<wgmma_a>
#row = #tile.frag<wgmma_d, reduced = 1>
#part = #tile.frag<wgmma_d, reduced = 1, partial = true>
func.func @C1(%a: tensor<64x64xf32, #d>) {
  // expected-error @below {{violates [tile.relabel C1] from wgmma_d to wgmma_a, of 16-bit elements, or rows from whole to partial; found 'tensor<64x64xf32, #tile.frag<wgmma_d>>' to 'tensor<64x64xf32, #tile.frag<wgmma_a>>'}}
  %r = tile.relabel %a : tensor<64x64xf32, #d> -> tensor<64x64xf32, #a>
  return
}

// -----

#d = #tile.frag<wgmma_d>
#a = #tile.frag<wgmma_a>
#row = #tile.frag<wgmma_d, reduced = 1>
#part = #tile.frag<wgmma_d, reduced = 1, partial = true>
func.func @C1(%a: tensor<64x64xf16, #d>, %i: index) {
  // expected-error @below {{violates [tile.score C1] scores are f32, of layout wgmma_d; found 'tensor<64x64xf16, #tile.frag<wgmma_d>>'}}
  %r = tile.score %a at (%i, %i, %i) : tensor<64x64xf16, #d>
  return
}

// -----

#d = #tile.frag<wgmma_d>
#a = #tile.frag<wgmma_a>
#row = #tile.frag<wgmma_d, reduced = 1>
#part = #tile.frag<wgmma_d, reduced = 1, partial = true>
func.func @C1(%a: tensor<64x64xf16, #d>, %i: index) {
  // expected-error @below {{violates [tile.store C1] the fragment has layout wgmma_d, f32; found 'tensor<64x64xf16, #tile.frag<wgmma_d>>'}}
  tile.store %a at (%i, %i) : tensor<64x64xf16, #d>
  return
}
