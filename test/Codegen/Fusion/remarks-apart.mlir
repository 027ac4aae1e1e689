// Every two kernels of which one reads the other say why they are two, and what
// that costs.
// RUN: tripy-opt %s --flatir-form-dispatches --split-input-file --remark-format=emitRemark --remarks-filter="fusion" -o /dev/null 2>&1 | grep Missed | FileCheck %s --implicit-check-not=Function=one

// An operand of a contraction.
// CHECK: remarks-apart.mlir:[[#@LINE+4]]:8: remark: [Missed] unfused | Category:fusion | Function=operand | BytesRead=128, BytesStored=128, Launches=1
// CHECK-SAME: 'dot' is not fused with 'exp' ({{.*}}remarks-apart.mlir:[[#@LINE+2]]:8): operands of a contraction are read many times; costs storing and reading 128 bytes and a launch"
func.func @operand(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %e = flatir.exp %x : tensor<4x8xf32>
  %d = flatir.dot %e, %w batch = [] x [] contract = [1] x [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %d : tensor<4x2xf32>
}

// -----

// What is returned is stored all the same: apart costs reading it.
// CHECK: remarks-apart.mlir:[[#@LINE+3]]:8: {{.*}} Function=returned | BytesRead=64, BytesStored=0, Launches=1, Remark="'sum' is not fused with 'dot' ({{.*}}:[[#@LINE+2]]:8): each has a fusion root of its own (a contraction, reduction or scan); costs reading 64 bytes and a launch"
func.func @returned(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>) {
  %d = flatir.dot %x, %x batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = flatir.reduce sum %d dims = [1] : tensor<4x4xf32> -> tensor<4xf32>
  return %d, %s : tensor<4x4xf32>, tensor<4xf32>
}

// -----

// Another order of elements.
// CHECK: Function=order {{.*}}'gather' is not fused with 'dot' ({{.*}}): it is not element-wise over the kernel's iteration space; costs storing and reading 64 bytes and a launch"
func.func @order(%x: tensor<4x4xf32>, %i: tensor<4xi32>) -> tensor<4x4xf32> {
  %d = flatir.dot %x, %x batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %g = flatir.gather %d, %i dim = 0 : (tensor<4x4xf32>, tensor<4xi32>) -> tensor<4x4xf32>
  return %g : tensor<4x4xf32>
}

// -----

// Several readers: each pair has its line. The tensor is stored in any case.
// CHECK: Function=readers | BytesRead=128, BytesStored=0, Launches=1, Remark="'sum' is not fused with 'exp' ({{.*}}): computing it 2 times costs more than reading 128 bytes; costs reading 128 bytes and a launch"
// CHECK: Function=readers | BytesRead=128, BytesStored=0, Launches=1, Remark="'max' is not fused with 'exp' ({{.*}}): computing it 2 times costs more than reading 128 bytes; costs reading 128 bytes and a launch"
// CHECK-NOT: Function=readers
func.func @readers(%x: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %n = flatir.exp %x : tensor<4x8xf32>
  %s = flatir.reduce sum %n dims = [0] : tensor<4x8xf32> -> tensor<8xf32>
  %m = flatir.reduce max %n dims = [0] : tensor<4x8xf32> -> tensor<8xf32>
  return %s, %m : tensor<8xf32>, tensor<8xf32>
}

// -----

// The sizes are the profile's opt; a reason's user line, not an unknown file.
// CHECK: model.py:7:3: remark: [Missed] unfused {{.*}} Function=profile | BytesRead=4000, BytesStored=4000, Launches=1
func.func @profile(%x: tensor<?x4xf32> {tripy.profile = #tripy.profile<min = [1, 4], opt = [250, 4], max = [4000, 4]>}, %w: tensor<4x2xf32>) -> tensor<?x2xf32> {
  %e = flatir.exp %x : tensor<?x4xf32>
  %d = flatir.dot %e, %w batch = [] x [] contract = [1] x [0] : (tensor<?x4xf32>, tensor<4x2xf32>) -> tensor<?x2xf32> loc(fused<#tripy.why<rule = "r", reason = "test">>[callsite("f()"("model.py":7:3) at "model.py":9:1)])
  return %d : tensor<?x2xf32>
}

// -----

func.func @one(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = flatir.exp %x : tensor<4xf32>
  %n = flatir.neg %e : tensor<4xf32>
  return %n : tensor<4xf32>
}
