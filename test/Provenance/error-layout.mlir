// Errors of passes and of the verifier in the user's terms. Paths of the
// locations are relative: the tests run in the folder of the inputs.
//
// RUN: split-file %s %t
// RUN: cd %t
// RUN: not tripy-opt calls.mlir --allow-unregistered-dialect --flatir-form-dispatches 2>&1 | FileCheck calls.mlir --match-full-lines --strict-whitespace
// RUN: not tripy-opt file.mlir --allow-unregistered-dialect --flatir-form-dispatches 2>&1 | FileCheck file.mlir --match-full-lines --strict-whitespace
// RUN: not tripy-opt missing.mlir --allow-unregistered-dialect --flatir-form-dispatches 2>&1 | FileCheck missing.mlir --match-full-lines --strict-whitespace
// RUN: not tripy-opt special.mlir --allow-unregistered-dialect --flatir-form-dispatches 2>&1 | FileCheck special.mlir
// RUN: not tripy-opt fused.mlir --allow-unregistered-dialect --flatir-form-dispatches 2>&1 | FileCheck fused.mlir
// RUN: not tripy-compile wrong.mlir -o wrong.tpx 2>&1 | FileCheck wrong.mlir --match-full-lines --strict-whitespace
// RUN: not tripy-compile broken.mlir -o broken.tpx 2>&1 | FileCheck broken.mlir --match-full-lines --strict-whitespace
// RUN: not tripy-opt file.mlir --plain-diagnostics --allow-unregistered-dialect --flatir-form-dispatches 2>&1 | FileCheck %s --check-prefix=PLAIN

// PLAIN: file.mlir:2:8: error: 'test.unknown' op a program must consist

