// The machine code of layers with few rows: wide accesses past the L1 cache,
// nothing in local memory.
//
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=FIRST
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=SECOND
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=LINT --implicit-check-not=global.nc.b16 --implicit-check-not=global.b16 --implicit-check-not=.local --implicit-check-not=wgmma
// RUN: tripy-compile %s --target=cuda:sm_90a --no-overlap --stop-after=ptx -o - | FileCheck %s --check-prefix=OFF --implicit-check-not=griddepcontrol --implicit-check-not=prefetch

// OFF: .entry
// What ran before the program may write the first layer's arguments: it reads
// them behind the wait, through the cache that sees that, and asks for nothing
// before.
// FIRST: .entry main_gemm_0
// FIRST: .minnctapersm 3
// FIRST-NOT: prefetch
// FIRST-NOT: ld.global
// FIRST: griddepcontrol.wait
// FIRST: griddepcontrol.launch_dependents
// FIRST-COUNT-4: ld.global.L1::no_allocate.v4.b32
// FIRST: shfl.sync.bfly
// FIRST: st.global
//
// The second one loads its first weights, and waits for its input.
// SECOND: .entry main_gemm_1
// SECOND-COUNT-4: ld.global.nc.L1::no_allocate.v4.b32
// SECOND: griddepcontrol.launch_dependents
// SECOND: griddepcontrol.wait
// SECOND: ld.global.v4.b32
// SECOND: shfl.sync.bfly
//
// Nothing writes parameters: the first layer loads them too.
// RUN: tripy-compile %s --function=parameters --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=PARAMETERS
// PARAMETERS: .entry
// PARAMETERS-COUNT-4: ld.global.nc.L1::no_allocate.v4.b32
// PARAMETERS: griddepcontrol.wait
// PARAMETERS: ld.global.v4.b32
// LINT: .target sm_90a
func.func @main(%x: tensor<1x1024xf16>, %w1: tensor<4096x1024xf16>, %b1: tensor<4096xf16>, %w2: tensor<1024x4096xf16>, %b2: tensor<1024xf16>) -> tensor<1x1024xf16> {
  %0 = trace.linear %x, %w1, %b1 : (tensor<1x1024xf16>, tensor<4096x1024xf16>, tensor<4096xf16>) -> tensor<1x4096xf16>
  %1 = trace.gelu %0 : (tensor<1x4096xf16>) -> tensor<1x4096xf16>
  %2 = trace.linear %1, %w2, %b2 : (tensor<1x4096xf16>, tensor<1024x4096xf16>, tensor<1024xf16>) -> tensor<1x1024xf16>
  return %2 : tensor<1x1024xf16>
}
func.func @parameters(%x: tensor<1x1024xf16>, %w: tensor<4096x1024xf16> {tripy.parameter}) -> tensor<1x4096xf16> {
  %0 = trace.linear %x, %w : (tensor<1x1024xf16>, tensor<4096x1024xf16>) -> tensor<1x4096xf16>
  return %0 : tensor<1x4096xf16>
}
