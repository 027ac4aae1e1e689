// Running sums along a dimension that is not the last, of few long columns: blocks share them.
//
// RUN: split-file %s %t
// RUN: tripy-compile %t/halves.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/halves.mlir --check-prefix=KERNEL
// RUN: tripy-compile %t/halves.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/halves.mlir --check-prefix=PTX --implicit-check-not=.local
// RUN: tripy-compile %t/narrow.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/narrow.mlir
// RUN: tripy-compile %t/outer.mlir --target=cuda:sm_80 --stop-after=kernels -o - | FileCheck %t/outer.mlir
// RUN: tripy-compile %t/dynamic.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/dynamic.mlir

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
