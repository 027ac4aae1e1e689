// RUN: tripy-opt %s --flatir-form-dispatches --split-input-file | FileCheck %s
// RUN: tripy-opt %s --flatir-form-dispatches="tensor-cores tensor-paired=3 vector-rows=8" --split-input-file | FileCheck %s --check-prefix=TENSOR
// RUN: tripy-opt %s --flatir-form-dispatches --split-input-file --remark-format=emitRemark --remarks-filter="fusion" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tripy-opt %s --flatir-form-dispatches="tensor-cores tensor-paired=3 vector-rows=8" --split-input-file --remark-format=emitRemark --remarks-filter="fusion" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TREMARK

// Independent contractions of one operand: one kernel with several results.

// CHECK-LABEL: func.func @projections(
// CHECK: %[[K:.*]]:3 = kernel.dispatch gemm(%arg0, %arg1, %arg2, %arg4, %arg3)
// CHECK-COUNT-3: flatir.dot
// CHECK: kernel.yield %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x16xf16>, tensor<64x16xf16>, tensor<64x16xf16>
// CHECK-NOT: kernel.dispatch
// CHECK: return %[[K]]#0, %[[K]]#1, %[[K]]#2
// REMARK: remark: [Passed] fused | Category:fusion | Function=projections | Remark="fused 'dot' into 'dot': both read the same operand; saves a launch and reading 1024 bytes twice"

// TENSOR-LABEL: func.func @projections(
// TENSOR: %{{.*}}:3 = kernel.dispatch gemm
// TENSOR-NOT: kernel.dispatch
func.func @projections(%x: tensor<64x8xf16>, %q: tensor<16x8xf16>, %k: tensor<16x8xf16>, %v: tensor<16x8xf16>, %b: tensor<16xf16>) -> (tensor<64x16xf16>, tensor<64x16xf16>, tensor<64x16xf16>) {
  %0 = flatir.dot %x, %q batch = [] x [] contract = [1] x [1] : (tensor<64x8xf16>, tensor<16x8xf16>) -> tensor<64x16xf16>
  %1 = flatir.dot %x, %k batch = [] x [] contract = [1] x [1] : (tensor<64x8xf16>, tensor<16x8xf16>) -> tensor<64x16xf16>
  %bb = flatir.broadcast %b dims = [1] sizes() : tensor<16xf16> -> tensor<64x16xf16>
  %2 = flatir.add %1, %bb : tensor<64x16xf16>
  %3 = flatir.dot %x, %v batch = [] x [] contract = [1] x [1] : (tensor<64x8xf16>, tensor<16x8xf16>) -> tensor<64x16xf16>
  return %0, %2, %3 : tensor<64x16xf16>, tensor<64x16xf16>, tensor<64x16xf16>
}

// -----

// Of different widths, as in grouped-query attention: where the emitter gives
// each blocks of its own. Side by side on tensor cores, they must be of one.
// CHECK-LABEL: func.func @grouped(
// CHECK: %{{.*}}:2 = kernel.dispatch gemm(%arg0, %arg1, %arg2)
// CHECK-NOT: kernel.dispatch

// TENSOR-LABEL: func.func @grouped(
// TENSOR-COUNT-2: kernel.dispatch gemm
// TREMARK: remark: [Analysis] declined | Category:fusion | Function=grouped | Remark="did not fuse 'dot' into 'dot': the emitter computes contractions of one shape together"
func.func @grouped(%x: tensor<64x8xf16>, %q: tensor<32x8xf16>, %k: tensor<8x8xf16>) -> (tensor<64x32xf16>, tensor<64x8xf16>) {
  %0 = flatir.dot %x, %q batch = [] x [] contract = [1] x [1] : (tensor<64x8xf16>, tensor<32x8xf16>) -> tensor<64x32xf16>
  %1 = flatir.dot %x, %k batch = [] x [] contract = [1] x [1] : (tensor<64x8xf16>, tensor<8x8xf16>) -> tensor<64x8xf16>
  return %0, %1 : tensor<64x32xf16>, tensor<64x8xf16>
}

// -----

// More than a kernel computes.
// CHECK-LABEL: func.func @five(
// CHECK: %{{.*}}:4 = kernel.dispatch gemm
// CHECK: kernel.dispatch gemm
// REMARK: remark: [Analysis] declined | Category:fusion | Function=five | Remark="did not fuse 'dot' into 'dot': the emitter computes fewer contractions together"

// With few rows, as many on both.
// TENSOR-LABEL: func.func @five(
// TENSOR: %{{.*}}:4 = kernel.dispatch gemm
// TENSOR: kernel.dispatch gemm
func.func @five(%x: tensor<2x8xf16>, %a: tensor<16x8xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf16>, %d: tensor<16x8xf16>, %e: tensor<16x8xf16>) -> (tensor<2x16xf16>, tensor<2x16xf16>, tensor<2x16xf16>, tensor<2x16xf16>, tensor<2x16xf16>) {
  %0 = flatir.dot %x, %a batch = [] x [] contract = [1] x [1] : (tensor<2x8xf16>, tensor<16x8xf16>) -> tensor<2x16xf16>
  %1 = flatir.dot %x, %b batch = [] x [] contract = [1] x [1] : (tensor<2x8xf16>, tensor<16x8xf16>) -> tensor<2x16xf16>
  %2 = flatir.dot %x, %c batch = [] x [] contract = [1] x [1] : (tensor<2x8xf16>, tensor<16x8xf16>) -> tensor<2x16xf16>
  %3 = flatir.dot %x, %d batch = [] x [] contract = [1] x [1] : (tensor<2x8xf16>, tensor<16x8xf16>) -> tensor<2x16xf16>
  %4 = flatir.dot %x, %e batch = [] x [] contract = [1] x [1] : (tensor<2x8xf16>, tensor<16x8xf16>) -> tensor<2x16xf16>
  return %0, %1, %2, %3, %4 : tensor<2x16xf16>, tensor<2x16xf16>, tensor<2x16xf16>, tensor<2x16xf16>, tensor<2x16xf16>
}

// -----

// One weight depends on the other contraction, at once or by way of another
// kernel: two kernels.
// CHECK-LABEL: func.func @chain(
// CHECK-COUNT-2: kernel.dispatch gemm
func.func @chain(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = flatir.dot %x, %x batch = [] x [] contract = [1] x [1] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = flatir.dot %x, %0 batch = [] x [] contract = [1] x [1] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// Even where both meet.
// CHECK-LABEL: func.func @chain_meets(
// CHECK-COUNT-2: kernel.dispatch gemm
// REMARK: remark: [Analysis] declined | Category:fusion | Function=chain_meets | Remark="did not fuse 'dot' into 'dot': it needs other results that depend on this kernel"
func.func @chain_meets(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = flatir.dot %x, %x batch = [] x [] contract = [1] x [1] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = flatir.dot %x, %0 batch = [] x [] contract = [1] x [1] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = flatir.add %0, %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// CHECK-LABEL: func.func @through(
// CHECK: kernel.dispatch gemm
// CHECK: kernel.dispatch row
// CHECK: kernel.dispatch gemm
// REMARK: remark: [Analysis] declined | Category:fusion | Function=through | Remark="did not fuse 'dot' into 'dot': it needs other results that depend on this kernel"
func.func @through(%x: tensor<8x8xf32>) -> tensor<8xf32> {
  %0 = flatir.dot %x, %x batch = [] x [] contract = [1] x [1] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %m = flatir.reduce max %0 dims = [1] : tensor<8x8xf32> -> tensor<8xf32>
  %1 = flatir.dot %x, %m batch = [] x [] contract = [1] x [0] : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
