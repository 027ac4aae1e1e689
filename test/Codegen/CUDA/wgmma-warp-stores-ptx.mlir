// Rows of 16-bit results that TMA cannot store: each warp stores its own, and
// none waits for another one but for a barrier between the sums and their
// readers. A loop stores eight times at each turn. A lane has one address in
// shared and one in global memory in it; all others are constant distances from
// those.
//
// RUN: split-file %s %t
// RUN: tripy-compile %t/odd.mlir --target=cuda:sm_90a --gemm-tile=64x256,pingpong --stop-after=ptx -o - | FileCheck %s --check-prefix=ODD --implicit-check-not=.local
// RUN: tripy-compile %t/even.mlir --target=cuda:sm_90a --gemm-tile=128x128,pingpong --stop-after=ptx -o - | FileCheck %s --check-prefix=EVEN --implicit-check-not=.local
// RUN: tripy-compile %t/residual.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=RESIDUAL
// RUN: tripy-compile %t/residuals.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=RESIDUALS
// RUN: tripy-compile %t/heads.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=HEADS

//--- odd.mlir
// Rows of 497 elements, 994 bytes: two stores of 32 elements for a row of a box.
// ODD: wgmma.mma_async
// ODD: cp.async.bulk.wait_group.read 0
// ODD: bar.sync
// ODD-NOT: bar.sync
// ODD: stmatrix.sync.aligned.m8n8.x4.shared.b16 [[[PLACE:%rd[0-9]+]]]
// ODD-NOT: bar.sync
// ODD: bar.warp.sync
// ODD: ld.shared.b16 %rs{{[0-9]+}}, [[[FROM:%rd[0-9]+]]+144]
// ODD: ld.shared.b16 %rs{{[0-9]+}}, [[[FROM]]+288]
// ODD: st.global.b16 [[[TO:%rd[0-9]+]]]
// ODD: st.global.b16 [[[TO]]+994]
// ODD: st.global.b16 [[[TO]]+1988]
// ODD: st.global.b16 [[[TO]]+2982]
// ODD: st.global.b16 [[[TO]]+64]
// ODD: st.global.b16 [[[TO]]+1058]
// ODD: st.global.b16 [[[TO]]+3046]
// ODD-NOT: st.global
// ODD: stmatrix.sync
func.func @main(%a: tensor<512x497x64xbf16>, %b: tensor<512x497x64xbf16>) -> tensor<512x497x497xbf16> {
  %0 = trace.permute %b [0, 2, 1] : (tensor<512x497x64xbf16>) -> tensor<512x64x497xbf16>
  %1 = trace.matmul %a, %0 : (tensor<512x497x64xbf16>, tensor<512x64x497xbf16>) -> tensor<512x497x497xbf16>
  return %1 : tensor<512x497x497xbf16>
}

//--- even.mlir
// 1500 elements: half a warp has 64 of a row, with 8 bytes a lane. What the
// epilogue does is done where the sums are.
// EVEN: wgmma.mma_async
// EVEN: stmatrix.sync.aligned.m8n8.x4.shared.b16
// EVEN-NOT: bar.sync
// EVEN: ld.shared.v2.b32 {{.*}}, [[[FROM:%rd[0-9]+]]+288]
// EVEN: st.global.v2.b32 [[[TO:%rd[0-9]+]]]
// EVEN: st.global.v2.b32 [[[TO]]+6000]
// EVEN: st.global.v2.b32 [[[TO]]+42000]
func.func @main(%a: tensor<4096x512xf16>, %w: tensor<1500x512xf16>, %c: tensor<1500xf16>) -> tensor<4096x1500xf16> {
  %0 = trace.linear %a, %w, %c : (tensor<4096x512xf16>, tensor<1500x512xf16>, tensor<1500xf16>) -> tensor<4096x1500xf16>
  %1 = trace.relu %0 : (tensor<4096x1500xf16>) -> tensor<4096x1500xf16>
  return %1 : tensor<4096x1500xf16>
}

//--- residual.mlir
// A tensor like the result comes by chunks of 16 bytes to where the result is
// stored from, the first ones in front of the main loop.
// RESIDUAL: cp.async.cg.shared.global
// RESIDUAL: cp.async.commit_group
// RESIDUAL: wgmma.mma_async
// RESIDUAL: cp.async.wait_group
// RESIDUAL-NOT: bar.sync
// RESIDUAL: ld.shared.b32
// RESIDUAL: stmatrix.sync.aligned.m8n8.x4.shared.b16
// RESIDUAL-NOT: ld.global
// RESIDUAL: st.global
func.func @main(%a: tensor<4096x512xf16>, %w: tensor<1500x512xf16>, %r: tensor<4096x1500xf16>) -> tensor<4096x1500xf16> {
  %0 = trace.linear %a, %w : (tensor<4096x512xf16>, tensor<1500x512xf16>) -> tensor<4096x1500xf16>
  %1 = trace.add %0, %r : (tensor<4096x1500xf16>, tensor<4096x1500xf16>) -> tensor<4096x1500xf16>
  return %1 : tensor<4096x1500xf16>
}

//--- residuals.mlir
// Of two, each is read as the result is stored, by runs of a row.
// RESIDUALS: wgmma.mma_async
// RESIDUALS-NOT: stmatrix
func.func @main(%a: tensor<4096x512xf16>, %w: tensor<1500x512xf16>, %r: tensor<4096x1500xf16>, %s: tensor<4096x1500xf16>) -> tensor<4096x1500xf16> {
  %0 = trace.linear %a, %w : (tensor<4096x512xf16>, tensor<1500x512xf16>) -> tensor<4096x1500xf16>
  %1 = trace.add %0, %r : (tensor<4096x1500xf16>, tensor<4096x1500xf16>) -> tensor<4096x1500xf16>
  %2 = trace.mul %1, %s : (tensor<4096x1500xf16>, tensor<4096x1500xf16>) -> tensor<4096x1500xf16>
  return %2 : tensor<4096x1500xf16>
}

//--- heads.mlir
// Rows of two dimensions are as far apart as those of one.
// HEADS: wgmma.mma_async
// HEADS: stmatrix
func.func @main(%a: tensor<4x100x512xf16>, %w: tensor<1500x512xf16>) -> tensor<4x100x1500xf16> {
  %0 = trace.linear %a, %w : (tensor<4x100x512xf16>, tensor<1500x512xf16>) -> tensor<4x100x1500xf16>
  return %0 : tensor<4x100x1500xf16>
}
