// RUN: tripy-compile %s --target=cpu -o %t.tpx && tripy-run %t.tpx --input a=1x2xf16=1,2 --input i=1xi64=1 | FileCheck %s

// A concatenation whose type says more than upstream infers is a cast: the sizes are those of the tensor in front of it.
// CHECK{LITERAL}: [[0.5000, 1.0000, 2.0000]]
// CHECK: shape=(1, 3)
func.func @main(%a: tensor<1x2xf16> {tripy.name = "a"}, %i: tensor<1xi64> {tripy.name = "i"}) -> tensor<1x?xf16> {
  %one = arith.constant 1 : index
  %none = arith.constant 0 : index
  %0 = trace.pad %a low [%one, %one] high [0, %none] value = 0.5 : f16 : (tensor<1x2xf16>) -> tensor<?x?xf16>
  %1 = trace.gather %0, %i dim = 0 : (tensor<?x?xf16>, tensor<1xi64>) -> tensor<1x?xf16>
  return %1 : tensor<1x?xf16>
}
