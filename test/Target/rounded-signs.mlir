// The sign of asin, sinh and tanh comes from a rounded f64: LLVM 22 moves the rounding behind copysign, and then calls a
// function that rounds f64 to f16.
// RUN: tripy-compile %s --target=cpu --cpu=x86-64 -o %t.tpx && tripy-run %t.tpx --input x=3xf16=0.7,1,0.99 | FileCheck %s
// RUN: tripy-compile %s --target=cpu --cpu=x86-64-v3 -o %t.tpx
// RUN: tripy-compile %s --target=cpu --cpu=native -o %t.tpx && tripy-run %t.tpx --input x=3xf16=0.7,1,0.99 | FileCheck %s
// CHECK: asin = tensor([0.9189, 0.0000, 0.1404]
// CHECK: sinh = tensor([0.8813, 0.0000, 0.1404]
// CHECK: tanh = tensor([0.6611, 0.0000, 0.1390]
func.func @main(%x: tensor<3xf16>) -> (tensor<3xf16>, tensor<3xf16>, tensor<3xf16>) {
  %angle = trace.acos %x : (tensor<3xf16>) -> tensor<3xf16>
  %asin = trace.asin %angle : (tensor<3xf16>) -> tensor<3xf16>
  %sinh = trace.sinh %angle : (tensor<3xf16>) -> tensor<3xf16>
  %tanh = trace.tanh %angle : (tensor<3xf16>) -> tensor<3xf16>
  return %asin, %sinh, %tanh : tensor<3xf16>, tensor<3xf16>, tensor<3xf16>
}
