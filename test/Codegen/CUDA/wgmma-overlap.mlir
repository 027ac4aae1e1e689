// Rows that begin within sectors of the L2 cache: the model takes tiles that overlap by one where results are what a product
// takes its time for, and whole rows of 16 bytes go to memory; a product with a long K has tiles side by side.
// RUN: split-file %s %t
// RUN: tripy-compile %t/short.mlir --target=cuda --stop-after=schedules -o - | FileCheck %t/short.mlir
// RUN: tripy-compile %t/short.mlir --target=cuda --gemm-tile=128x128,pingpong,overlap --stop-after=ptx -o - | FileCheck %t/short.mlir --check-prefix=PTX
// RUN: tripy-compile %t/long.mlir --target=cuda --stop-after=schedules -o - | FileCheck %t/long.mlir
// RUN: not tripy-compile %t/short.mlir --target=cuda --gemm-tile=128x128,cluster=1x2,overlap --stop-after=ptx -o - 2>&1 | FileCheck %t/short.mlir --check-prefix=CLUSTER
// RUN: not tripy-compile %t/aligned.mlir --target=cuda --gemm-tile=128x128,overlap --stop-after=ptx -o - 2>&1 | FileCheck %t/aligned.mlir
// RUN: tripy-compile %t/residual.mlir --target=cuda --gemm-tile=128x128,overlap --stop-after=ptx -o - | FileCheck %t/residual.mlir
// RUN: not tripy-compile %t/residuals.mlir --target=cuda --gemm-tile=128x128,overlap --stop-after=ptx -o - 2>&1 | FileCheck %t/aligned.mlir
// RUN: not tripy-compile %t/short.mlir --target=cuda --gemm-tile=64x16,overlap --stop-after=ptx -o - 2>&1 | FileCheck %t/short.mlir --check-prefix=NARROW

//--- short.mlir
// CHECK: #kernel.wgmma_schedule<{{.*}} overlap = true, from = model>
// Words of a row that begins at an odd column are shifted.
// PTX: wgmma.mma_async
// PTX: stmatrix
// PTX: ld.shared.b32
// PTX: shf.r.wrap.b32
// PTX: st.global.v4.b32
// The ends of rows of the result.
// PTX: st.global.b16
// CLUSTER: a tile must be such as
// NARROW: tiles that overlap have 32 columns of each contraction or more
func.func @main(%a: tensor<32x499x64xf16>) -> tensor<32x499x499xf16> {
  %u = trace.permute %a [0, 2, 1] : (tensor<32x499x64xf16>) -> tensor<32x64x499xf16>
  %y = trace.matmul %a, %u : (tensor<32x499x64xf16>, tensor<32x64x499xf16>) -> tensor<32x499x499xf16>
  return %y : tensor<32x499x499xf16>
}
//--- long.mlir
// CHECK: #kernel.wgmma_schedule<
// CHECK-NOT: overlap = true
func.func @main(%a: tensor<4096x4096xf16>, %b: tensor<2047x4096xf16>) -> tensor<4096x2047xf16> {
  %y = trace.linear %a, %b : (tensor<4096x4096xf16>, tensor<2047x4096xf16>) -> tensor<4096x2047xf16>
  return %y : tensor<4096x2047xf16>
}
//--- aligned.mlir
// CHECK: tiles that overlap have 16-bit results whose rows are not a multiple of 32 bytes
func.func @main(%a: tensor<512x64xf16>, %b: tensor<512x64xf16>) -> tensor<512x512xf16> {
  %y = trace.linear %a, %b : (tensor<512x64xf16>, tensor<512x64xf16>) -> tensor<512x512xf16>
  return %y : tensor<512x512xf16>
}
//--- residual.mlir
// Of a row that begins at an odd column, pairs are read element by element.
// CHECK: cp.async.cg.shared.global
// CHECK: ld.shared.b16
// CHECK: stmatrix
func.func @main(%a: tensor<512x64xf16>, %b: tensor<499x64xf16>, %c: tensor<512x499xf16>) -> tensor<512x499xf16> {
  %p = trace.linear %a, %b : (tensor<512x64xf16>, tensor<499x64xf16>) -> tensor<512x499xf16>
  %y = trace.add %p, %c : (tensor<512x499xf16>, tensor<512x499xf16>) -> tensor<512x499xf16>
  return %y : tensor<512x499xf16>
}
//--- residuals.mlir
func.func @main(%a: tensor<512x64xf16>, %b: tensor<499x64xf16>, %c: tensor<512x499xf16>, %d: tensor<512x499xf16>) -> tensor<512x499xf16> {
  %p = trace.linear %a, %b : (tensor<512x64xf16>, tensor<499x64xf16>) -> tensor<512x499xf16>
  %q = trace.add %p, %c : (tensor<512x499xf16>, tensor<512x499xf16>) -> tensor<512x499xf16>
  %y = trace.mul %q, %d : (tensor<512x499xf16>, tensor<512x499xf16>) -> tensor<512x499xf16>
  return %y : tensor<512x499xf16>
}
