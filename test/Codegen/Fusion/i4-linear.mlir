// RUN: tripy-compile %s --stop-after=linalg --target=cpu | FileCheck %s
// RUN: tripy-compile %s --stop-after=linalg --target=cuda | FileCheck %s
// RUN: tripy-compile %s --stop-after=plan --target=cuda | FileCheck %s --check-prefix=PLAN

// Weights of i4 are one operand of the kernel that multiplies by them: nothing
// unpacks them in memory, whether or not rows begin at a byte.

// CHECK: flatir.constant dense<{{.*}}> : tensor<3x7xi4>
// CHECK: %[[Y:.*]] = kernel.call @[[K:.*]](%{{.*}}) sizes() : (tensor<3x7xi4>, tensor<3xf32>, tensor<2x7xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: return %[[Y]]
// CHECK: kernel.func @[[K]]
// CHECK: arith.extsi %{{.*}} : i4 to i8

// 21 elements are 11 bytes.
// PLAN: arena = 0
// PLAN: %[[BYTES:.*]] = arith.constant 11 : index
// PLAN: kernel.launch @{{.*}} buffers(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) bytes(%[[BYTES]],
func.func @main(%x: tensor<2x7xf32>) -> tensor<2x3xf32> {
  %w = trace.constant dense<[[-8, 7, 0, 1, -1, 3, 2], [1, 2, 3, 4, 5, 6, 7], [-1, -2, -3, -4, -5, -6, -7]]> : tensor<3x7xi4>
  %s = trace.constant dense<[0.5, 1.0, 2.0]> : tensor<3xf32>
  %d = trace.dequantize %w, %s dim = 0 : (tensor<3x7xi4>, tensor<3xf32>) -> tensor<3x7xf32>
  %r = trace.linear %x, %d : (tensor<2x7xf32>, tensor<3x7xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
