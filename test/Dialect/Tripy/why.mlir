// RUN: tripy-opt %s --mlir-print-debuginfo | tripy-opt --mlir-print-debuginfo | FileCheck %s

// CHECK-DAG: loc(fused<#tripy.why<rule = "broadcast", reason = "broadcast the right operand of 'add' from (3) to (2, 3)", operand = 1>>[
// CHECK-DAG: loc(fused<#tripy.why<rule = "cast", reason = "say \22so\22">>[
func.func @why(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = trace.exp %x : (tensor<2xf32>) -> tensor<2xf32> loc(fused<#tripy.why<rule = "broadcast", reason = "broadcast the right operand of 'add' from (3) to (2, 3)", operand = 1>>["a.mlir":3:8])
  %1 = trace.exp %0 : (tensor<2xf32>) -> tensor<2xf32> loc(fused<#tripy.why<rule = "cast", reason = "say \"so\"">>["a.mlir":4:8])
  return %1 : tensor<2xf32>
}
