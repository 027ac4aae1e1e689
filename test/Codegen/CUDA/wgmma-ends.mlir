// Boxes of the last tile: of what is left, up to a multiple of 8 rows; of every multiple of 32 rows where there may be any number. Nothing of their own
// where tiles divide the rows.
// RUN: split-file %s %t
// RUN: tripy-compile %t/static.mlir --target=cuda --gemm-tile=128x128 --stop-after=kernels -o - | FileCheck %t/static.mlir
// RUN: tripy-compile %t/static.mlir --target=cuda --gemm-tile=128x128,cluster=1x2 --stop-after=kernels -o - | FileCheck %t/static.mlir --check-prefix=SLICES
// RUN: tripy-compile %t/static.mlir --target=cuda --gemm-tile=128x128,cluster=2 --stop-after=kernels -o - | FileCheck %t/static.mlir --check-prefix=BELOW
// RUN: tripy-compile %t/dynamic.mlir --target=cuda --gemm-tile=128x128 --stop-after=kernels -o - | FileCheck %t/dynamic.mlir
// RUN: tripy-compile %t/whole.mlir --target=cuda --gemm-tile=128x128 --stop-after=kernels -o - | FileCheck %t/whole.mlir
// RUN: tripy-compile %t/whole.mlir --target=cuda --gemm-tile=128x128,pingpong --stop-after=kernels -o - | FileCheck %t/whole.mlir --check-prefix=PINGPONG

//--- static.mlir
// 918 rows: 22 in the last tile of 128; 1600 columns: 64.
// CHECK: box = [64, 128], swizzle
// CHECK-SAME: box = [64, 128], swizzle
// CHECK-SAME: box = [64, 24], swizzle
// CHECK-SAME: box = [64, 64], swizzle
// CHECK-SAME: box = [64, 64], swizzle
// Slices of 64 rows of A, of which the second has nothing.
// SLICES: box = [64, 64], swizzle
// SLICES-SAME: box = [64, 128], swizzle
// SLICES-SAME: box = [64, 24], swizzle
// SLICES-SAME: box = [64, 64], swizzle
// Of B, each of two blocks copies 64 columns: the boxes of others serve.
// BELOW: box = [64, 128], swizzle
// BELOW-SAME: box = [64, 64], swizzle
// BELOW-SAME: <buffer = 0, {{[^<]*}}box = [64, 24], swizzle = 128>, <buffer = 2,
func.func @main(%x: tensor<918x640xf16>, %w: tensor<1600x640xf16>) -> tensor<918x1600xf16> {
  %y = trace.linear %x, %w : (tensor<918x640xf16>, tensor<1600x640xf16>) -> tensor<918x1600xf16>
  return %y : tensor<918x1600xf16>
}
//--- dynamic.mlir
// CHECK: box = [64, 128], swizzle
// CHECK-SAME: box = [64, 128], swizzle
// CHECK-SAME: box = [64, 32], swizzle
// CHECK-SAME: box = [64, 64], swizzle
// CHECK-SAME: box = [64, 96], swizzle
func.func @main(%x: tensor<?x640xf16> {tripy.profile = #tripy.profile<min = [200, 640], opt = [918, 640], max = [2000, 640]>}, %w: tensor<1536x640xf16>) -> tensor<?x1536xf16> {
  %y = trace.linear %x, %w : (tensor<?x640xf16>, tensor<1536x640xf16>) -> tensor<?x1536xf16>
  return %y : tensor<?x1536xf16>
}
//--- whole.mlir
// CHECK: box = [64, 128], swizzle
// CHECK-SAME: box = [64, 128], swizzle
// CHECK-NOT: box = [64, {{8|16|24|32}}]
// One consumer lets the other begin once its last product is issued.
// PINGPONG-COUNT-8: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 128, k = 16>
// PINGPONG: nvvm.barrier.arrive
func.func @main(%x: tensor<1024x640xf16>, %w: tensor<1536x640xf16>) -> tensor<1024x1536xf16> {
  %y = trace.linear %x, %w : (tensor<1024x640xf16>, tensor<1536x640xf16>) -> tensor<1024x1536xf16>
  return %y : tensor<1024x1536xf16>
}
