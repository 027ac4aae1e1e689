// What the epilogue of a product reads is asked for together, in front of the
// stores: else each access would wait for memory by itself. Rows are no
// multiple of 16 bytes, or go beyond whole tiles.
//
// RUN: split-file %s %t
// RUN: tripy-compile %t/tensor-cores.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=TENSOR --implicit-check-not=.local
// RUN: tripy-compile %t/odd.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=ODD --implicit-check-not=.local
// RUN: tripy-compile %t/few.mlir --target=cuda:sm_90a --gemm-tile=24x128,swapAB --stop-after=ptx -o - | FileCheck %s --check-prefix=FEW --implicit-check-not=.local
// RUN: tripy-compile %t/edges.mlir --target=cuda:sm_90a --no-f32-tensor-cores --stop-after=ptx -o - | FileCheck %s --check-prefix=EDGES --implicit-check-not=.local

//--- tensor-cores.mlir
// Two tensors like the result: pairs of 16-bit numbers of eight rows. The bias
// is the same for all rows.
// TENSOR: wgmma.mma_async
// TENSOR-NOT: st.global
// TENSOR: ld.global
// TENSOR-NOT: st.global
// TENSOR: ld.global
// TENSOR-NOT: st.global
// TENSOR: ld.global
// TENSOR-NOT: st.global
// TENSOR: ld.global
// TENSOR-NOT: st.global
// TENSOR: ld.global
// TENSOR-NOT: st.global
// TENSOR: ld.global
// TENSOR-NOT: st.global
// TENSOR: ld.global
// TENSOR-NOT: st.global
// TENSOR: ld.global
// TENSOR-NOT: st.global
// TENSOR: ld.global
// TENSOR-NOT: st.global
// TENSOR: ld.global
// TENSOR-NOT: st.global
// TENSOR: ld.global
// TENSOR-NOT: st.global
// TENSOR: ld.global
// TENSOR-NOT: st.global
// TENSOR: ld.global
// TENSOR-NOT: st.global
// TENSOR: ld.global
// TENSOR-NOT: st.global
// TENSOR: ld.global
// TENSOR-NOT: st.global
// TENSOR: ld.global
// TENSOR-NOT: st.global
// TENSOR: ld.global
// TENSOR-NOT: ld.global
// TENSOR-COUNT-8: st.global.b32
// TENSOR-NOT: global.b16
func.func @main(%x: tensor<512x768xf16>, %w: tensor<30522x768xf16>, %b: tensor<30522xf16>, %r: tensor<512x30522xf16>, %s: tensor<512x30522xf16>) -> tensor<512x30522xf16> {
  %0 = trace.linear %x, %w, %b : (tensor<512x768xf16>, tensor<30522x768xf16>, tensor<30522xf16>) -> tensor<512x30522xf16>
  %1 = trace.add %0, %r : (tensor<512x30522xf16>, tensor<512x30522xf16>) -> tensor<512x30522xf16>
  %2 = trace.mul %1, %s : (tensor<512x30522xf16>, tensor<512x30522xf16>) -> tensor<512x30522xf16>
  return %2 : tensor<512x30522xf16>
}

//--- odd.mlir
// ODD: wgmma.mma_async
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: st.global
// ODD: ld.global
// ODD-NOT: ld.global
// ODD-COUNT-16: st.global.b16
func.func @main(%x: tensor<512x768xf16>, %w: tensor<30521x768xf16>, %r: tensor<512x30521xf16>, %s: tensor<512x30521xf16>) -> tensor<512x30521xf16> {
  %0 = trace.linear %x, %w : (tensor<512x768xf16>, tensor<30521x768xf16>) -> tensor<512x30521xf16>
  %1 = trace.add %0, %r : (tensor<512x30521xf16>, tensor<512x30521xf16>) -> tensor<512x30521xf16>
  %2 = trace.mul %1, %s : (tensor<512x30521xf16>, tensor<512x30521xf16>) -> tensor<512x30521xf16>
  return %2 : tensor<512x30521xf16>
}

//--- few.mlir
// A tile of 24 x 128 is three runs of eight numbers of each thread.
// FEW: wgmma.mma_async
// FEW-NOT: st.global
// FEW: ld.global
// FEW-NOT: st.global
// FEW: ld.global
// FEW-NOT: st.global
// FEW: ld.global
// FEW-NOT: ld.global
// FEW-COUNT-3: st.global.v4.b32
func.func @main(%x: tensor<23x512xf16>, %w: tensor<1024x512xf16>, %r: tensor<23x1024xf16>) -> tensor<23x1024xf16> {
  %0 = trace.linear %x, %w : (tensor<23x512xf16>, tensor<1024x512xf16>) -> tensor<23x1024xf16>
  %1 = trace.add %0, %r : (tensor<23x1024xf16>, tensor<23x1024xf16>) -> tensor<23x1024xf16>
  return %1 : tensor<23x1024xf16>
}

//--- edges.mlir
// Four runs of four numbers; LLVM joins the aligned ones.
// EDGES: fma.rn.f32
// EDGES-NOT: st.global
// EDGES: ld.global
// EDGES-NOT: st.global
// EDGES: ld.global
// EDGES-NOT: st.global
// EDGES: ld.global
// EDGES-NOT: st.global
// EDGES: ld.global
// EDGES-NOT: st.global
// EDGES: ld.global
// EDGES-NOT: st.global
// EDGES: ld.global
// EDGES-NOT: st.global
// EDGES: ld.global
// EDGES-NOT: st.global
// EDGES: ld.global
// EDGES-NOT: st.global
// EDGES: ld.global
// EDGES-NOT: st.global
// EDGES: ld.global
// EDGES-NOT: st.global
// EDGES: ld.global
// EDGES-NOT: st.global
// EDGES: ld.global
// EDGES-NOT: st.global
// EDGES: ld.global
// EDGES: st.global
func.func @main(%x: tensor<1021x512xf32>, %w: tensor<1021x512xf32>, %r: tensor<1021x1021xf32>) -> tensor<1021x1021xf32> {
  %0 = trace.linear %x, %w : (tensor<1021x512xf32>, tensor<1021x512xf32>) -> tensor<1021x1021xf32>
  %1 = trace.add %0, %r : (tensor<1021x1021xf32>, tensor<1021x1021xf32>) -> tensor<1021x1021xf32>
  return %1 : tensor<1021x1021xf32>
}
