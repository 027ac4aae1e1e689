// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=kernels -o - | FileCheck %s
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=PTX

// A block for a row: 16-byte accesses, sums over the warp, a barrier. (Blocks of
// code come in any order.)
// CHECK: kernel.func @main_scan_0_scan scan {{.*}} config = <grid = () -> (64, 1, 1), block = [512, 1, 1]
// CHECK-COUNT-6: gpu.shuffle up
// CHECK-COUNT-1: gpu.barrier
// CHECK-NOT: gpu.barrier
// PTX: .entry
// PTX-NOT: .local
// PTX-DAG: ld.global{{.*}}v4.b32
// PTX-DAG: st.global{{.*}}v4.b32
func.func @main(%a: tensor<64x8192xf16> {tripy.name = "a"}) -> (tensor<64x8192xf16> {tripy.name = "y"}) {
  %0 = trace.cumsum %a dim = 1 : (tensor<64x8192xf16>) -> tensor<64x8192xf16>
  return %0 : tensor<64x8192xf16>
}
