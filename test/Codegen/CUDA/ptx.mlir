// The machine code of a whole program: wide accesses, tensor cores, nothing in
// local memory.
//
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=NARROW --implicit-check-not=ld.global.nc.b16 --implicit-check-not=st.global.b16 --implicit-check-not=.local

// CHECK: .entry main_
// CHECK-DAG: wgmma.mma_async.sync.aligned
// CHECK-DAG: st.global.v4
// NARROW: .target sm_90a
func.func @main(%x: tensor<512x1024xf16>, %w: tensor<2048x1024xf16>, %b: tensor<2048xf16>, %g: tensor<2048xf16>) -> tensor<512x2048xf16> {
  %0 = trace.linear %x, %w, %b : (tensor<512x1024xf16>, tensor<2048x1024xf16>, tensor<2048xf16>) -> tensor<512x2048xf16>
  %1 = trace.gelu %0 : (tensor<512x2048xf16>) -> tensor<512x2048xf16>
  %2 = trace.rms_norm %1, %g eps = 1.0e-5 : (tensor<512x2048xf16>, tensor<2048xf16>) -> tensor<512x2048xf16>
  %3 = trace.softmax %2 dim = -1 : (tensor<512x2048xf16>) -> tensor<512x2048xf16>
  return %3 : tensor<512x2048xf16>
}
