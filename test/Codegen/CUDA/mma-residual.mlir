// A residual whose rows are odd is read element by element: eight of a lane are on their way before the first result is stored.
// K of 12 elements has k-blocks of 64 bytes.
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=schedules -o - | FileCheck %s --check-prefix=SCHEDULE
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s

// SCHEDULE: #kernel.mma_schedule<tile = [32, 64], stages = 4, kBytes = 64
// CHECK: mma.sync
// CHECK-COUNT-8: ld.global.b16
// CHECK-NOT: ld.global
// CHECK-COUNT-8: st.global.b16
func.func @main(%x: tensor<16x12xbf16>, %w: tensor<15019x12xbf16>, %r: tensor<16x15019xbf16>) -> tensor<16x15019xbf16> {
  %p = trace.linear %x, %w : (tensor<16x12xbf16>, tensor<15019x12xbf16>) -> tensor<16x15019xbf16>
  %y = trace.add %r, %p : (tensor<16x15019xbf16>, tensor<16x15019xbf16>) -> tensor<16x15019xbf16>
  return %y : tensor<16x15019xbf16>
}
