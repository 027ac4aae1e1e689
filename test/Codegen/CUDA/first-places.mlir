// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %s
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=PTX

// One pass of 16-byte loads over a row of odd length: pairs of elements are compared at once, and no element by itself.
// CHECK: kernel.func @main_row_0_argmax row {{.*}} config = <grid = () -> (2587, 1, 1), block = [256, 1, 1]
// PTX: .entry
// PTX-COUNT-4: ld.global{{.*}}v4.b32
// PTX-COUNT-12: max.NaN.f16x2
// PTX: ld.global{{.*}}v4.b32
// PTX-NOT: v4.b32
func.func @main(%a: tensor<2587x51865xf16> {tripy.name = "a"}) -> (tensor<2587xi32> {tripy.name = "y"}) {
  %0 = trace.argmax %a dim = -1 : (tensor<2587x51865xf16>) -> tensor<2587xi32>
  return %0 : tensor<2587xi32>
}
