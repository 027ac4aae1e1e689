// RUN: tripy-compile %s --target=cuda --stop-after=kernels | FileCheck %s

// A byte is loaded for each element where a row may begin in the middle of one.

// CHECK-LABEL: gpu.func @main_loop_
// CHECK-NOT: -> vector<{{.*}}xi8>
// CHECK: %[[BYTE:.*]] = llvm.load {{.*}} : !llvm.ptr<1> -> i8
// CHECK: %[[LOW:.*]] = arith.shli %[[BYTE]]
// CHECK: %[[HALF:.*]] = arith.select %{{.*}}, %[[BYTE]], %[[LOW]]
// CHECK: arith.shrsi %[[HALF]]
func.func @main(%x: tensor<33x7xi4>) -> tensor<33x5xf32> {
  %s = flatir.slice %x [0, 1] strides = [1, 1] sizes() : tensor<33x7xi4> -> tensor<33x5xi4>
  %r = flatir.convert %s : tensor<33x5xi4> -> tensor<33x5xf32>
  return %r : tensor<33x5xf32>
}
