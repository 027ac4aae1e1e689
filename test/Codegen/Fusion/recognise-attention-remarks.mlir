// What became attention is a remark, and so is what nearly did, with the reason.
//
// RUN: tripy-opt %s --split-input-file -o /dev/null --trace-to-flatir --tripy-simplify --tripy-cse --flatir-form-dispatches=tensor-cores=1 --remark-format=emitRemark --remarks-filter=fusion 2>&1 | FileCheck %s --implicit-check-not="softmax into 'attention'"
// RUN: tripy-opt %s --split-input-file --trace-to-flatir --tripy-simplify --tripy-cse --flatir-form-dispatches=tensor-cores=1 | FileCheck %s --check-prefix=IR
// RUN: not tripy-opt %s --split-input-file --flatir-form-dispatches=attention=sometimes 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: attention is never, estimated or always; found 'sometimes'
// RUN: not tripy-opt %s --split-input-file --flatir-form-dispatches=chip=sm_91 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: a GPU architecture must be one of sm_75, {{.*}} but is 'sm_91'

// CHECK: remark: [Passed] fused {{.*}}fused two products and a softmax into 'attention': scores of 8192 bytes are not stored
// IR-LABEL: func.func @made(
// IR: kernel.attention
func.func @made(%q: tensor<4x32x64xf16>, %k: tensor<4x64x32xf16>, %v: tensor<4x32x64xf16>) -> tensor<4x32x64xf16> {
  %s = trace.matmul %q, %k : (tensor<4x32x64xf16>, tensor<4x64x32xf16>) -> tensor<4x32x32xf16>
  %p = trace.softmax %s dim = -1 : (tensor<4x32x32xf16>) -> tensor<4x32x32xf16>
  %r = trace.matmul %p, %v : (tensor<4x32x32xf16>, tensor<4x32x64xf16>) -> tensor<4x32x64xf16>
  return %r : tensor<4x32x64xf16>
}

// -----

// CHECK: remark: [Analysis] declined {{.*}}did not fuse two products and a softmax into 'attention': the probabilities have another use
// IR-LABEL: func.func @probabilities(
// IR-NOT: kernel.attention
func.func @probabilities(%q: tensor<4x32x64xf16>, %k: tensor<4x64x32xf16>, %v: tensor<4x32x64xf16>) -> (tensor<4x32x64xf16>, tensor<4x32x32xf16>) {
  %s = trace.matmul %q, %k : (tensor<4x32x64xf16>, tensor<4x64x32xf16>) -> tensor<4x32x32xf16>
  %p = trace.softmax %s dim = -1 : (tensor<4x32x32xf16>) -> tensor<4x32x32xf16>
  %r = trace.matmul %p, %v : (tensor<4x32x32xf16>, tensor<4x32x64xf16>) -> tensor<4x32x64xf16>
  return %r, %p : tensor<4x32x64xf16>, tensor<4x32x32xf16>
}

// -----

// CHECK: remark: [Analysis] declined {{.*}}: the scores have another use
// IR-LABEL: func.func @scores(
// IR-NOT: kernel.attention
func.func @scores(%q: tensor<4x32x64xf16>, %k: tensor<4x64x32xf16>, %v: tensor<4x32x64xf16>) -> (tensor<4x32x64xf16>, tensor<4x32x32xf16>) {
  %s = trace.matmul %q, %k : (tensor<4x32x64xf16>, tensor<4x64x32xf16>) -> tensor<4x32x32xf16>
  %p = trace.softmax %s dim = -1 : (tensor<4x32x32xf16>) -> tensor<4x32x32xf16>
  %r = trace.matmul %p, %v : (tensor<4x32x32xf16>, tensor<4x32x64xf16>) -> tensor<4x32x64xf16>
  return %r, %s : tensor<4x32x64xf16>, tensor<4x32x32xf16>
}

// -----

// CHECK: remark: [Analysis] declined {{.*}}: heads of 320 numbers are not supported, at most 256 are
// IR-LABEL: func.func @large(
// IR-NOT: kernel.attention
func.func @large(%q: tensor<4x32x320xf16>, %k: tensor<4x320x32xf16>, %v: tensor<4x32x64xf16>) -> tensor<4x32x64xf16> {
  %s = trace.matmul %q, %k : (tensor<4x32x320xf16>, tensor<4x320x32xf16>) -> tensor<4x32x32xf16>
  %p = trace.softmax %s dim = -1 : (tensor<4x32x32xf16>) -> tensor<4x32x32xf16>
  %r = trace.matmul %p, %v : (tensor<4x32x32xf16>, tensor<4x32x64xf16>) -> tensor<4x32x64xf16>
  return %r : tensor<4x32x64xf16>
}

// -----

