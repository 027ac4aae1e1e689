// Sizes that overflow 64 bits are estimated as many, and their sums and factors are numbers.
//
// RUN: tripy-opt --tripy-cuda %s | FileCheck %s
// RUN: not tripy-compile --target=cuda:sm_90a %s -o %t.tpx 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK: kernel.func
// ERROR: error:
func.func @main(%a: tensor<1x2xf16> {tripy.name = "a"}, %i: tensor<1xi64> {tripy.name = "i"}) -> tensor<1x?xf16> {
  %one = arith.constant -9223372036854775808 : index
  %none = arith.constant 0 : index
  %0 = trace.pad %a low [%one, %one] high [0, %none] value = 0.5 : f16 : (tensor<1x2xf16>) -> tensor<?x?xf16>
  %1 = trace.gather %0, %i dim = 0 : (tensor<?x?xf16>, tensor<1xi64>) -> tensor<1x?xf16>
  return %1 : tensor<1x?xf16>
}
