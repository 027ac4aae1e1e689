// Constants: inline, of a resource, bools as bytes.
// RUN: tripy-compile %s -o %t.tpx --cpu=x86-64-v3
// RUN: tripy-run %t.tpx --info | FileCheck %s --check-prefix=INFO
// INFO: constants: {{[0-9]+}} bytes
// RUN: tripy-run %t.tpx --input x=2x4xf32=1,2,3,4,5,6,7,8 --input k=4xi1=true,false,true,true | FileCheck %s
// CHECK: result0 = tensor(
// CHECK-NEXT: {{\[}}[2.5000, -2.0000, 13.0000, 0.0000],
// CHECK-NEXT: [5.5000, 2.0000, 17.0000, 4.0000]],
// CHECK: result1 = tensor([True, False, False, True], dtype=bool
func.func @main(%x: tensor<2x4xf32> {tripy.name = "x"}, %k: tensor<4xi1> {tripy.name = "k"}) -> (tensor<2x4xf32>, tensor<4xi1>) {
  %a = trace.constant dense<[0.5, -4.0, 10.0, -4.0]> : tensor<4xf32>
  %b = trace.constant dense_resource<offsets> : tensor<2x4xf32>
  %m = trace.constant dense<[true, true, false, true]> : tensor<4xi1>
  %0 = trace.add %x, %a : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %1 = trace.add %0, %b : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = trace.logical_and %k, %m : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return %1, %2 : tensor<2x4xf32>, tensor<4xi1>
}
{-#
  dialect_resources: {
    builtin: {
      offsets: "0x040000000000803F00000000000000000000000000000000000000000000000000000000"
    }
  }
#-}
