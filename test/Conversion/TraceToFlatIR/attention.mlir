// RUN: tripy-opt %s --split-input-file --trace-to-flatir | FileCheck %s
// RUN: tripy-opt %s --split-input-file --trace-to-flatir --flatir-inline-composites --flatir-to-linalg | FileCheck %s --check-prefix=INLINED

// Products in f32, probabilities in the operands' type. A row without a key would be 0 / 0.
// CHECK-LABEL: func.func @plain(
// CHECK: flatir.composite "attention"(%arg0, %arg1, %arg2) {scale = 5.000000e-01 : f64}
// CHECK: [[S:%.+]] = flatir.dot [[Q:%.+]], [[K:%.+]] batch = [0, 1] x [0, 1] contract = [3] x [3] : (tensor<2x3x5x4xf16>, tensor<2x3x7x4xf16>) -> tensor<2x3x5x7xf32>
// CHECK: [[SCALE:%.+]] = flatir.constant dense<5.000000e-01> : tensor<2x3x5x7xf32>
// CHECK: [[SCALED:%.+]] = flatir.mul [[S]], [[SCALE]]
// CHECK: [[MAX:%.+]] = flatir.reduce max [[SCALED]] dims = [3]
// CHECK: [[NONE:%.+]] = flatir.constant dense<0xFF800000> : tensor<2x3x5xf32>
// CHECK: [[IS_NONE:%.+]] = flatir.compare eq [[MAX]], [[NONE]]
// CHECK: [[ZERO:%.+]] = flatir.constant dense<0.000000e+00> : tensor<2x3x5xf32>
// CHECK: [[SAFE:%.+]] = flatir.select [[IS_NONE]], [[ZERO]], [[MAX]]
// CHECK: [[EACH:%.+]] = flatir.broadcast [[SAFE]] dims = [0, 1, 2]
// CHECK: [[FAR:%.+]] = flatir.sub [[SCALED]], [[EACH]]
// CHECK: [[EXP:%.+]] = flatir.exp [[FAR]]
// CHECK: [[SUM:%.+]] = flatir.reduce sum [[EXP]] dims = [3]
// CHECK: flatir.compare eq [[SUM]]
// CHECK: [[DIV:%.+]] = flatir.div [[EXP]]
// CHECK: [[P:%.+]] = flatir.convert [[DIV]] : tensor<2x3x5x7xf32> -> tensor<2x3x5x7xf16>
// CHECK: flatir.dot [[P]], [[V:%.+]] batch = [0, 1] x [0, 1] contract = [3] x [2] : (tensor<2x3x5x7xf16>, tensor<2x3x7x6xf16>) -> tensor<2x3x5x6xf16>
// INLINED-LABEL: func.func @plain(
// INLINED-NOT: flatir.
func.func @plain(%q: tensor<2x3x5x4xf16>, %k: tensor<2x3x7x4xf16>, %v: tensor<2x3x7x6xf16>) -> tensor<2x3x5x6xf16> {
  %0 = trace.attention %q, %k, %v : (tensor<2x3x5x4xf16>, tensor<2x3x7x4xf16>, tensor<2x3x7x6xf16>) -> tensor<2x3x5x6xf16>
  return %0 : tensor<2x3x5x6xf16>
}

// -----

// Heads that share a key are rows of one product. The mask is broadcast in front of the composite, the
// scores of its shape are taken apart as the rows are; values behind the lengths are 0.
// CHECK-LABEL: func.func @grouped(
// CHECK: [[MASK:%.+]] = flatir.broadcast %arg3 dims = [1, 2] sizes() : tensor<5x7xi1> -> tensor<4x5x7xi1>
// CHECK: flatir.composite "attention"(%arg0, %arg1, %arg2, [[MASK]], %arg4) {causal = "bottom_right", scale = 1.000000e+00 : f64}
// CHECK: flatir.reshape %{{.*}} sizes() : tensor<4x5x8xf32> -> tensor<2x10x8xf32>
// CHECK: flatir.dot {{.*}} -> tensor<2x10x7xf32>
// CHECK: flatir.minimum
// CHECK: flatir.compare lt {{.*}} : tensor<4x5x7xi64> -> tensor<4x5x7xi1>
// CHECK: flatir.compare le {{.*}} : tensor<4x5x7xi64> -> tensor<4x5x7xi1>
// CHECK: flatir.reshape %{{.*}} sizes() : tensor<4x5x7xi1> -> tensor<2x10x7xi1>
// CHECK: flatir.compare lt {{.*}} : tensor<2x7x6xi64> -> tensor<2x7x6xi1>
// CHECK: flatir.select {{.*}} : tensor<2x7x6xi1>, tensor<2x7x6xf32>
// CHECK: flatir.reshape %{{.*}} sizes() : tensor<2x10x6xf32> -> tensor<4x5x6xf32>
// INLINED-LABEL: func.func @grouped(
// INLINED-NOT: flatir.
func.func @grouped(%q: tensor<4x5x8xf32>, %k: tensor<2x7x8xf32>, %v: tensor<2x7x6xf32>, %m: tensor<5x7xi1>, %l: tensor<i32>) -> tensor<4x5x6xf32> {
  %0 = trace.attention %q, %k, %v mask = %m lengths = %l causal = "bottom_right" scale = 1.0 : (tensor<4x5x8xf32>, tensor<2x7x8xf32>, tensor<2x7x6xf32>, tensor<5x7xi1>, tensor<i32>) -> tensor<4x5x6xf32>
  return %0 : tensor<4x5x6xf32>
}

// -----

// What only the run knows is checked before it: sizes that agree, and a mask that is not larger.
// CHECK-LABEL: func.func @dynamic(
// CHECK: flatir.require "equal" {{.*}} "query, key and value of 'attention' agree in batch dimension 0"
// CHECK: flatir.require "equal" {{.*}} "query, key and value of 'attention' agree in their heads"
// CHECK: flatir.require "equal" {{.*}} "query, key and value of 'attention' agree in the number of keys"
// CHECK: flatir.require "equal" {{.*}} "dimension 0 of the mask of 'attention' has size 1 or that of the scores"
// CHECK: flatir.composite "attention"
// CHECK-SAME: -> tensor<3x?x?x6xbf16>
// INLINED-LABEL: func.func @dynamic(
// INLINED-NOT: flatir.
func.func @dynamic(%q: tensor<?x?x?x8xbf16>, %k: tensor<3x?x?x8xbf16>, %v: tensor<?x?x?x6xbf16>, %m: tensor<?x1xbf16>) -> tensor<3x?x?x6xbf16> {
  %0 = trace.attention %q, %k, %v mask = %m : (tensor<?x?x?x8xbf16>, tensor<3x?x?x8xbf16>, tensor<?x?x?x6xbf16>, tensor<?x1xbf16>) -> tensor<3x?x?x6xbf16>
  return %0 : tensor<3x?x?x6xbf16>
}
