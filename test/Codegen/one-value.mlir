// A value of a 16-bit type is the same number for all its readers.

// RUN: tripy-compile --function=choose %s -o %t.tpx
// RUN: tripy-run %t.tpx --input x=1x4xf16=2048,2048,3,1 --input y=1x4xf16=-1,-1.5,1,0 | FileCheck %s --check-prefix=CHOOSE
// RUN: tripy-compile --target=cuda --function=choose %s -o %t.tpx
// RUN: %emulated tripy-run %t.tpx --device=cuda:0 --input x=1x4xf16=2048,2048,3,1 --input y=1x4xf16=-1,-1.5,1,0 | FileCheck %s --check-prefix=CHOOSE
// RUN: tripy-compile --function=convert %s -o %t.tpx
// RUN: tripy-run %t.tpx --input x=4xf16=2048,60000,-2048,1 --input y=4xf16=3,60000,-3,0.0001 | FileCheck %s --check-prefix=CONVERT
// RUN: tripy-compile --target=cuda --function=convert %s -o %t.tpx
// RUN: %emulated tripy-run %t.tpx --device=cuda:0 --input x=4xf16=2048,60000,-2048,1 --input y=4xf16=3,60000,-3,0.0001 | FileCheck %s --check-prefix=CONVERT
// RUN: tripy-compile --target=cuda --function=quotient %s --stop-after=ptx | FileCheck %s --check-prefix=QUOTIENT

// 2048 + 1 is 2048 in f16, 2048 + 1.5 is 2050: the second is the largest, alone.
// CHOOSE: tensor([1],
// CHOOSE: {{\[\[False, True, False, False\]\]}}
// CHOOSE: tensor([2050
func.func @choose(%x: tensor<1x4xf16> {tripy.name = "x"}, %y: tensor<1x4xf16> {tripy.name = "y"})
    -> (tensor<1xi32>, tensor<1x4xi1>, tensor<1xf16>) {
  %d = trace.sub %x, %y : (tensor<1x4xf16>, tensor<1x4xf16>) -> tensor<1x4xf16>
  %i = trace.argmax %d dim = 1 : (tensor<1x4xf16>) -> tensor<1xi32>
  %m = trace.max %d dims = [1] keepdim : (tensor<1x4xf16>) -> tensor<1x1xf16>
  %e = trace.ge %d, %m : (tensor<1x4xf16>, tensor<1x1xf16>) -> tensor<1x4xi1>
  %t = trace.reshape %d to [4] : (tensor<1x4xf16>) -> tensor<4xf16>
  %g = trace.gather %t, %i dim = 0 : (tensor<4xf16>, tensor<1xi32>) -> tensor<1xf16>
  return %i, %e, %g : tensor<1xi32>, tensor<1x4xi1>, tensor<1xf16>
}

// 2048 + 3 is 2052, 120000 infinite, 1.0001 is 1.
// CONVERT: result0 = tensor([2052, 2147483647, -2052, 1],
// CONVERT: result1 = tensor([2052.0000, inf, -2052.0000, 1.0000],
// CONVERT: result2 = tensor([2052.0000, inf, -2052.0000, 1.0000],
// CONVERT: result3 = tensor([True, True, False, False],
// CONVERT: result4 = tensor([4.0000, inf, -4.0000, 0.0000],
// CONVERT: result5 = tensor([2048.0000, inf, -2048.0000, 1.0000],
func.func @convert(%x: tensor<4xf16> {tripy.name = "x"}, %y: tensor<4xf16> {tripy.name = "y"})
    -> (tensor<4xi32>, tensor<4xf32>, tensor<4xf16>, tensor<4xi1>, tensor<4xf16>, tensor<4xbf16>) {
  %0 = trace.add %x, %y : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  %1 = trace.cast %0 to i32 : (tensor<4xf16>) -> tensor<4xi32>
  %2 = trace.cast %0 to f32 : (tensor<4xf16>) -> tensor<4xf32>
  %3 = trace.gt %0, %x : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xi1>
  %4 = trace.sub %0, %x : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  %5 = trace.cast %0 to bf16 : (tensor<4xf16>) -> tensor<4xbf16>
  return %1, %2, %0, %3, %4, %5 : tensor<4xi32>, tensor<4xf32>, tensor<4xf16>, tensor<4xi1>, tensor<4xf16>, tensor<4xbf16>
}

// What floor reads is no approximation, though all ends in f16: 6 / 3 is 2.
// QUOTIENT-NOT: rcp.approx
// QUOTIENT: div.rn.f32
// QUOTIENT-NOT: rcp.approx
func.func @quotient(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf16> {
  %q = trace.div %x, %y : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %f = trace.floor %q : (tensor<64xf32>) -> tensor<64xf32>
  %r = trace.cast %f to f16 : (tensor<64xf32>) -> tensor<64xf16>
  return %r : tensor<64xf16>
}
