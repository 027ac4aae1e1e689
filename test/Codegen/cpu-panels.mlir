// RUN: tripy-compile %s --target=cpu --cpu=x86-64-v4 --stop-after=llvm -o - | FileCheck %s
// RUN: tripy-compile %s --evaluate --input x=random:37x150 --input w=random:53x150 --input z=random:150x37 --result r=@%t.r.npy --result s=@%t.s.npy
// RUN: tripy-compile %s --target=cpu -o %t.tpx
// RUN: tripy-run %t.tpx --input x=random:37x150 --input w=random:53x150 --input z=random:150x37 --expect r=@%t.r.npy --expect s=@%t.s.npy --rtol 1e-4 --atol 1e-4
// RUN: tripy-compile %s --target=cpu --cpu=x86-64-v3 -o %t.v3.tpx
// RUN: tripy-run %t.v3.tpx --input x=random:37x150 --input w=random:53x150 --input z=random:150x37 --expect r=@%t.r.npy --expect s=@%t.s.npy --rtol 1e-4 --atol 1e-4

// The weight of a linear layer lies along K: squares of 16 x 16 are transposed in registers, and the next k-block is prefetched.
// The left operand's rows are read where they lie; one that is stored as K x M is packed. Sizes that no vector divides.
// CHECK: llvm.func internal @main_gemm_0
// CHECK: llvm.shufflevector {{.*}} [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23]
// CHECK: llvm.intr.prefetch
func.func @main(%x: tensor<37x150xf32> {tripy.name = "x"}, %w: tensor<53x150xf32> {tripy.name = "w"}, %z: tensor<150x37xf32> {tripy.name = "z"})
    -> (tensor<37x53xf32> {tripy.name = "r"}, tensor<37x53xf32> {tripy.name = "s"}) {
  %0 = trace.linear %x, %w : (tensor<37x150xf32>, tensor<53x150xf32>) -> tensor<37x53xf32>
  %1 = trace.permute %z [1, 0] : (tensor<150x37xf32>) -> tensor<37x150xf32>
  %2 = trace.permute %w [1, 0] : (tensor<53x150xf32>) -> tensor<150x53xf32>
  %3 = trace.matmul %1, %2 : (tensor<37x150xf32>, tensor<150x53xf32>) -> tensor<37x53xf32>
  return %0, %3 : tensor<37x53xf32>, tensor<37x53xf32>
}
