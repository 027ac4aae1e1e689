// The kernels of a program with the user's lines, operations and reasons.
// RUN: tripy-compile %s -o %t.tpx --report-why 2>&1 | FileCheck %s

// CHECK: main_row_0{{.*}}
// CHECK: why.mlir:[[#@LINE+10]]:8 trace.add, in order to broadcast the right operand of 'add' from (16) to (4, 16)
// CHECK: why.mlir:[[#@LINE+9]]:8 trace.add{{$}}
// CHECK: why.mlir:[[#@LINE+9]]:8 trace.softmax, in order to compute exp for 'softmax'

// The info of the file: interface, memory, code.
// RUN: tripy-run %t.tpx --info | FileCheck %s --check-prefix=INFO
// INFO: program 'main' for the CPU
// INFO: input 'x': float32 (4, 16)
// INFO: output 'result0': float32 (4, 16)
func.func @main(%x: tensor<4x16xf32> {tripy.name = "x"}, %b: tensor<16xf32> {tripy.name = "b"}) -> tensor<4x16xf32> {
  %0 = trace.add %x, %b : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %1 = trace.softmax %0 dim = -1 : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}
