// RUN: tripy-opt %s --tripy-expand-math --split-input-file | FileCheck %s
// RUN: tripy-opt %s --tripy-expand-math=cuda=true --split-input-file | FileCheck %s --check-prefix=CUDA
// RUN: tripy-opt %s --tripy-expand-math="cuda=true fast16=false" --split-input-file | FileCheck %s --check-prefix=EXACT

// The example of the pass's description.

// CHECK-LABEL: func @rsqrt
// CHECK-SAME: %[[X:.*]]: f32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG: %[[ROOT:.*]] = math.sqrt %[[X]] : f32
// CHECK: %[[RESULT:.*]] = arith.divf %[[ONE]], %[[ROOT]] : f32
// CHECK: return %[[RESULT]]
// CUDA-LABEL: func @rsqrt
// CUDA-NOT: llvm.inline_asm
// CUDA: return
func.func @rsqrt(%x: f32) -> f32 {
  %0 = math.rsqrt %x : f32
  return %0 : f32
}

// -----

// Results that are rounded to f16 at once may come from the hardware.

// CHECK-LABEL: func @exp_of_f16
// CHECK: arith.extf
// CHECK-NOT: math.exp
// CHECK: math.fma
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CUDA-LABEL: func @exp_of_f16
// CUDA: llvm.inline_asm {{.*}}"ex2.approx.ftz.f32 $0, $1;"
// CUDA: arith.truncf %{{.*}} : f32 to f16
// EXACT-LABEL: func @exp_of_f16
// EXACT-NOT: llvm.inline_asm
// EXACT: math.fma
func.func @exp_of_f16(%x: f16) -> f16 {
  %0 = math.exp %x : f16
  return %0 : f16
}

// -----

// Off CUDA, rounding to bf16 is integer arithmetic.

// CHECK-LABEL: func @to_bf16
// CHECK-NOT: arith.truncf
// CHECK: arith.bitcast %{{.*}} : i16 to bf16
// CUDA-LABEL: func @to_bf16
// CUDA: arith.truncf %{{.*}} : f32 to bf16
func.func @to_bf16(%x: f32) -> bf16 {
  %0 = arith.truncf %x : f32 to bf16
  return %0 : bf16
}

// -----

// What has no form, and what every device has, stay. f64 has forms of its own.

// CHECK-LABEL: func @stays
// CHECK-NOT: math.exp
// CHECK: math.fma %{{.*}} : f64
// CHECK: math.erfc %{{.*}} : f64
// CHECK: math.sqrt %{{.*}} : f32
// CHECK: math.floor %{{.*}} : f32
func.func @stays(%x: f64, %y: f32) -> (f64, f32, f32) {
  %e = math.exp %x : f64
  %0 = math.erfc %e : f64
  %1 = math.sqrt %y : f32
  %2 = math.floor %y : f32
  return %0, %1, %2 : f64, f32, f32
}

// -----

// Vectors expand as a whole.

// CHECK-LABEL: func @vectors
// CHECK-NOT: math.tanh
// CHECK: math.fma {{.*}} : vector<8xf32>
// CHECK: math.copysign {{.*}} : vector<8xf32>
func.func @vectors(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.tanh %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

// The heart of gelu, whose result ends in f16: one exponential, one reciprocal,
// and no tanh whose sum with 1 cancels.

// CUDA-LABEL: func @one_plus_tanh
// CUDA: llvm.inline_asm {{.*}}"ex2.approx.ftz.f32 $0, $1;"
// CUDA: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
// CUDA-NOT: math.copysign
// EXACT-LABEL: func @one_plus_tanh
// EXACT-NOT: llvm.inline_asm
// EXACT: math.copysign
func.func @one_plus_tanh(%x: f32, %y: f32) -> f16 {
  %one = arith.constant 1.0 : f32
  %0 = math.tanh %x : f32
  %1 = arith.addf %one, %0 : f32
  %2 = arith.mulf %y, %1 : f32
  %3 = arith.truncf %2 : f32 to f16
  return %3 : f16
}

// -----

// A mark of the emitter says what the users here cannot: the result ends in
// 16 bits, though it is stored as f32 on the way.

// CUDA-LABEL: func @marked
// CUDA: llvm.inline_asm {{.*}}"ex2.approx.f32 $0, $1;"
// CUDA: llvm.inline_asm {{.*}}"ex2.approx.ftz.f32 $0, $1;"
// CUDA: return
// EXACT-LABEL: func @marked
// EXACT-NOT: llvm.inline_asm
// EXACT: return
func.func @marked(%x: f32) -> (f32, f32) {
  %0 = math.exp %x {tripy.feeds16} : f32
  %1 = math.exp %x {tripy.feeds_f16} : f32
  return %0, %1 : f32, f32
}

// -----

// Quotients of one divisor share its reciprocal, of a divisor in range.

// CUDA-LABEL: func @quotient
// CUDA-SAME: %[[X:.*]]: f32, %[[Y:.*]]: f32
// CUDA: %[[SCALED:.*]] = arith.mulf %[[Y]], %[[SCALE:.*]] : f32
// CUDA: %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[SCALED]])
// CUDA: %[[Q:.*]] = arith.mulf %[[X]], %[[R]] : f32
// CUDA: arith.mulf %[[Q]], %[[SCALE]] : f32
func.func @quotient(%x: f32, %y: f32) -> f16 {
  %0 = arith.divf %x, %y : f32
  %1 = arith.truncf %0 : f32 to f16
  return %1 : f16
}
