// What is merged names all its lines.
// RUN: tripy-opt %s --pass-pipeline='builtin.module(trace-to-flatir,func.func(tripy-simplify,tripy-cse))' --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: tripy-compile %s --function=operations --target=cpu --report-why -o %t.tpx 2>&1 | FileCheck %s --check-prefix=WHY

// The same in a fusion pass's function, whose composites are inlined first.
// RUN: tripy-opt %s --pass-pipeline='builtin.module(trace-to-flatir,flatir-form-dispatches)' --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=PLAN

// Three constants of one value; another type is another constant.
// CHECK-LABEL: @constants
// CHECK-DAG: flatir.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32> loc(fused["{{.*}}merged.mlir":[[#@LINE+5]]:10, "{{.*}}":[[#@LINE+6]]:10, "{{.*}}":[[#@LINE+8]]:12])
// CHECK-DAG: flatir.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf16> loc("{{.*}}merged.mlir":[[#@LINE+6]]:11)
// PLAN-LABEL: @constants
// PLAN: flatir.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32> loc(fused["{{.*}}merged.mlir":[[#@LINE+2]]:10, "{{.*}}":[[#@LINE+3]]:10, "{{.*}}":[[#@LINE+5]]:12])
func.func @constants(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf16>, tensor<2xf32>) {
  %one = trace.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %two = trace.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %half = trace.constant dense<[1.0, 2.0]> : tensor<2xf16>
  %three = trace.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = trace.add %x, %one : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = trace.mul %0, %two : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = trace.sub %1, %three : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %2, %half, %three : tensor<2xf32>, tensor<2xf16>, tensor<2xf32>
}

// Operations, too. A constant that many kernels have is of none of them.
// CHECK-LABEL: @operations
// CHECK: flatir.exp {{.*}} loc(fused["{{.*}}merged.mlir":[[#@LINE+13]]:8, "{{.*}}":[[#@LINE+16]]:8])
// WHY:      operations_row_
// WHY-NEXT: merged.mlir:[[#@LINE+11]]:8 trace.exp
// WHY-NEXT: merged.mlir:[[#@LINE+13]]:8 trace.exp
// WHY-NEXT: merged.mlir:[[#@LINE+10]]:8 trace.mul
// WHY-NEXT: merged.mlir:[[#@LINE+13]]:8 trace.mul
// WHY-NEXT: merged.mlir:[[#@LINE+9]]:8 trace.sum
// WHY-NEXT: operations_reduce_
// WHY-NEXT: merged.mlir:[[#@LINE+6]]:8 trace.mul
// WHY-NEXT: merged.mlir:[[#@LINE+9]]:8 trace.mul
// WHY-NEXT: merged.mlir:[[#@LINE+9]]:8 trace.sum
func.func @operations(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  %one = trace.constant dense<3.0> : tensor<4x8xf32>
  %0 = trace.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = trace.mul %0, %one : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = trace.sum %1 dims = [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %3 = trace.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %two = trace.constant dense<3.0> : tensor<4x8xf32>
  %4 = trace.mul %3, %two : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %5 = trace.sum %4 dims = [0] : (tensor<4x8xf32>) -> tensor<8xf32>
  return %2, %5 : tensor<4xf32>, tensor<8xf32>
}
