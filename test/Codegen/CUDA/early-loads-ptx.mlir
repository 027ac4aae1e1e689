// What a kernel reads last, and no kernel in front writes, is there before it is needed.
//
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s
// RUN: tripy-compile %s --function=rows --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=ROWS
// RUN: tripy-compile %s --function=rows --target=cuda:sm_90a --no-prefetch --stop-after=ptx -o - | FileCheck %s --check-prefix=PLAIN --implicit-check-not=prefetch

// A gemv loads its part of the matrix in front of the wait, and the residual and the bias before the products.
// CHECK-LABEL: .entry main_gemm_1_dot_add
// CHECK-COUNT-3: ld.global.nc.L1::no_allocate.v4.b32
// CHECK-NOT: prefetch
// CHECK: griddepcontrol.wait
// CHECK-DAG: ld.global.b32
// CHECK-DAG: ld.global.nc.b32
// CHECK-COUNT-3: ld.global.v4.b32
// CHECK: shfl.sync.bfly
// CHECK-NOT: ld.global
// CHECK: st.global
func.func @main(%x: tensor<1x768xf16>, %w: tensor<768x768xf16>, %v: tensor<768x768xf16>, %b: tensor<768xf16>) -> tensor<1x768xf16> {
  %h = trace.linear %x, %w : (tensor<1x768xf16>, tensor<768x768xf16>) -> tensor<1x768xf16>
  %p = trace.linear %h, %v, %b : (tensor<1x768xf16>, tensor<768x768xf16>, tensor<768xf16>) -> tensor<1x768xf16>
  %y = trace.add %p, %h : (tensor<1x768xf16>, tensor<1x768xf16>) -> tensor<1x768xf16>
  return %y : tensor<1x768xf16>
}

// A norm that it computes reads its weights in front of the wait as well: behind it, each block would load them last.
// RUN: tripy-compile %s --function=norm --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=NORM --implicit-check-not=st.local
// NORM-LABEL: .entry norm_gemm_2
// NORM-COUNT-3: ld.global.nc.L1::no_allocate.v4.b32
// NORM-COUNT-2: ld.global.nc.v4.b32
// NORM: griddepcontrol.wait
// NORM-NOT: ld.global.nc.v4.b32
// NORM: rsqrt
// NORM-NOT: ld.global
// NORM: st.global
func.func @norm(%x: tensor<1x768xf16>, %a: tensor<768x768xf16>, %w: tensor<3072x768xf16>, %g: tensor<768xf16>, %b: tensor<768xf16>) -> tensor<1x3072xf16> {
  %h = trace.linear %x, %a : (tensor<1x768xf16>, tensor<768x768xf16>) -> tensor<1x768xf16>
  %n = trace.layer_norm %h, %g, %b eps = 1.0e-5 : (tensor<1x768xf16>, tensor<768xf16>, tensor<768xf16>) -> tensor<1x768xf16>
  %y = trace.linear %n, %w : (tensor<1x768xf16>, tensor<3072x768xf16>) -> tensor<1x3072xf16>
  return %y : tensor<1x3072xf16>
}

// In other kernels, one thread of the grid brings small parameters to the L2 cache: 2048 bytes of a bias.
// ROWS-LABEL: .entry rows_gemm_1_dot_add
// ROWS: mov.b32 [[BYTES:%r[0-9]+]], 2048;
// ROWS: cp.async.bulk.prefetch.L2.global [%rd{{[0-9]+}}], [[BYTES]];
// ROWS: griddepcontrol.wait
// PLAIN-LABEL: .entry rows_gemm_1_dot_add
func.func @rows(%x: tensor<512x1024xf16>, %w: tensor<1024x1024xf16>, %v: tensor<1024x1024xf16>, %b: tensor<1024xf16>) -> tensor<512x1024xf16> {
  %h = trace.linear %x, %w : (tensor<512x1024xf16>, tensor<1024x1024xf16>) -> tensor<512x1024xf16>
  %y = trace.linear %h, %v, %b : (tensor<512x1024xf16>, tensor<1024x1024xf16>, tensor<1024xf16>) -> tensor<512x1024xf16>
  return %y : tensor<512x1024xf16>
}
