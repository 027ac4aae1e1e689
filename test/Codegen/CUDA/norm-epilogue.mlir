// A norm of a product's rows is computed in the product's epilogue, by clusters whose blocks have all columns of their rows, where the model
// expects that to be faster than a kernel of its own.
//
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=schedules --remarks=all -o - 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARKS < %t.remarks
// RUN: tripy-compile %s --target=cuda:sm_90a --stop-after=ptx -o - | FileCheck %s --check-prefix=PTX

// A block of a transformer with the norms in front of its layers: the sum is a result as well, since the next layer adds to it. The last norm
// of the first layer is one of many rows, where clusters would wait for each other.
// CHECK-LABEL: func.func @main
// CHECK: %[[FIRST:.*]]:2 = kernel.call @main_gemm_0_dot_add_layer_norm(%arg0, %arg1, %arg2, %arg3, %arg4)
// CHECK: %[[SECOND:.*]] = kernel.call @{{.*}}rms_norm(%[[FIRST]]#1, %{{.*}}, %[[FIRST]]#0, %{{.*}})
// CHECK: %[[MANY:.*]] = kernel.call @{{[a-z0-9_]*}}_dot_add(
// CHECK: kernel.call @main_row_{{[0-9]*}}_layer_norm(%[[MANY]],
// CHECK-DAG: kernel.func @main_gemm_0_dot_add_layer_norm gemm sizeArgs = [] {schedule = #kernel.wgmma_schedule<tile = [64, 128], stages = {{[0-9]}}, clusterN = 6, from = model>} : {{.*}} -> (tensor<1024x768xf16>, tensor<1024x768xf16>)
// CHECK-DAG: rms_norm gemm sizeArgs = [] {schedule = #kernel.wgmma_schedule<tile = [64, 128], stages = {{[0-9]}}, clusterN = 6, from = model>} : {{.*}} -> tensor<1024x768xf16>

// REMARKS-DAG: fused 'main_row_{{[0-9]*}}_layer_norm' into the epilogue: the blocks of a cluster have whole rows and exchange their sums; saves a launch
// REMARKS-DAG: a norm is not fused into the epilogue: with tile {{.*}}, whose cluster has whole rows, the model expects {{[0-9]*}} cycles, and {{[0-9]*}} for two kernels

// The sums of the rows, to the six blocks of the cluster: four threads have a row, the first two send to a second block.
// PTX-LABEL: .entry main_gemm_0_dot_add_layer_norm
// PTX: wgmma.mma_async
// PTX: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32
// PTX: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32
func.func @main(%x: tensor<1024x768xf16> {tripy.name = "x"}, %w: tensor<768x768xf16> {tripy.name = "w"}, %r: tensor<1024x768xf16> {tripy.name = "r"},
                %g: tensor<768xf16> {tripy.name = "g"}, %h: tensor<768xf16> {tripy.name = "h"}, %v: tensor<768x768xf16> {tripy.name = "v"},
                %a: tensor<16384x3072xf16> {tripy.name = "a"}, %b: tensor<768x3072xf16> {tripy.name = "b"}, %c: tensor<16384x768xf16> {tripy.name = "c"})
    -> (tensor<1024x768xf16> {tripy.name = "y"}, tensor<16384x768xf16> {tripy.name = "z"}) {
  %0 = trace.linear %x, %w : (tensor<1024x768xf16>, tensor<768x768xf16>) -> tensor<1024x768xf16>
  %1 = trace.add %r, %0 : (tensor<1024x768xf16>, tensor<1024x768xf16>) -> tensor<1024x768xf16>
  %2 = trace.layer_norm %1, %g, %h eps = 1.0e-5 : (tensor<1024x768xf16>, tensor<768xf16>, tensor<768xf16>) -> tensor<1024x768xf16>
  %3 = trace.linear %2, %v : (tensor<1024x768xf16>, tensor<768x768xf16>) -> tensor<1024x768xf16>
  %4 = trace.add %1, %3 : (tensor<1024x768xf16>, tensor<1024x768xf16>) -> tensor<1024x768xf16>
  %5 = trace.rms_norm %4, %g eps = 1.0e-5 : (tensor<1024x768xf16>, tensor<768xf16>) -> tensor<1024x768xf16>
  %6 = trace.linear %a, %b : (tensor<16384x3072xf16>, tensor<768x3072xf16>) -> tensor<16384x768xf16>
  %7 = trace.add %c, %6 : (tensor<16384x768xf16>, tensor<16384x768xf16>) -> tensor<16384x768xf16>
  %8 = trace.layer_norm %7, %g, %h eps = 1.0e-5 : (tensor<16384x768xf16>, tensor<768xf16>, tensor<768xf16>) -> tensor<16384x768xf16>
  return %5, %8 : tensor<1024x768xf16>, tensor<16384x768xf16>
}
