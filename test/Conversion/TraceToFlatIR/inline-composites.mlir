// RUN: tripy-opt %s --flatir-inline-composites | FileCheck %s
// RUN: tripy-opt %s --trace-to-flatir --flatir-inline-composites \
// RUN:   --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=WHY

// Nested composites and several results.
// CHECK-LABEL: func.func @nested(
// CHECK-SAME: [[A:%arg[0-9]+]]: tensor<2xf32>
// CHECK-NEXT: [[N0:%.+]] = flatir.neg [[A]]
// CHECK-NEXT: [[N1:%.+]] = flatir.exp [[N0]]
// CHECK-NEXT: [[N2:%.+]] = flatir.add [[N1]], [[A]]
// CHECK-NEXT: return [[N2]], [[N1]], [[A]]
func.func @nested(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0:3 = flatir.composite "outer" (%x) {} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%a: tensor<2xf32>):
    %1 = flatir.composite "inner" (%a) {} : (tensor<2xf32>) -> tensor<2xf32> {
    ^bb0(%b: tensor<2xf32>):
      %2 = flatir.neg %b : tensor<2xf32>
      %3 = flatir.exp %2 : tensor<2xf32>
      flatir.yield %3 : tensor<2xf32>
    }
    %4 = flatir.add %1, %a : tensor<2xf32>
    flatir.yield %4, %1, %a : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
  return %0#0, %0#1, %0#2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// Sizes replace the region's arguments; each operation keeps its reason.
// WHY-LABEL: func.func @dynamic(
// WHY: [[N:%.+]] = flatir.dim
// WHY: flatir.neg {{.*}} loc(fused<#tripy.why<rule = "silu", reason = "negate the input for 'silu'">>["{{.*}}inline-composites.mlir":[[#@LINE+4]]:8])
// WHY: flatir.broadcast {{.*}} sizes([[N]])
// WHY: flatir.div {{.*}} loc(fused<#tripy.why<rule = "silu", reason = "divide the input by 1 + exp(-x) for 'silu'">>[
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = trace.silu %x : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
