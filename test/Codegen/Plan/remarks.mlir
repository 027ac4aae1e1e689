// RUN: tripy-opt %s --flatir-form-dispatches --split-input-file --remark-format=emitRemark --remarks-filter="fusion" -o /dev/null 2>&1 | FileCheck %s

// CHECK: remarks.mlir:[[#@LINE+6]]:{{.*}} remark: [Passed] fused | Category:fusion | Function=main | Remark="fused 'broadcast' of 'center' into 'center': saves 2 x 16 bytes"
// CHECK: remarks.mlir:[[#@LINE+9]]:{{.*}} remark: [Passed] fused | Category:fusion | Function=main | Remark="fused 'exp' into 'center': saves 2 x 128 bytes"
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c = flatir.composite "center" (%x) {} : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %m = flatir.reduce max %a dims = [1] : tensor<4x8xf32> -> tensor<4xf32>
    %b = flatir.broadcast %m dims = [0] sizes() : tensor<4xf32> -> tensor<4x8xf32>
    %s = flatir.sub %a, %b : tensor<4x8xf32>
    flatir.yield %s : tensor<4x8xf32>
  }
  %e = flatir.exp %c : tensor<4x8xf32>
  return %e : tensor<4x8xf32>
}

// -----

// CHECK: remarks.mlir:[[#@LINE+2]]:{{.*}} remark: [Missed] declined | Category:fusion | Function=operand | Remark="did not fuse 'exp' into 'dot': operands of a contraction are read many times"
func.func @operand(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %e = flatir.exp %x : tensor<4x8xf32>
  %d = flatir.dot %e, %w batch = [] x [] contract = [1] x [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %d : tensor<4x2xf32>
}

// -----

// CHECK: remarks.mlir:[[#@LINE+4]]:{{.*}} remark: [Missed] declined | Category:fusion | Function=cycle | Remark="did not fuse 'add' into 'dot': it needs other results that depend on this kernel"
func.func @cycle(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %d = flatir.dot %x, %x batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = flatir.transpose %d [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %r = flatir.add %d, %t : tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

// The estimate is for the profile's opt.
// CHECK: remarks.mlir:[[#@LINE+3]]:{{.*}} remark: [Passed] fused | Category:fusion | Function=profile | Remark="fused 'exp' into 'neg': saves 2 x 4000 bytes"
func.func @profile(%x: tensor<?xf32> {tripy.profile = #tripy.profile<min = [1], opt = [1000], max = [4000]>}) -> tensor<?xf32> {
  %n = flatir.dim %x, 0 : tensor<?xf32>
  %e = flatir.exp %x : tensor<?xf32>
  %r = flatir.neg %e : tensor<?xf32>
  return %r : tensor<?xf32>
}
