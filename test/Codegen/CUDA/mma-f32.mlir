// f32 on tensor cores: each number is the sum of two numbers of TF32, and each
// product of fragments three instructions.
//
// RUN: split-file %s %t
// RUN: tripy-compile %t/linear.mlir --target=cuda:sm_80 --stop-after=schedules -o %t/s.mlir
// RUN: FileCheck %t/linear.mlir --check-prefix=CHOSEN < %t/s.mlir
// RUN: sed -E 's/#kernel.mma_schedule<[^>]*>/#kernel.mma_schedule<tile = [64, 128], stages = 3, kBytes = 64, resident = 2>/' %t/s.mlir > %t/wide.mlir
// RUN: tripy-compile %t/wide.mlir --stop-after=kernels -o - | FileCheck %t/linear.mlir

// On request, all products of f32 are sums of fused multiply-adds.
// RUN: tripy-compile %t/linear.mlir --target=cuda:sm_80 --no-f32-tensor-cores --stop-after=schedules -o %t/cores.mlir
// RUN: FileCheck %s --check-prefix=CORES --implicit-check-not=mma_schedule < %t/cores.mlir
// RUN: tripy-compile %t/cores.mlir --stop-after=kernels -o - | FileCheck %s --check-prefix=FUSED --implicit-check-not=mma.sync
// RUN: tripy-opt %t/dot.mlir --tripy-cuda="chip=sm_80 no-f32-tensor-cores" | FileCheck %s --check-prefix=FUSED --implicit-check-not=mma.sync
// CORES: #kernel.simt_schedule<
// FUSED: math.fma

// What may be rounded takes one instruction, and nothing is computed again. The
// option says nothing about it.
// RUN: tripy-compile %t/allowed.mlir --target=cuda:sm_80 --no-f32-tensor-cores --stop-after=schedules -o %t/allowed.s.mlir
// RUN: sed -E 's/#kernel.mma_schedule<[^>]*>/#kernel.mma_schedule<tile = [64, 128], stages = 3, kBytes = 64, resident = 2>/' %t/allowed.s.mlir | tripy-compile - --stop-after=kernels -o - | FileCheck %t/allowed.mlir --implicit-check-not=math.fma --implicit-check-not=vote

// Threads keep both parts of what they multiply, and more of f32 than of others.
// RUN: sed -E 's/#kernel.mma_schedule<[^>]*>/#kernel.mma_schedule<tile = [128, 256], stages = 2, kBytes = 64, resident = 1>/' %t/s.mlir | not tripy-compile - -o %t/none.tpx 2>&1 | FileCheck %s --check-prefix=REGISTERS
// REGISTERS: error: the schedule is illegal: threads have registers for both parts of f32; found #kernel.mma_schedule<tile = [128, 256],
// RUN: sed -E 's/#kernel.mma_schedule<[^>]*>/#kernel.mma_schedule<tile = [128, 128], stages = 2, kBytes = 64, resident = 2>/' %t/s.mlir | not tripy-compile - -o %t/none.tpx 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: sed -E 's/#kernel.mma_schedule<[^>]*>/#kernel.mma_schedule<tile = [128, 128], stages = 2, kBytes = 64, resident = 2>/' %t/allowed.s.mlir | tripy-compile - --stop-after=kernels -o %t/two.mlir
// BLOCKS: error: the schedule is illegal: a multiprocessor has registers for its blocks; found #kernel.mma_schedule<tile = [128, 128], {{.*}}resident = 2
// RUN: sed -E 's/#kernel.mma_schedule<[^>]*>/#kernel.mma_schedule<tile = [64, 64], stages = 3, kBytes = 64, resident = 4>/' %t/s.mlir | not tripy-compile - -o %t/none.tpx 2>&1 | FileCheck %s --check-prefix=FOUR
// FOUR: error: the schedule is illegal: a multiprocessor has registers for its blocks; found #kernel.mma_schedule<tile = [64, 64], {{.*}}resident = 4

