// RUN: tripy-compile %s --target=cuda --stop-after=kernels | FileCheck %s

// CHECK-LABEL: gpu.func @main_loop_{{.*}}dequantize
// CHECK-NOT: -> vector<{{.*}}xi8>
// CHECK: %[[BYTE:.*]] = llvm.load {{.*}} : !llvm.ptr<1> -> i8
// CHECK: %[[LOW:.*]] = arith.shli %[[BYTE]]
// CHECK: %[[HALF:.*]] = arith.select %{{.*}}, %[[BYTE]], %[[LOW]]
// CHECK: arith.shrsi %[[HALF]]
func.func @main(%x: tensor<33x7xi4>, %s: tensor<f32>) -> tensor<33x7xf32> {
  %r = trace.dequantize %x, %s : (tensor<33x7xi4>, tensor<f32>) -> tensor<33x7xf32>
  return %r : tensor<33x7xf32>
}
