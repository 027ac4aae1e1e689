// RUN: split-file %s %t
// RUN: tripy-compile %t/long.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/long.mlir
// RUN: tripy-compile %t/long.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/long.mlir --check-prefix=PTX
// RUN: tripy-compile %t/few.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/few.mlir --implicit-check-not=.local --implicit-check-not=ld.global
// RUN: tripy-compile %t/odd.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/odd.mlir --implicit-check-not=.local --implicit-check-not=ld.global
// RUN: tripy-compile %t/dynamic.mlir --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %t/dynamic.mlir --implicit-check-not=.local --implicit-check-not=ld.global
// RUN: tripy-opt %t/dynamic.mlir --tripy-cuda --remark-format=emitRemark --remarks-filter=row -o /dev/null 2>&1 | FileCheck %t/dynamic.mlir --check-prefix=REMARK

//--- long.mlir
// One pass of 16-byte loads over a row of odd length: pairs of elements are compared at once, and no element by itself.
// CHECK: kernel.func @main_row_0_argmax row {{.*}} config = <grid = () -> (2587, 1, 1), block = [256, 1, 1]
// PTX: .entry
// PTX-COUNT-4: ld.global{{.*}}v4.b32
// PTX-COUNT-12: max.NaN.f16x2
// PTX: ld.global{{.*}}v4.b32
// PTX-NOT: v4.b32
func.func @main(%a: tensor<2587x51865xf16> {tripy.name = "a"}) -> (tensor<2587xi32> {tripy.name = "y"}) {
  %0 = trace.argmax %a dim = -1 : (tensor<2587x51865xf16>) -> tensor<2587xi32>
  return %0 : tensor<2587xi32>
}

//--- few.mlir
// A block for each of few rows: all is loaded at once, and not again when the place in a vector is looked for.
// CHECK: .maxntid 192
// CHECK-COUNT-2: ld.global{{.*}}v4.b32
// CHECK: max.NaN.f16x2
func.func @main(%a: tensor<21x3072xf16>) -> tensor<21xi32> {
  %0 = trace.argmax %a dim = -1 : (tensor<21x3072xf16>) -> tensor<21xi32>
  return %0 : tensor<21xi32>
}

//--- odd.mlir
// The elements before the first vector and behind the last one are loaded together with the vectors.
// CHECK: .maxntid 192
// CHECK-COUNT-2: ld.global{{.*}}v4.b32
// CHECK-COUNT-2: ld.global{{.*}}b16
// CHECK: min.NaN.f16x2
func.func @main(%a: tensor<21x3071xf16>) -> tensor<21xi32> {
  %0 = trace.argmin %a dim = -1 : (tensor<21x3071xf16>) -> tensor<21xi32>
  return %0 : tensor<21xi32>
}

//--- dynamic.mlir
// A warp has one of many rows, a block one of few.
// CHECK: .entry main_row_0_argmax_1_to_1055(
// CHECK: .maxntid 128
// CHECK-COUNT-2: ld.global{{.*}}v4.b32
// CHECK: .entry main_row_0_argmax(
// CHECK: .maxntid 256
// CHECK-COUNT-7: ld.global{{.*}}v4.b32
// REMARK: for 1 to 1055 rows: a block of 128 threads has 1 row
// REMARK: for 1056 to 8192 rows: a block of 256 threads has 8 rows
func.func @main(%a: tensor<?x1600xf16> {tripy.profile = #tripy.profile<min = [1, 1600], opt = [4096, 1600], max = [8192, 1600]>}) -> tensor<?xi32> {
  %0 = trace.argmax %a dim = -1 : (tensor<?x1600xf16>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}