// Nothing is in local memory.
// RUN: tripy-compile %t/wide.mlir --stop-after=ptx -o - | FileCheck %s --check-prefix=PTX --implicit-check-not=.local
// RUN: sed -E 's/#kernel.mma_schedule<[^>]*>/#kernel.mma_schedule<tile = [128, 128], stages = 3, kBytes = 64, resident = 1>/' %t/s.mlir | tripy-compile - --stop-after=ptx -o - | FileCheck %s --check-prefix=PTX --implicit-check-not=.local
// PTX-COUNT-96: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// PTX-NOT: mma.sync
// PTX: vote.sync.any
// PTX: fma.rn.f32

//--- linear.mlir
// CHOSEN: schedule = #kernel.mma_schedule<tile = [32, 64], stages = 3, kBytes = 128, resident = 4, from = model>

// A warp of this tile has 64 x 32 results, which are 4 x 4 fragments, and a k-block
// of 16 numbers is two steps.
// CHECK: gpu.func @main_gemm_0_dot
// CHECK: scf.for {{.*}} step %c16
// What is rounded to nearest has 11 bits: half of the last one is added, and what
// is behind it cut off. The rest is exact.
// CHECK: %[[KEPT:.*]] = arith.constant -8192 : i32
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[WORD:.*]], %c4096_i32{{[_0-9]*}} : i32
// CHECK-NEXT: %[[HIGH:.*]] = arith.andi %[[SUM]], %[[KEPT]] : i32
// CHECK-NEXT: %[[NUMBER:.*]] = arith.bitcast %[[WORD]] : i32 to f32
// CHECK-NEXT: %[[ROUNDED:.*]] = arith.bitcast %[[HIGH]] : i32 to f32
// CHECK-NEXT: %[[REST:.*]] = arith.subf %[[NUMBER]], %[[ROUNDED]] : f32
// CHECK-NEXT: %[[LOW:.*]] = arith.bitcast %[[REST]] : f32 to i32
// A row of fragments begins with zero: rest of A, rest of B, and both rounded.
// Sums over K are ordinary additions.
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-COUNT-4: nvvm.mma.sync {{.*}} C[%[[ZERO]], %[[ZERO]], %[[ZERO]], %[[ZERO]]] {{.*}}multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>, shape = #nvvm.shape<m = 16, n = 8, k = 8>
// CHECK-NOT: C[%[[ZERO]]
// CHECK-COUNT-8: nvvm.mma.sync
// CHECK-NOT: nvvm.mma.sync
// CHECK-COUNT-16: arith.addf
// CHECK-NOT: arith.addf
// CHECK-COUNT-84: nvvm.mma.sync
// CHECK-NOT: nvvm.mma.sync
// CHECK: scf.yield
// A tile with a result that is not finite is computed again, number by number.
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NEXT: gpu.barrier
// CHECK-COUNT-64: math.fma
// CHECK: arith.cmpf uno
// CHECK: nvvm.vote.sync any
// CHECK: gpu.barrier
// CHECK: scf.if {{.*}} -> (f32,
// CHECK: scf.for {{.*}} step %c16
// CHECK: gpu.barrier
// CHECK: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.wait.group 0
// CHECK: scf.for {{.*}} to %c16 step %c1
// CHECK-COUNT-64: math.fma
// CHECK-NOT: math.fma
// CHECK: else
// CHECK-NOT: math.fma
// CHECK: llvm.store {{.*}}!llvm.ptr<1>
func.func @main(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %r = trace.linear %a, %b : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}

//--- dot.mlir
func.func @dot(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %r = flatir.dot %a, %b batch = [] x [] contract = [1] x [1] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}

//--- allowed.mlir
// CHECK: gpu.func @main_gemm_0_dot
// CHECK: scf.for {{.*}} step %c16
// CHECK-COUNT-32: nvvm.mma.sync {{.*}}#nvvm.mma_type<tf32>
// CHECK-NOT: nvvm.mma.sync
// CHECK: llvm.store {{.*}}!llvm.ptr<1>
func.func @main(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %r = trace.linear %a, %b allow_tf32 : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}
