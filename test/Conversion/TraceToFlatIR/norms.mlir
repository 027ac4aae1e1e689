// RUN: tripy-opt %s --trace-to-flatir | FileCheck %s

// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.composite "softmax"([[ARG0]]) {dim = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32> {
// CHECK-NEXT: ^bb0([[B0:%arg[0-9]+]]: tensor<2x3xf32>):
// CHECK-NEXT: [[N1:%.+]] = flatir.reduce max [[B0]] dims = [0] : tensor<2x3xf32> -> tensor<3xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.broadcast [[N1]] dims = [1] sizes() : tensor<3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.sub [[B0]], [[N2]] : tensor<2x3xf32>
// CHECK-NEXT: [[N4:%.+]] = flatir.exp [[N3]] : tensor<2x3xf32>
// CHECK-NEXT: [[N5:%.+]] = flatir.reduce sum [[N4]] dims = [0] : tensor<2x3xf32> -> tensor<3xf32>
// CHECK-NEXT: [[N6:%.+]] = flatir.broadcast [[N5]] dims = [1] sizes() : tensor<3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: [[N7:%.+]] = flatir.div [[N4]], [[N6]] : tensor<2x3xf32>
// CHECK-NEXT: flatir.yield [[N7]] : tensor<2x3xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return [[N0]] : tensor<2x3xf32>
func.func @softmax(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = trace.softmax %a dim = -2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @softmax_dynamic(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG0]], 0 : tensor<?x3xf16>
// CHECK-NEXT: [[N1:%.+]] = flatir.composite "softmax"([[ARG0]], [[N0]]) {dim = 1 : i64} : (tensor<?x3xf16>, index) -> tensor<?x3xf16> {
// CHECK-NEXT: ^bb0([[B0:%arg[0-9]+]]: tensor<?x3xf16>, [[B1:%arg[0-9]+]]: index):
// CHECK-NEXT: [[N2:%.+]] = flatir.convert [[B0]] : tensor<?x3xf16> -> tensor<?x3xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.reduce max [[N2]] dims = [1] : tensor<?x3xf32> -> tensor<?xf32>
// CHECK-NEXT: [[N4:%.+]] = flatir.broadcast [[N3]] dims = [0] sizes([[B1]]) : tensor<?xf32> -> tensor<?x3xf32>
// CHECK-NEXT: [[N5:%.+]] = flatir.sub [[N2]], [[N4]] : tensor<?x3xf32>
// CHECK-NEXT: [[N6:%.+]] = flatir.exp [[N5]] : tensor<?x3xf32>
// CHECK-NEXT: [[N7:%.+]] = flatir.reduce sum [[N6]] dims = [1] : tensor<?x3xf32> -> tensor<?xf32>
// CHECK-NEXT: [[N8:%.+]] = flatir.broadcast [[N7]] dims = [0] sizes([[B1]]) : tensor<?xf32> -> tensor<?x3xf32>
// CHECK-NEXT: [[N9:%.+]] = flatir.div [[N6]], [[N8]] : tensor<?x3xf32>
// CHECK-NEXT: [[N10:%.+]] = flatir.convert [[N9]] : tensor<?x3xf32> -> tensor<?x3xf16>
// CHECK-NEXT: flatir.yield [[N10]] : tensor<?x3xf16>
// CHECK-NEXT: }
// CHECK-NEXT: return [[N1]] : tensor<?x3xf16>
func.func @softmax_dynamic(%a: tensor<?x3xf16>) -> tensor<?x3xf16> {
  %0 = trace.softmax %a dim = 1 : (tensor<?x3xf16>) -> tensor<?x3xf16>
  return %0 : tensor<?x3xf16>
}

