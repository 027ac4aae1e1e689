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

// CHECK: remarks.mlir:[[#@LINE+2]]:{{.*}} remark: [Analysis] declined | Category:fusion | Function=operand | Remark="did not fuse 'exp' into 'dot': operands of a contraction are read many times"
func.func @operand(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %e = flatir.exp %x : tensor<4x8xf32>
  %d = flatir.dot %e, %w batch = [] x [] contract = [1] x [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %d : tensor<4x2xf32>
}

// -----

// CHECK: remarks.mlir:[[#@LINE+4]]:{{.*}} remark: [Analysis] declined | Category:fusion | Function=cycle | Remark="did not fuse 'add' into 'dot': it needs other results that depend on this kernel; costs storing and reading 64 bytes"
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

// -----

// What others read as well is stored all the same.
// CHECK: remark: [Passed] fused | Category:fusion | Function=two_results | Remark="fused 'tanh' into 'dot': saves reading 64 bytes"
func.func @two_results(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %d = flatir.dot %x, %x batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = flatir.tanh %d : tensor<4x4xf32>
  return %d, %t : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A reader with another order of elements is no part of the kernel.
// CHECK: remark: [Analysis] declined | Category:fusion | Function=tile | Remark="did not fuse 'gather' into 'dot': it is not element-wise over the kernel's iteration space; costs storing and reading 64 bytes"
func.func @tile(%x: tensor<4x4xf32>, %i: tensor<4xi32>) -> tensor<4x4xf32> {
  %d = flatir.dot %x, %x batch = [] x [] contract = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %g = flatir.gather %d, %i dim = 0 : (tensor<4x4xf32>, tensor<4xi32>) -> tensor<4x4xf32>
  return %g : tensor<4x4xf32>
}

// -----

// A cheap operation of a small operand, with two readers: computed by both.
// CHECK: remark: [Passed] fused | Category:fusion | Function=again | Remark="fused 'neg' into 'sum': computing it 2 times moves 256 bytes, storing it 384"
// CHECK: remark: [Passed] fused | Category:fusion | Function=again | Remark="fused 'neg' into 'max': computing it 2 times moves 256 bytes, storing it 384"
func.func @again(%x: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %n = flatir.neg %x : tensor<4x8xf32>
  %s = flatir.reduce sum %n dims = [0] : tensor<4x8xf32> -> tensor<8xf32>
  %m = flatir.reduce max %n dims = [0] : tensor<4x8xf32> -> tensor<8xf32>
  return %s, %m : tensor<8xf32>, tensor<8xf32>
}

// -----

// One of three large operands: stored once.
// CHECK: remark: [Analysis] declined | Category:fusion | Function=stored | Remark="did not fuse 'select' into 'max': computing it 2 times moves 576 bytes, storing it 544"
// CHECK: remark: [Analysis] declined | Category:fusion | Function=expensive | Remark="did not fuse 'exp' into 'max': computing it 2 times costs more than reading 128 bytes"
func.func @stored(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %z: tensor<4x8xi1>) -> (tensor<8xf32>, tensor<8xf32>) {
  %n = flatir.select %z, %x, %y : tensor<4x8xi1>, tensor<4x8xf32>
  %s = flatir.reduce sum %n dims = [0] : tensor<4x8xf32> -> tensor<8xf32>
  %m = flatir.reduce max %n dims = [0] : tensor<4x8xf32> -> tensor<8xf32>
  return %s, %m : tensor<8xf32>, tensor<8xf32>
}

// -----

func.func @expensive(%x: tensor<4x8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %n = flatir.exp %x : tensor<4x8xf32>
  %s = flatir.reduce sum %n dims = [0] : tensor<4x8xf32> -> tensor<8xf32>
  %m = flatir.reduce max %n dims = [0] : tensor<4x8xf32> -> tensor<8xf32>
  return %s, %m : tensor<8xf32>, tensor<8xf32>
}

// -----

// One value of an expensive function is used for many elements.
// CHECK: remark: [Analysis] declined | Category:fusion | Function=broadcast | Remark="did not fuse 'exp' into 'mul': each of its elements would be computed 1024 times"
func.func @broadcast(%x: tensor<128xf32>, %y: tensor<1024x128xf32>) -> tensor<1024x128xf32> {
  %e = flatir.exp %x : tensor<128xf32>
  %b = flatir.broadcast %e dims = [1] sizes() : tensor<128xf32> -> tensor<1024x128xf32>
  %r = flatir.mul %b, %y : tensor<1024x128xf32>
  return %r : tensor<1024x128xf32>
}

// -----

// A wider copy of the result is made by who reads it.
// CHECK: remark: [Analysis] declined | Category:fusion | Function=widened | Remark="did not fuse 'convert' into 'dot': its readers recompute it from a smaller tensor: stores 16 bytes instead of 32"
func.func @widened(%x: tensor<4x8xf16>, %w: tensor<8x2xf16>) -> tensor<2xf32> {
  %d = flatir.dot %x, %w batch = [] x [] contract = [1] x [0] : (tensor<4x8xf16>, tensor<8x2xf16>) -> tensor<4x2xf16>
  %c = flatir.convert %d : tensor<4x2xf16> -> tensor<4x2xf32>
  %s = flatir.reduce sum %c dims = [0] : tensor<4x2xf32> -> tensor<2xf32>
  return %s : tensor<2xf32>
}

// -----

// CHECK: remark: [Analysis] declined | Category:fusion | Function=scaled | Remark="did not fuse 'mul' into 'dot': the contraction would compute each of its elements 32 times"
func.func @scaled(%x: tensor<4x64xf32>, %w: tensor<2048x64xf32>) -> tensor<4x2048xf32> {
  %m = flatir.mul %x, %x : tensor<4x64xf32>
  %d = flatir.dot %m, %w batch = [] x [] contract = [1] x [1] : (tensor<4x64xf32>, tensor<2048x64xf32>) -> tensor<4x2048xf32>
  return %d : tensor<4x2048xf32>
}