// CHECK: remark: [Analysis] declined {{.*}}: attention of f32 runs on CUDA cores, where separate products are faster
// IR-LABEL: func.func @wide(
// IR-NOT: kernel.attention
func.func @wide(%q: tensor<4x32x64xf32>, %k: tensor<4x64x32xf32>, %v: tensor<4x32x64xf32>) -> tensor<4x32x64xf32> {
  %s = trace.matmul %q, %k : (tensor<4x32x64xf32>, tensor<4x64x32xf32>) -> tensor<4x32x32xf32>
  %p = trace.softmax %s dim = -1 : (tensor<4x32x32xf32>) -> tensor<4x32x32xf32>
  %r = trace.matmul %p, %v : (tensor<4x32x32xf32>, tensor<4x32x64xf32>) -> tensor<4x32x64xf32>
  return %r : tensor<4x32x64xf32>
}

// -----

// CHECK: remark: [Analysis] declined {{.*}}: the scale is no constant
// IR-LABEL: func.func @scale(
// IR-NOT: kernel.attention
func.func @scale(%q: tensor<4x32x64xf16>, %k: tensor<4x64x32xf16>, %v: tensor<4x32x64xf16>, %c: tensor<f16>) -> tensor<4x32x64xf16> {
  %s = trace.matmul %q, %k : (tensor<4x32x64xf16>, tensor<4x64x32xf16>) -> tensor<4x32x32xf16>
  %t = trace.mul %s, %c : (tensor<4x32x32xf16>, tensor<f16>) -> tensor<4x32x32xf16>
  %p = trace.softmax %t dim = -1 : (tensor<4x32x32xf16>) -> tensor<4x32x32xf16>
  %r = trace.matmul %p, %v : (tensor<4x32x32xf16>, tensor<4x32x64xf16>) -> tensor<4x32x64xf16>
  return %r : tensor<4x32x64xf16>
}

// -----

// Finite numbers that hide, and a bias, would be one operand of the kernel.
// CHECK: remark: [Analysis] declined {{.*}}: a bias is added to scores that a finite number hides
// IR-LABEL: func.func @finite(
// IR-NOT: kernel.attention
func.func @finite(%q: tensor<4x32x64xf16>, %k: tensor<4x64x32xf16>, %v: tensor<4x32x64xf16>, %b: tensor<4x32x32xf16>, %m: tensor<32x32xi1>) -> tensor<4x32x64xf16> {
  %s = trace.matmul %q, %k : (tensor<4x32x64xf16>, tensor<4x64x32xf16>) -> tensor<4x32x32xf16>
  %t = trace.add %s, %b : (tensor<4x32x32xf16>, tensor<4x32x32xf16>) -> tensor<4x32x32xf16>
  %low = trace.constant dense<-1.0e4> : tensor<f16>
  %u = trace.where %m, %t, %low : (tensor<32x32xi1>, tensor<4x32x32xf16>, tensor<f16>) -> tensor<4x32x32xf16>
  %p = trace.softmax %u dim = -1 : (tensor<4x32x32xf16>) -> tensor<4x32x32xf16>
  %r = trace.matmul %p, %v : (tensor<4x32x32xf16>, tensor<4x32x64xf16>) -> tensor<4x32x64xf16>
  return %r : tensor<4x32x64xf16>
}

// -----

// CHECK: remark: [Analysis] declined {{.*}}: 'abs' of the scores is no scale, mask or bias
// IR-LABEL: func.func @others(
// IR-NOT: kernel.attention
func.func @others(%q: tensor<4x32x64xf16>, %k: tensor<4x64x32xf16>, %v: tensor<4x32x64xf16>) -> tensor<4x32x64xf16> {
  %s = trace.matmul %q, %k : (tensor<4x32x64xf16>, tensor<4x64x32xf16>) -> tensor<4x32x32xf16>
  %t = trace.abs %s : (tensor<4x32x32xf16>) -> tensor<4x32x32xf16>
  %p = trace.softmax %t dim = -1 : (tensor<4x32x32xf16>) -> tensor<4x32x32xf16>
  %r = trace.matmul %p, %v : (tensor<4x32x32xf16>, tensor<4x32x64xf16>) -> tensor<4x32x64xf16>
  return %r : tensor<4x32x64xf16>
}

// -----

// A bias is added to capped scores, not below the cap.
// CHECK: remark: [Analysis] declined {{.*}}: a bias is added to scores before their cap
// IR-LABEL: func.func @bias_capped(
// IR-NOT: kernel.attention
func.func @bias_capped(%q: tensor<4x32x64xf16>, %k: tensor<4x64x32xf16>, %v: tensor<4x32x64xf16>, %b: tensor<4x32x32xf16>) -> tensor<4x32x64xf16> {
  %s = trace.matmul %q, %k : (tensor<4x32x64xf16>, tensor<4x64x32xf16>) -> tensor<4x32x32xf16>
  %a = trace.add %s, %b : (tensor<4x32x32xf16>, tensor<4x32x32xf16>) -> tensor<4x32x32xf16>
  %t = trace.tanh %a : (tensor<4x32x32xf16>) -> tensor<4x32x32xf16>
  %p = trace.softmax %t dim = -1 : (tensor<4x32x32xf16>) -> tensor<4x32x32xf16>
  %r = trace.matmul %p, %v : (tensor<4x32x32xf16>, tensor<4x32x64xf16>) -> tensor<4x32x64xf16>
  return %r : tensor<4x32x64xf16>
}
