// Running sums along a dimension that is not the last, of few long columns: blocks share them.
//
// RUN: split-file %s %t
// RUN: tripy-compile %t/halves.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/halves.mlir --check-prefix=KERNEL
// RUN: tripy-compile %t/halves.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/halves.mlir --check-prefix=PTX --implicit-check-not=.local
// RUN: tripy-compile %t/narrow.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/narrow.mlir
// RUN: tripy-compile %t/outer.mlir --target=cuda:sm_80 --stop-after=kernels -o - | FileCheck %t/outer.mlir
// RUN: tripy-compile %t/dynamic.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/dynamic.mlir
// RUN: tripy-compile %t/inner.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/inner.mlir --check-prefix=KERNEL
// RUN: tripy-compile %t/inner.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/inner.mlir --check-prefix=PTX --implicit-check-not=.local
// RUN: tripy-compile %t/vectors.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/vectors.mlir --implicit-check-not=.local
// RUN: tripy-compile %t/all.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/all.mlir
// RUN: tripy-compile %t/few.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/few.mlir
// RUN: tripy-compile %t/many.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/many.mlir

//--- halves.mlir
// Five stripes of 64 columns, two of each thread; 52 parts of each stripe. A thread has 10 loads in flight when it sums its
// part, and again, of what is in the L1 cache, when it writes.
// KERNEL: kernel.func @main_scan_0_scan scan {{.*}} config = <grid = () -> (260, 1, 1), block = [512, 1, 1], cluster = [1, 1, 1], scratch = 0 workspace = [16, {{[0-9]+}}]>
// PTX: atom.acq_rel.gpu.global.inc.u32
// PTX-NOT: add.rn.f32
// PTX: ld.global.v2.b16 {{.*}}+-3200];
// PTX-NOT: add.rn.f32
// PTX: ld.global.v2.b16 {{.*}}+2560];
// PTX: add.rn.f32
// PTX: st.relaxed.gpu.global.u64
// PTX-COUNT-8: ld.relaxed.gpu.global.u64
// PTX: atom.acq_rel.gpu.global.inc.u32
// PTX-COUNT-10: ld.global.v2.b16
// PTX: st.global{{.*}}.b32
func.func @main(%a: tensor<8192x320xf16> {tripy.name = "a"}) -> (tensor<8192x320xf16> {tripy.name = "y"}) {
  %0 = trace.cumsum %a dim = 0 : (tensor<8192x320xf16>) -> tensor<8192x320xf16>
  return %0 : tensor<8192x320xf16>
}

//--- narrow.mlir
// Stripes are narrower where they are few: two of 32 columns.
// CHECK: config = <grid = () -> (258, 1, 1), block = [512, 1, 1]
func.func @main(%a: tensor<20498x64xf16> {tripy.name = "a"}) -> (tensor<20498x64xf16> {tripy.name = "y"}) {
  %0 = trace.cumsum %a dim = 0 : (tensor<20498x64xf16>) -> tensor<20498x64xf16>
  return %0 : tensor<20498x64xf16>
}

//--- outer.mlir
// CHECK: config = <grid = () -> ({{[0-9]+}}, 1, 1), block = [512, 1, 1]
func.func @main(%a: tensor<4x3000x5x20xf16> {tripy.name = "a"}) -> (tensor<4x3000x5x20xf16> {tripy.name = "y"}) {
  %0 = trace.cumsum %a dim = 1 : (tensor<4x3000x5x20xf16>) -> tensor<4x3000x5x20xf16>
  return %0 : tensor<4x3000x5x20xf16>
}

