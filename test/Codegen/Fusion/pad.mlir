// RUN: tripy-opt %s --flatir-form-dispatches=tensor-cores --split-input-file --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: tripy-opt %s --flatir-form-dispatches=tensor-cores --kernel-outline --flatir-to-linalg --split-input-file | FileCheck %s --check-prefix=LINALG
// RUN: tripy-opt %s --flatir-form-dispatches=tensor-cores --split-input-file --remark-format=emitRemark --remarks-filter="fusion" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tripy-opt %s --flatir-form-dispatches --split-input-file | FileCheck %s --check-prefix=GENERAL

// Rows that are no multiple of 16 bytes are copied, with zeros at their ends,
// for large contractions on tensor cores, where that takes less time than the
// rows as they are.

// Both operands; the padded weight is used twice.
// CHECK-LABEL: func.func @both(
// CHECK: %[[W:.*]] = kernel.dispatch loop(%arg1)
// CHECK: flatir.concatenate
// CHECK: %[[X:.*]] = kernel.dispatch loop(%arg0)
// CHECK: flatir.constant dense<0.000000e+00> : tensor<300x3xf16>
// CHECK: flatir.concatenate {{.*}} dim = 1 : (tensor<300x4093xf16>, tensor<300x3xf16>) -> tensor<300x4096xf16> loc({{.*}}#tripy.why<rule = "pad", reason = "give rows a multiple of 16 bytes, for tensor cores">
// CHECK: kernel.dispatch gemm(%[[X]], %[[W]])
// CHECK: flatir.slice %{{.*}} [0, 0] strides = [1, 1] sizes() : tensor<300x4096xf16> -> tensor<300x4093xf16>
// CHECK: flatir.slice %{{.*}} [0, 0] strides = [1, 1] sizes() : tensor<1021x4096xf16> -> tensor<1021x4093xf16>
// CHECK: flatir.dot

// LINALG: kernel.func @both_gemm
// LINALG: ^bb0(%[[X:.*]]: tensor<300x4096xf16>, %[[W:.*]]: tensor<1021x4096xf16>):
// LINALG: %[[A:.*]] = tensor.extract_slice %[[X]][0, 0] [300, 4093] [1, 1] : tensor<300x4096xf16> to tensor<300x4093xf16>
// LINALG: %[[B:.*]] = tensor.extract_slice %[[W]][0, 0] [1021, 4093] [1, 1] : tensor<1021x4096xf16> to tensor<1021x4093xf16>
// LINALG: linalg.generic {{.*}} ins(%[[A]], %[[B]] : tensor<300x4093xf16>, tensor<1021x4093xf16>)

// REMARK: remark: [Passed] fused | Category:fusion | Function=both | Remark="padded the left operand of 'dot' from rows of 4093 to 4096 elements: 1253685900 multiplications take about {{[0-9]+}} cycles with copies, and {{[0-9]+}} of rows as they are"
// REMARK: remark: [Passed] fused | Category:fusion | Function=both | Remark="padded the right operand of 'dot' from rows of 4093 to 4096 elements

// Elsewhere, rows of any size are read.
// GENERAL-LABEL: func.func @both(
// GENERAL: kernel.dispatch gemm(%arg0, %arg1)
// GENERAL-NOT: kernel.dispatch loop
// GENERAL: return
func.func @both(%x: tensor<300x4093xf16>, %w: tensor<1021x4093xf16>) -> tensor<300x1021xf16> {
  %d = flatir.dot %x, %w batch = [] x [] contract = [1] x [1] : (tensor<300x4093xf16>, tensor<1021x4093xf16>) -> tensor<300x1021xf16>
  return %d : tensor<300x1021xf16>
}

// -----