// The whole layout: the call, the error, the operation, the reason with the
// operand, the expression, the inputs.
//--- calls.mlir
//      CHECK:--> example.cpp:12 in main()
// CHECK-NEXT:      |
// CHECK-NEXT:   12 |   std::cout << add(a, b);
// CHECK-NEXT:      |                ^~~
// CHECK-NEXT:error: 'test.unknown' op a program must consist of flatir operations and arithmetic on sizes to become kernels
// CHECK-NEXT:    This error occurred while compiling the operation:
// CHECK-NEXT:        %1 = "test.unknown"(%arg0, %arg1) : (tensor<3x4xf32>, tensor<3x3xf32>) -> tensor<3x4xf32>
// CHECK-NEXT:    Note: Tripy introduced this operation in order to broadcast the right operand of '+' from (3, 3) to (3, 4)
// CHECK-NEXT:        operand 1 is tensor<3x3xf32>
// CHECK-NEXT:    Note: this originated from the following expression:
// CHECK-NEXT:    --> example.cpp:6 in add()
// CHECK-NEXT:          |
// CHECK-NEXT:        6 |   return a + b;
// CHECK-NEXT:          |          ^~~~~
// CHECK-NEXT:    Input 0: --> example.cpp:10 in main()
// CHECK-NEXT:          |
// CHECK-NEXT:       10 |   Tensor a = ones({3, 4});
// CHECK-NEXT:          |          ^
// CHECK-NEXT:    Input 1: --> example.cpp:11 in main()
// CHECK-NEXT:          |
// CHECK-NEXT:       11 |     Tensor b = ones({3, 3}); // "é" and a tab before
// CHECK-NEXT:          |                ^~~~
#user = loc(callsite("add()"("example.cpp":6:10 to :15) at "main()"("example.cpp":12:16)))
#why = #tripy.why<rule = "broadcast", reason = "broadcast the right operand of '+' from (3, 3) to (3, 4)", operand = 1>
func.func @main(%a: tensor<3x4xf32> loc("main()"("example.cpp":10:10)),
                %b: tensor<3x3xf32> loc("main()"("example.cpp":11:13))) -> tensor<3x4xf32> {
  %both = flatir.concatenate %a, %b dim = 1 : (tensor<3x4xf32>, tensor<3x3xf32>) -> tensor<3x7xf32> loc(#user)
  %0 = "test.unknown"(%a, %b) : (tensor<3x4xf32>, tensor<3x3xf32>) -> tensor<3x4xf32> loc(fused<#why>[#user])
  return %0 : tensor<3x4xf32>
}

//--- file.mlir
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "test.unknown"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
//      CHECK:--> file.mlir:2
// CHECK-NEXT:      |
// CHECK-NEXT:    2 |   %0 = "test.unknown"(%a) : (tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:      |        ^
// CHECK-NEXT:error: 'test.unknown' op a program must consist of flatir operations and arithmetic on sizes to become kernels
// CHECK-NEXT:    This error occurred while compiling the operation:
// CHECK-NEXT:        %0 = "test.unknown"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    Input 0: --> file.mlir:1
// CHECK-NEXT:          |
// CHECK-NEXT:        1 | func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
// CHECK-NEXT:          |                 ^~

// No file, or no such line: no excerpt.
//--- missing.mlir
//      CHECK:--> nowhere.cpp:7
// CHECK-NEXT:error: 'test.unknown' op a program must consist of flatir operations and arithmetic on sizes to become kernels
// CHECK-NEXT:    This error occurred while compiling the operation:
// CHECK-NEXT:        %0 = "test.unknown"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    Input 0: --> example.cpp:1000
// CHECK-NOT:{{.}}
func.func @main(%a: tensor<2xf32> loc("example.cpp":1000:1)) -> tensor<2xf32> {
  %0 = "test.unknown"(%a) : (tensor<2xf32>) -> tensor<2xf32> loc("nowhere.cpp":7:1)
  return %0 : tensor<2xf32>
}

// A device is not read, however long it would be.
//--- special.mlir
// CHECK: --> /dev/zero:1
// CHECK-NEXT: error: 'test.unknown' op
func.func @main() -> tensor<2xf32> {
  %0 = "test.unknown"() : () -> tensor<2xf32> loc("/dev/zero":1:1)
  return %0 : tensor<2xf32>
}

// All operations that were fused are shown.
//--- fused.mlir
// CHECK: --> example.cpp:10
// CHECK: error: 'test.unknown' op
// CHECK: Note: this operation was fused with:
// CHECK-NEXT: --> example.cpp:11
// CHECK: Note: this operation was fused with:
// CHECK-NEXT: --> example.cpp:12
// CHECK-NOT: fused with
func.func @main() -> tensor<2xf32> {
  %0 = "test.unknown"() : () -> tensor<2xf32> loc(fused["example.cpp":10:3, "example.cpp":11:2, "example.cpp":12:3, "example.cpp":10:3])
  return %0 : tensor<2xf32>
}

// A wrong operation of the user's own: the source line shows it.
//--- wrong.mlir
func.func @main(%a: tensor<2x3xf32>, %b: tensor<4xf32>) -> tensor<2x3xf32> {
  %0 = trace.add %a, %b : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
//      CHECK:--> {{.*}}wrong.mlir:2
// CHECK-NEXT:      |
// CHECK-NEXT:    2 |   %0 = trace.add %a, %b : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
// CHECK-NEXT:      |        ^~~~~~~~~
// CHECK-NEXT:error: 'trace.add' op violates [trace.add C2] aligned at the last dimension, sizes are equal or one of them is 1; found tensor<2x3xf32>, tensor<4xf32>
// CHECK-NEXT:    Input 0: --> {{.*}}wrong.mlir:1
// CHECK-NEXT:          |
// CHECK-NEXT:        1 | func.func @main(%a: tensor<2x3xf32>, %b: tensor<4xf32>) -> tensor<2x3xf32> {
// CHECK-NEXT:          |                 ^~
// CHECK-NEXT:    Input 1: --> {{.*}}wrong.mlir:1
// CHECK-NEXT:          |
// CHECK-NEXT:        1 | func.func @main(%a: tensor<2x3xf32>, %b: tensor<4xf32>) -> tensor<2x3xf32> {
// CHECK-NEXT:          |                                      ^~

//--- broken.mlir
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = trace.exp %c : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
//      CHECK:--> {{.*}}broken.mlir:2
// CHECK-NEXT:      |
// CHECK-NEXT:    2 |   %0 = trace.exp %c : (tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:      |                  ^~
// CHECK-NEXT:error: use of undeclared SSA value name

//--- example.cpp
#include <tripy/tripy.h>

using namespace tripy;

Tensor add(Tensor a, Tensor b) {
  return a + b;
}

int main() {
  Tensor a = ones({3, 4});
	Tensor b = ones({3, 3}); // "é" and a tab before
  std::cout << add(a, b);
}
