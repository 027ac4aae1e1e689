// An element that only moves is stored as it was loaded: it is not widened and rounded again, and a NaN keeps its bits.
// RUN: split-file %s %t
// RUN: tripy-compile %t/bf16.mlir --cpu=x86-64-v3 --stop-after=asm -o - | FileCheck %t/bf16.mlir
// RUN: tripy-compile %t/f8.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/f8.mlir
// RUN: tripy-compile %t/rounded.mlir --cpu=x86-64-v3 --stop-after=asm -o - | FileCheck %t/rounded.mlir

//--- bf16.mlir
// CHECK-LABEL: main_loop_0_transpose:
// CHECK-NOT: {{ucomiss|cmpunordps|cmpleps|cmpneqps}}
// CHECK: retq
func.func @main(%x: tensor<31x45x67xbf16>) -> tensor<67x45x31xbf16> {
  %y = trace.permute %x [2, 1, 0] : (tensor<31x45x67xbf16>) -> tensor<67x45x31xbf16>
  return %y : tensor<67x45x31xbf16>
}
//--- f8.mlir
// CHECK: ld.global
// CHECK-NOT: cvt.{{.*}}e4m3
// CHECK: st.global
func.func @main(%x: tensor<31x45xf8E4M3FN>) -> tensor<45x31xf8E4M3FN> {
  %y = trace.permute %x [1, 0] : (tensor<31x45xf8E4M3FN>) -> tensor<45x31xf8E4M3FN>
  return %y : tensor<45x31xf8E4M3FN>
}
//--- rounded.mlir
// What is computed is rounded, NaNs apart.
// CHECK: {{ucomiss|cmpunordps}}
func.func @main(%x: tensor<31x45xbf16>) -> tensor<31x45xbf16> {
  %y = trace.neg %x : (tensor<31x45xbf16>) -> tensor<31x45xbf16>
  %z = trace.exp %y : (tensor<31x45xbf16>) -> tensor<31x45xbf16>
  return %z : tensor<31x45xbf16>
}
