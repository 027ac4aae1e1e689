// Rows of results that are no whole vectors: lanes exchange their sums through shared memory, so that those beside each
// other store neighbours. Whole vectors are stored by the lane that has them.
// RUN: tripy-compile %s --target=cuda:sm_90a --no-f32-tensor-cores --stop-after=ptx -o - | FileCheck %s
// RUN: sed 's/x197xf32/x196xf32/g' %s | tripy-compile - --target=cuda:sm_90a --no-f32-tensor-cores --stop-after=ptx -o - | FileCheck %s --check-prefix=WHOLE

// CHECK: fma.rn.f32
// CHECK: st.shared.v4.b32
// CHECK: bar.warp.sync
// CHECK-COUNT-4: ld.shared.b32
// CHECK: bar.warp.sync
// CHECK: st.global.b32
// CHECK-NOT: st.global.v4

// WHOLE: fma.rn.f32
// WHOLE-NOT: bar.warp.sync
// WHOLE: st.global.v4
func.func @main(%x: tensor<96x197x64xf32>, %y: tensor<96x64x197xf32>) -> tensor<96x197x197xf32> {
  %z = trace.matmul %x, %y : (tensor<96x197x64xf32>, tensor<96x64x197xf32>) -> tensor<96x197x197xf32>
  return %z : tensor<96x197x197xf32>
}
