// Rows that never are more than 8 are a gemv's, whose threads store those that there are.
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %s

// CHECK: kernel.func @main_gemm_0_dot gemm {{.*}}scratch = 0> {{.*}}sizes = #kernel.sizes<[2, 3, 8]>
// CHECK-NOT: wgmma
// CHECK-NOT: nvvm.mma
// CHECK: gpu.shuffle
func.func @main(%x: tensor<?x200xf32> {tripy.dims = ["rows", ""],
      tripy.profile = #tripy.profile<min = [2, 200], opt = [3, 200], max = [8, 200]>},
    %w: tensor<48x200xf32>) -> tensor<?x48xf32> {
  %y = trace.linear %x, %w : (tensor<?x200xf32>, tensor<48x200xf32>) -> tensor<?x48xf32>
  return %y : tensor<?x48xf32>
}