// CHECK-LABEL: func.func @layer_norm(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:{{.*}}[[ARG2:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.composite "layer_norm"([[ARG0]], [[ARG1]], [[ARG2]]) {eps = 1.000000e-05 : f64} : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8xf32> {
// CHECK-NEXT: ^bb0([[B0:%arg[0-9]+]]: tensor<2x8xf32>, [[B1:%arg[0-9]+]]: tensor<8xf32>, [[B2:%arg[0-9]+]]: tensor<8xf32>):
// CHECK-NEXT: [[N1:%.+]] = flatir.reduce sum [[B0]] dims = [1] : tensor<2x8xf32> -> tensor<2xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.constant dense<8.000000e+00> : tensor<2xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.div [[N1]], [[N2]] : tensor<2xf32>
// CHECK-NEXT: [[N4:%.+]] = flatir.broadcast [[N3]] dims = [0] sizes() : tensor<2xf32> -> tensor<2x8xf32>
// CHECK-NEXT: [[N5:%.+]] = flatir.sub [[B0]], [[N4]] : tensor<2x8xf32>
// CHECK-NEXT: [[N6:%.+]] = flatir.mul [[N5]], [[N5]] : tensor<2x8xf32>
// CHECK-NEXT: [[N7:%.+]] = flatir.reduce sum [[N6]] dims = [1] : tensor<2x8xf32> -> tensor<2xf32>
// CHECK-NEXT: [[N8:%.+]] = flatir.constant dense<8.000000e+00> : tensor<2xf32>
// CHECK-NEXT: [[N9:%.+]] = flatir.div [[N7]], [[N8]] : tensor<2xf32>
// CHECK-NEXT: [[N10:%.+]] = flatir.constant dense<9.99999974E-6> : tensor<2xf32>
// CHECK-NEXT: [[N11:%.+]] = flatir.add [[N9]], [[N10]] : tensor<2xf32>
// CHECK-NEXT: [[N12:%.+]] = flatir.rsqrt [[N11]] : tensor<2xf32>
// CHECK-NEXT: [[N13:%.+]] = flatir.broadcast [[N12]] dims = [0] sizes() : tensor<2xf32> -> tensor<2x8xf32>
// CHECK-NEXT: [[N14:%.+]] = flatir.mul [[N5]], [[N13]] : tensor<2x8xf32>
// CHECK-NEXT: [[N15:%.+]] = flatir.broadcast [[B1]] dims = [1] sizes() : tensor<8xf32> -> tensor<2x8xf32>
// CHECK-NEXT: [[N16:%.+]] = flatir.mul [[N14]], [[N15]] : tensor<2x8xf32>
// CHECK-NEXT: [[N17:%.+]] = flatir.broadcast [[B2]] dims = [1] sizes() : tensor<8xf32> -> tensor<2x8xf32>
// CHECK-NEXT: [[N18:%.+]] = flatir.add [[N16]], [[N17]] : tensor<2x8xf32>
// CHECK-NEXT: flatir.yield [[N18]] : tensor<2x8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return [[N0]] : tensor<2x8xf32>
func.func @layer_norm(%x: tensor<2x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2x8xf32> {
  %0 = trace.layer_norm %x, %w, %b eps = 1.0e-5 : (tensor<2x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// Sizes that must agree are checked where only run-time sizes tell.
// CHECK-LABEL: func.func @layer_norm_dynamic(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:{{.*}}[[ARG2:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG0]], 0 : tensor<?x?xf16>
// CHECK-NEXT: [[N1:%.+]] = flatir.dim [[ARG0]], 1 : tensor<?x?xf16>
// CHECK-NEXT: [[N2:%.+]] = flatir.dim [[ARG1]], 0 : tensor<?xf16>
// CHECK-NEXT: [[N3:%.+]] = flatir.dim [[ARG2]], 0 : tensor<?xf16>
// CHECK-NEXT: flatir.require "equal" [[N1]], [[N2]] "the weight of 'layer_norm' has, in dimension 0, the size of the input's dimension 1"
// CHECK-NEXT: flatir.require "equal" [[N1]], [[N3]] "the bias of 'layer_norm' has, in dimension 0, the size of the input's dimension 1"
// CHECK-NEXT: [[N4:%.+]] = flatir.composite "layer_norm"([[ARG0]], [[ARG1]], [[ARG2]], [[N0]], [[N1]], [[N2]], [[N3]]) {eps = 1.000000e-05 : f64} : (tensor<?x?xf16>, tensor<?xf16>, tensor<?xf16>, index, index, index, index) -> tensor<?x?xf16> {
// CHECK-NEXT: ^bb0([[B0:%arg[0-9]+]]: tensor<?x?xf16>, [[B1:%arg[0-9]+]]: tensor<?xf16>, [[B2:%arg[0-9]+]]: tensor<?xf16>, [[B3:%arg[0-9]+]]: index, [[B4:%arg[0-9]+]]: index, [[B5:%arg[0-9]+]]: index, [[B6:%arg[0-9]+]]: index):
// CHECK-NEXT: [[N5:%.+]] = flatir.convert [[B0]] : tensor<?x?xf16> -> tensor<?x?xf32>
// CHECK-NEXT: [[N6:%.+]] = flatir.reduce sum [[N5]] dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
// CHECK-NEXT: [[N7:%.+]] = flatir.from_index [[B4]] : tensor<f32>
// CHECK-NEXT: [[N8:%.+]] = flatir.broadcast [[N7]] dims = [] sizes([[B3]]) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT: [[N9:%.+]] = flatir.div [[N6]], [[N8]] : tensor<?xf32>
// CHECK-NEXT: [[N10:%.+]] = flatir.broadcast [[N9]] dims = [0] sizes([[B3]], [[B4]]) : tensor<?xf32> -> tensor<?x?xf32>
// CHECK-NEXT: [[N11:%.+]] = flatir.sub [[N5]], [[N10]] : tensor<?x?xf32>
// CHECK-NEXT: [[N12:%.+]] = flatir.mul [[N11]], [[N11]] : tensor<?x?xf32>
// CHECK-NEXT: [[N13:%.+]] = flatir.reduce sum [[N12]] dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
// CHECK-NEXT: [[N14:%.+]] = flatir.from_index [[B4]] : tensor<f32>
// CHECK-NEXT: [[N15:%.+]] = flatir.broadcast [[N14]] dims = [] sizes([[B3]]) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT: [[N16:%.+]] = flatir.div [[N13]], [[N15]] : tensor<?xf32>
// CHECK-NEXT: [[N17:%.+]] = flatir.constant dense<9.99999974E-6> : tensor<f32>
// CHECK-NEXT: [[N18:%.+]] = flatir.broadcast [[N17]] dims = [] sizes([[B3]]) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT: [[N19:%.+]] = flatir.add [[N16]], [[N18]] : tensor<?xf32>
// CHECK-NEXT: [[N20:%.+]] = flatir.rsqrt [[N19]] : tensor<?xf32>
// CHECK-NEXT: [[N21:%.+]] = flatir.broadcast [[N20]] dims = [0] sizes([[B3]], [[B4]]) : tensor<?xf32> -> tensor<?x?xf32>
// CHECK-NEXT: [[N22:%.+]] = flatir.mul [[N11]], [[N21]] : tensor<?x?xf32>
// CHECK-NEXT: [[N23:%.+]] = flatir.convert [[B1]] : tensor<?xf16> -> tensor<?xf32>
// CHECK-NEXT: [[N24:%.+]] = flatir.broadcast [[N23]] dims = [1] sizes([[B3]], [[B4]]) : tensor<?xf32> -> tensor<?x?xf32>
// CHECK-NEXT: [[N25:%.+]] = flatir.mul [[N22]], [[N24]] : tensor<?x?xf32>
// CHECK-NEXT: [[N26:%.+]] = flatir.convert [[B2]] : tensor<?xf16> -> tensor<?xf32>
// CHECK-NEXT: [[N27:%.+]] = flatir.broadcast [[N26]] dims = [1] sizes([[B3]], [[B4]]) : tensor<?xf32> -> tensor<?x?xf32>
// CHECK-NEXT: [[N28:%.+]] = flatir.add [[N25]], [[N27]] : tensor<?x?xf32>
// CHECK-NEXT: [[N29:%.+]] = flatir.convert [[N28]] : tensor<?x?xf32> -> tensor<?x?xf16>
// CHECK-NEXT: flatir.yield [[N29]] : tensor<?x?xf16>
// CHECK-NEXT: }
// CHECK-NEXT: return [[N4]] : tensor<?x?xf16>
func.func @layer_norm_dynamic(%x: tensor<?x?xf16>, %w: tensor<?xf16>, %b: tensor<?xf16>) -> tensor<?x?xf16> {
  %0 = trace.layer_norm %x, %w, %b eps = 1.0e-5 : (tensor<?x?xf16>, tensor<?xf16>, tensor<?xf16>) -> tensor<?x?xf16>
  return %0 : tensor<?x?xf16>
}

// CHECK-LABEL: func.func @rms_norm(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.composite "rms_norm"([[ARG0]], [[ARG1]]) {eps = 5.000000e-01 : f64} : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32> {
// CHECK-NEXT: ^bb0([[B0:%arg[0-9]+]]: tensor<2x3x4xf32>, [[B1:%arg[0-9]+]]: tensor<3x4xf32>):
// CHECK-NEXT: [[N1:%.+]] = flatir.mul [[B0]], [[B0]] : tensor<2x3x4xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.reduce sum [[N1]] dims = [1, 2] : tensor<2x3x4xf32> -> tensor<2xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.constant dense<1.200000e+01> : tensor<2xf32>
// CHECK-NEXT: [[N4:%.+]] = flatir.div [[N2]], [[N3]] : tensor<2xf32>
// CHECK-NEXT: [[N5:%.+]] = flatir.constant dense<5.000000e-01> : tensor<2xf32>
// CHECK-NEXT: [[N6:%.+]] = flatir.add [[N4]], [[N5]] : tensor<2xf32>
// CHECK-NEXT: [[N7:%.+]] = flatir.rsqrt [[N6]] : tensor<2xf32>
// CHECK-NEXT: [[N8:%.+]] = flatir.broadcast [[N7]] dims = [0] sizes() : tensor<2xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: [[N9:%.+]] = flatir.mul [[B0]], [[N8]] : tensor<2x3x4xf32>
// CHECK-NEXT: [[N10:%.+]] = flatir.broadcast [[B1]] dims = [1, 2] sizes() : tensor<3x4xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: [[N11:%.+]] = flatir.mul [[N9]], [[N10]] : tensor<2x3x4xf32>
// CHECK-NEXT: flatir.yield [[N11]] : tensor<2x3x4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return [[N0]] : tensor<2x3x4xf32>
func.func @rms_norm(%x: tensor<2x3x4xf32>, %w: tensor<3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = trace.rms_norm %x, %w eps = 0.5 : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}
