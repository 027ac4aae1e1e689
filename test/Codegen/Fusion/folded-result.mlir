// A result that folding makes a constant has the line of the operation that
// returns it: the constant itself has none.
//
// RUN: tripy-opt %s --trace-to-flatir --tripy-simplify --flatir-form-dispatches --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: tripy-compile %s -o %t.tpx --target=cuda --no-cache
// RUN: tripy-compile %s -o %t.tpx --target=cpu
// CHECK: kernel.dispatch
// CHECK: folded-result.mlir

func.func @main(%x: tensor<7x1xi1>) -> (tensor<7x1xi1>, tensor<7x5xi1>) {
  %0 = trace.minimum %x, %x : (tensor<7x1xi1>, tensor<7x1xi1>) -> tensor<7x1xi1>
  %1 = trace.ge %0, %x : (tensor<7x1xi1>, tensor<7x1xi1>) -> tensor<7x1xi1>
  %2 = trace.expand %1 to [7, 5] : (tensor<7x1xi1>) -> tensor<7x5xi1>
  return %1, %2 : tensor<7x1xi1>, tensor<7x5xi1>
}
