// A row of one column: the reduced tensor has four dimensions of size 1, the
// result two, and both kinds of code store the same element.
//
// RUN: tripy-compile %s -o %t.cpu.tpx --target=cpu && tripy-run %t.cpu.tpx --input 1x1x1x1xi32=7 | FileCheck %s
// RUN: tripy-compile %s -o %t.cuda.tpx --target=cuda:sm_90a && %emulated tripy-run %t.cuda.tpx --device=cuda:0 --input 1x1x1x1xi32=7 | FileCheck %s
// CHECK: tensor({{\[\[}}7]], dtype=int32

func.func @main(%a: tensor<1x1x1x1xi32>) -> tensor<1x1xi32> {
  %0 = trace.min %a dims = [-3, 2, 3] keepdim : (tensor<1x1x1x1xi32>) -> tensor<1x1x1x1xi32>
  %1 = trace.reshape %0 to [1, 1] : (tensor<1x1x1x1xi32>) -> tensor<1x1xi32>
  return %1 : tensor<1x1xi32>
}