//--- dynamic.mlir
// CHECK: config = <grid = ()[s0, s1] -> ({{.*}}), block = [512, 1, 1]
func.func @main(%a: tensor<?x?x100xbf16> {tripy.name = "a", tripy.profile = #tripy.profile<min = [1, 0, 100], opt = [2, 3000, 100], max = [400, 100000, 100]>}) -> (tensor<?x?x100xbf16> {tripy.name = "y"}) {
  %0 = trace.cumsum %a dim = 1 : (tensor<?x?x100xbf16>) -> tensor<?x?x100xbf16>
  return %0 : tensor<?x?x100xbf16>
}

//--- inner.mlir
// A number of columns that is known at run time only: stripes of 32, as many as there are; parts so that 264 blocks run. All
// loads of a thread are in front of the sums, and, when it writes, of the stores: one branch for the columns that are none.
// KERNEL: config = <grid = ()[s0] -> ((s0 ceildiv 32) * (11 ceildiv (11 ceildiv (264 floordiv {{.*}}))), 1, 1), block = [512, 1, 1], cluster = [1, 1, 1], scratch = 0 workspace = [16, 68128]>
// PTX: atom.acq_rel.gpu.global.inc.u32
// PTX-NOT: add.rn.f32
// PTX-COUNT-12: ld.global.b16
// PTX: add.rn.f32
// PTX: st.relaxed.gpu.global.u64
// PTX-COUNT-4: ld.relaxed.gpu.global.u64
// PTX: atom.acq_rel.gpu.global.inc.u32
// PTX-NOT: st.global
// PTX-COUNT-12: ld.global.b16
// PTX: bra
// PTX-COUNT-12: st.global.b16
func.func @main(%a: tensor<2048x?xf16> {tripy.name = "a", tripy.profile = #tripy.profile<min = [2048, 0], opt = [2048, 768], max = [2048, 3072]>}) -> (tensor<2048x?xf16> {tripy.name = "y"}) {
  %0 = trace.cumsum %a dim = 0 : (tensor<2048x?xf16>) -> tensor<2048x?xf16>
  return %0 : tensor<2048x?xf16>
}

//--- vectors.mlir
// The last size is known: vectors of two columns.
// CHECK: ld.global.v2.b16
// CHECK: st.global{{.*}}.b32
func.func @main(%a: tensor<2048x?x20xf16> {tripy.name = "a", tripy.profile = #tripy.profile<min = [2048, 0, 20], opt = [2048, 15, 20], max = [2048, 100, 20]>}) -> (tensor<2048x?x20xf16> {tripy.name = "y"}) {
  %0 = trace.cumsum %a dim = 0 : (tensor<2048x?x20xf16>) -> tensor<2048x?x20xf16>
  return %0 : tensor<2048x?x20xf16>
}

//--- all.mlir
// CHECK: config = <grid = ()[s0, s1, s2, s3] -> ((s0 * ((s2 * s3) ceildiv 32)) * ({{.*}}), 1, 1), block = [512, 1, 1]
func.func @main(%a: tensor<?x?x?x?xf32> {tripy.name = "a", tripy.profile = #tripy.profile<min = [0, 0, 0, 0], opt = [2, 3000, 10, 20], max = [400, 100000, 100, 100]>}) -> (tensor<?x?x?x?xf32> {tripy.name = "y"}) {
  %0 = trace.cumsum %a dim = 1 : (tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %0 : tensor<?x?x?x?xf32>
}

//--- few.mlir
// So few columns are expected that a thread could have all.
// CHECK: block = [256, 1, 1]
func.func @main(%a: tensor<2048x?xf16> {tripy.name = "a", tripy.profile = #tripy.profile<min = [2048, 1], opt = [2048, 16], max = [2048, 3072]>}) -> (tensor<2048x?xf16> {tripy.name = "y"}) {
  %0 = trace.cumsum %a dim = 0 : (tensor<2048x?xf16>) -> tensor<2048x?xf16>
  return %0 : tensor<2048x?xf16>
}

//--- many.mlir
// So many are expected that stripes fill the GPU.
// CHECK: block = [256, 1, 1]
func.func @main(%a: tensor<2048x?xf16> {tripy.name = "a", tripy.profile = #tripy.profile<min = [2048, 1], opt = [2048, 4300], max = [2048, 5000]>}) -> (tensor<2048x?xf16> {tripy.name = "y"}) {
  %0 = trace.cumsum %a dim = 0 : (tensor<2048x?xf16>) -> tensor<2048x?xf16>
  return %0 : tensor<2048x?xf16>
}