// Rows of a dynamic number; the weight has its columns last.
// GENERAL-LABEL: func.func @dynamic(
// CHECK-LABEL: func.func @dynamic(
// CHECK: %[[N:.*]] = flatir.dim %arg0, 0
// CHECK-DAG: %[[X:.*]] = kernel.dispatch loop(%arg0, %[[N]])
// CHECK-DAG: flatir.broadcast {{.*}} -> tensor<?x3xbf16>
// CHECK-DAG: flatir.concatenate {{.*}} -> tensor<?x1024xbf16>
// CHECK-DAG: %[[W:.*]] = kernel.dispatch loop(%arg1)
// CHECK-DAG: flatir.concatenate {{.*}} -> tensor<1021x2048xbf16>
// CHECK: kernel.dispatch gemm(%[[X]], %[[W]], %[[N]])

// LINALG: kernel.func @dynamic_gemm
// LINALG: tensor.extract_slice %{{.*}}[0, 0] [%{{.*}}, 1021] [1, 1] : tensor<?x1024xbf16> to tensor<?x1021xbf16>
// LINALG: tensor.extract_slice %{{.*}}[0, 0] [1021, 2043] [1, 1] : tensor<1021x2048xbf16> to tensor<1021x2043xbf16>
func.func @dynamic(%x: tensor<?x1021xbf16> {tripy.profile = #tripy.profile<min = [1, 1021], opt = [512, 1021], max = [4096, 1021]>}, %w: tensor<1021x2043xbf16>) -> tensor<?x2043xbf16> {
  %d = flatir.dot %x, %w batch = [] x [] contract = [1] x [0] : (tensor<?x1021xbf16>, tensor<1021x2043xbf16>) -> tensor<?x2043xbf16>
  return %d : tensor<?x2043xbf16>
}

// -----

// A gated unit of such rows: slices of the padded weight's part.
// CHECK-LABEL: func.func @gated(
// CHECK-COUNT-2: kernel.dispatch loop
// CHECK: kernel.dispatch gemm
// CHECK-COUNT-2: flatir.dot
// CHECK-NOT: kernel.dispatch

// LINALG: kernel.func @gated_gemm
// LINALG: %[[P:.*]] = tensor.extract_slice %{{.*}}[0, 0] [2048, 1021] [1, 1] : tensor<2048x1024xf16> to tensor<2048x1021xf16>
// LINALG: tensor.extract_slice %[[P]][0, 0] [1024, 1021] [1, 1] : tensor<2048x1021xf16> to tensor<1024x1021xf16>
// LINALG: tensor.extract_slice %[[P]][1024, 0] [1024, 1021] [1, 1] : tensor<2048x1021xf16> to tensor<1024x1021xf16>
func.func @gated(%x: tensor<512x1021xf16>, %w: tensor<2048x1021xf16>) -> tensor<512x1024xf16> {
  %d = flatir.dot %x, %w batch = [] x [] contract = [1] x [1] : (tensor<512x1021xf16>, tensor<2048x1021xf16>) -> tensor<512x2048xf16>
  %s = flatir.slice %d [0, 0] strides = [1, 1] sizes() : tensor<512x2048xf16> -> tensor<512x1024xf16>
  %g = flatir.slice %d [0, 1024] strides = [1, 1] sizes() : tensor<512x2048xf16> -> tensor<512x1024xf16>
  %o = flatir.mul %s, %g : tensor<512x1024xf16>
  return %o : tensor<512x1024xf16>
}

// -----

// A small one is not worth a copy.
// CHECK-LABEL: func.func @small(
// CHECK: kernel.dispatch gemm(%arg0, %arg1)
// CHECK-NOT: kernel.dispatch
// REMARK: remark: [Analysis] declined | Category:fusion | Function=small | Remark="did not pad the left operand of 'dot' from rows of 33 to 40 elements: 20064 multiplications are not worth the copy"
func.func @small(%x: tensor<16x33xf16>, %w: tensor<38x33xf16>) -> tensor<16x38xf16> {
  %d = flatir.dot %x, %w batch = [] x [] contract = [1] x [1] : (tensor<16x33xf16>, tensor<38x33xf16>) -> tensor<16x38xf16>
  return %d : tensor<16x38xf16>
}

// -----

// The copy of the left operand would take longer than the product, which memory
// limits.
// CHECK-LABEL: func.func @batched(
// CHECK: kernel.dispatch gemm(%arg0, %arg1)
// CHECK-NOT: kernel.dispatch
// REMARK: remark: [Analysis] declined | Category:fusion | Function=batched | Remark="did not pad the left operand of 'dot' from rows of 881 to 888 elements: 8543980288 multiplications take about {{[0-9]+}} cycles with copies, and {{[0-9]+}} of rows as they are"
func.func @batched(%x: tensor<172x881x881xf16>, %w: tensor<172x881x64xf16>) -> tensor<172x881x64xf16> {
  %d = flatir.dot %x, %w batch = [0] x [0] contract = [2] x [1] : (tensor<172x881x881xf16>, tensor<172x881x64xf16>) -> tensor<172x881x64xf16>
  return %d : tensor<172x881x64xf16>
}

// -----

// Few rows read a matrix as fast as memory delivers it.
// CHECK-LABEL: func.func @few_rows(
// CHECK: kernel.dispatch gemm(%arg0, %arg1)
// CHECK-NOT: kernel.dispatch
func.func @few_rows(%x: tensor<12x384xf16>, %w: tensor<384x51865xf16>) -> tensor<12x51865xf16> {
  %d = flatir.dot %x, %w batch = [] x [] contract = [1] x [0] : (tensor<12x384xf16>, tensor<384x51865xf16>) -> tensor<12x51865xf16>
  return %d : tensor<12x51865xf16>
}

// -----

// A kernel of element-wise operations writes longer rows to begin with: the
// same product as before takes no copy.
// CHECK-LABEL: func.func @computed(
// CHECK: %[[X:.*]] = kernel.dispatch loop(%arg0)
// CHECK: flatir.exp
// CHECK: flatir.concatenate
// CHECK: kernel.dispatch gemm(%[[X]], %arg1)
// CHECK-NOT: kernel.dispatch
func.func @computed(%x: tensor<172x881x881xf16>, %w: tensor<172x881x64xf16>) -> tensor<172x881x64xf16> {
  %e = flatir.exp %x : tensor<172x881x881xf16>
  %d = flatir.dot %e, %w batch = [0] x [0] contract = [2] x [1] : (tensor<172x881x881xf16>, tensor<172x881x64xf16>) -> tensor<172x881x64xf16>
  return %d : tensor<172x881x64xf16>
}

// -----

// Kernels of reductions and contractions do not.
// CHECK-LABEL: func.func @product_of_product(
// CHECK: kernel.dispatch gemm
// CHECK: kernel.dispatch gemm
// CHECK-NOT: kernel.dispatch
func.func @product_of_product(%x: tensor<172x881x64xf16>, %y: tensor<172x881x64xf16>, %w: tensor<172x881x64xf16>) -> tensor<172x881x64xf16> {
  %e = flatir.dot %x, %y batch = [0] x [0] contract = [2] x [2] : (tensor<172x881x64xf16>, tensor<172x881x64xf16>) -> tensor<172x881x881xf16>
  %d = flatir.dot %e, %w batch = [0] x [0] contract = [2] x [1] : (tensor<172x881x881xf16>, tensor<172x881x64xf16>) -> tensor<172x881x64xf16>
  return %d : tensor<172x881x64xf16>
}

// -----

// Other elements than those of 16 bits would be read one by one.
// CHECK-LABEL: func.func @tf32(
// CHECK: kernel.dispatch loop
// CHECK: kernel.dispatch gemm
func.func @tf32(%x: tensor<172x881x881xf32>, %w: tensor<172x64x884xf32>) -> tensor<172x881x64xf32> {
  %s = flatir.slice %w [0, 0, 0] strides = [1, 1, 1] sizes() : tensor<172x64x884xf32> -> tensor<172x64x881xf32>
  %d = flatir.dot %x, %s batch = [0] x [0] contract = [2] x [2] allow_tf32 : (tensor<172x881x881xf32>, tensor<172x64x881xf32>) -> tensor<172x881x64xf32>
  return %d : tensor<172x881x64xf32>
}
