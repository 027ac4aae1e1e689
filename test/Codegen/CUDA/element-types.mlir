// Products of the element types: f8E5M2 has the forms of f8E4M3FN, i8 is summed
// in i32 on tensor cores, other small integers are multiplied as 32-bit ones on
// CUDA cores, and f64 as it is.
// RUN: split-file %s %t
// RUN: tripy-compile %t/e5m2.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/e5m2.mlir --check-prefix=HOPPER
// RUN: tripy-compile %t/e5m2.mlir --target=cuda:sm_89 --stop-after=kernels -o - | FileCheck %t/e5m2.mlir --check-prefix=ADA
// RUN: tripy-compile %t/i8.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/i8.mlir --check-prefix=HOPPER
// RUN: tripy-compile %t/i8.mlir --target=cuda:sm_80 --stop-after=kernels -o - | FileCheck %t/i8.mlir --check-prefix=AMPERE
// RUN: tripy-compile %t/i16.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/i16.mlir
// RUN: tripy-compile %t/ui8.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/ui8.mlir
// RUN: tripy-compile %t/f64.mlir --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %t/f64.mlir

//--- e5m2.mlir
// HOPPER: nvvm.wgmma.mma_async {{.*}}k = 32>{{.*}}e5m2
// ADA: mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32
func.func @main(%x: tensor<256x256xf8E5M2>, %w: tensor<256x256xf8E5M2>) -> tensor<256x256xf16> {
  %y = trace.linear %x, %w dtype = f16 : (tensor<256x256xf8E5M2>, tensor<256x256xf8E5M2>) -> tensor<256x256xf16>
  return %y : tensor<256x256xf16>
}

//--- i16.mlir
// CHECK: gpu.func
// CHECK: arith.extsi %{{.*}} : i16 to i32
// CHECK: arith.muli %{{.*}} : i32
func.func @main(%x: tensor<256x256xi16>, %w: tensor<256x256xi16>) -> tensor<256x256xi32> {
  %y = trace.linear %x, %w dtype = i32 : (tensor<256x256xi16>, tensor<256x256xi16>) -> tensor<256x256xi32>
  return %y : tensor<256x256xi32>
}

//--- i8.mlir
// HOPPER: nvvm.wgmma.mma_async {{.*}}k = 32>, D[<s32>, <one>], A[<s8>
// AMPERE: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<s8>{{.*}}k = 32>
func.func @main(%x: tensor<256x256xi8>, %w: tensor<256x256xi8>) -> tensor<256x256xi32> {
  %y = trace.linear %x, %w dtype = i32 : (tensor<256x256xi8>, tensor<256x256xi8>) -> tensor<256x256xi32>
  return %y : tensor<256x256xi32>
}

//--- ui8.mlir
// The cast between the unsigned type and its bits is gone.
// CHECK: gpu.func
// CHECK-NOT: unrealized_conversion_cast
// CHECK: arith.extui %{{.*}} : i8 to i32
// CHECK: arith.muli %{{.*}} : i32
// CHECK-NOT: unrealized_conversion_cast
func.func @main(%x: tensor<256x256xui8>, %w: tensor<256x256xui8>) -> tensor<256x256xi32> {
  %y = trace.linear %x, %w dtype = i32 : (tensor<256x256xui8>, tensor<256x256xui8>) -> tensor<256x256xi32>
  return %y : tensor<256x256xi32>
}

//--- f64.mlir
// CHECK: gpu.func
// CHECK: math.fma %{{.*}} : f64
func.func @main(%x: tensor<256x256xf64>, %w: tensor<256x256xf64>) -> tensor<256x256xf64> {
  %y = trace.linear %x, %w : (tensor<256x256xf64>, tensor<256x256xf64>) -> tensor<256x256xf64>
  return %y : tensor<256x256xf64>
}
