// RUN: tripy-opt %s --trace-to-flatir | FileCheck %s

// Activations are composites whose region is their meaning.
// CHECK-LABEL: func.func @sigmoid(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.composite "sigmoid"([[ARG0]]) {} : (tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0([[B0:%arg[0-9]+]]: tensor<4xf32>):
// CHECK-NEXT: [[N1:%.+]] = flatir.neg [[B0]] : tensor<4xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.exp [[N1]] : tensor<4xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: [[N4:%.+]] = flatir.add [[N3]], [[N2]] : tensor<4xf32>
// CHECK-NEXT: [[N5:%.+]] = flatir.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: [[N6:%.+]] = flatir.div [[N5]], [[N4]] : tensor<4xf32>
// CHECK-NEXT: flatir.yield [[N6]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return [[N0]] : tensor<4xf32>
func.func @sigmoid(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = trace.sigmoid %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @silu(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.composite "silu"([[ARG0]]) {} : (tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0([[B0:%arg[0-9]+]]: tensor<4xf32>):
// CHECK-NEXT: [[N1:%.+]] = flatir.neg [[B0]] : tensor<4xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.exp [[N1]] : tensor<4xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: [[N4:%.+]] = flatir.add [[N3]], [[N2]] : tensor<4xf32>
// CHECK-NEXT: [[N5:%.+]] = flatir.div [[B0]], [[N4]] : tensor<4xf32>
// CHECK-NEXT: flatir.yield [[N5]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return [[N0]] : tensor<4xf32>
func.func @silu(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = trace.silu %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @gelu(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.composite "gelu"([[ARG0]]) {approximate = "tanh"} : (tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0([[B0:%arg[0-9]+]]: tensor<4xf32>):
// CHECK-NEXT: [[N1:%.+]] = flatir.mul [[B0]], [[B0]] : tensor<4xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.mul [[N1]], [[B0]] : tensor<4xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.constant dense<4.471500e-02> : tensor<4xf32>
// CHECK-NEXT: [[N4:%.+]] = flatir.mul [[N2]], [[N3]] : tensor<4xf32>
// CHECK-NEXT: [[N5:%.+]] = flatir.add [[B0]], [[N4]] : tensor<4xf32>
// CHECK-NEXT: [[N6:%.+]] = flatir.constant dense<0.797884583> : tensor<4xf32>
// CHECK-NEXT: [[N7:%.+]] = flatir.mul [[N5]], [[N6]] : tensor<4xf32>
// CHECK-NEXT: [[N8:%.+]] = flatir.tanh [[N7]] : tensor<4xf32>
// CHECK-NEXT: [[N9:%.+]] = flatir.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: [[N10:%.+]] = flatir.add [[N9]], [[N8]] : tensor<4xf32>
// CHECK-NEXT: [[N11:%.+]] = flatir.constant dense<5.000000e-01> : tensor<4xf32>
// CHECK-NEXT: [[N12:%.+]] = flatir.mul [[N11]], [[B0]] : tensor<4xf32>
// CHECK-NEXT: [[N13:%.+]] = flatir.mul [[N12]], [[N10]] : tensor<4xf32>
// CHECK-NEXT: flatir.yield [[N13]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return [[N0]] : tensor<4xf32>
func.func @gelu(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = trace.gelu %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// 16-bit floats are computed in f32 and rounded once.
// CHECK-LABEL: func.func @gelu_erf(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.composite "gelu"([[ARG0]]) {approximate = "erf"} : (tensor<4xf16>) -> tensor<4xf16> {
// CHECK-NEXT: ^bb0([[B0:%arg[0-9]+]]: tensor<4xf16>):
// CHECK-NEXT: [[N1:%.+]] = flatir.convert [[B0]] : tensor<4xf16> -> tensor<4xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.constant dense<0.707106769> : tensor<4xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.mul [[N1]], [[N2]] : tensor<4xf32>
// CHECK-NEXT: [[N4:%.+]] = flatir.erf [[N3]] : tensor<4xf32>
// CHECK-NEXT: [[N5:%.+]] = flatir.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: [[N6:%.+]] = flatir.add [[N5]], [[N4]] : tensor<4xf32>
// CHECK-NEXT: [[N7:%.+]] = flatir.constant dense<5.000000e-01> : tensor<4xf32>
// CHECK-NEXT: [[N8:%.+]] = flatir.mul [[N7]], [[N1]] : tensor<4xf32>
// CHECK-NEXT: [[N9:%.+]] = flatir.mul [[N8]], [[N6]] : tensor<4xf32>
// CHECK-NEXT: [[N10:%.+]] = flatir.convert [[N9]] : tensor<4xf32> -> tensor<4xf16>
// CHECK-NEXT: flatir.yield [[N10]] : tensor<4xf16>
// CHECK-NEXT: }
// CHECK-NEXT: return [[N0]] : tensor<4xf16>
func.func @gelu_erf(%a: tensor<4xf16>) -> tensor<4xf16> {
  %0 = trace.gelu %a {approximate = "erf"} : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// Sizes enter the region as operands.
// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG0]], 0 : tensor<?x?xbf16>
// CHECK-NEXT: [[N1:%.+]] = flatir.dim [[ARG0]], 1 : tensor<?x?xbf16>
// CHECK-NEXT: [[N2:%.+]] = flatir.composite "silu"([[ARG0]], [[N0]], [[N1]]) {} : (tensor<?x?xbf16>, index, index) -> tensor<?x?xbf16> {
// CHECK-NEXT: ^bb0([[B0:%arg[0-9]+]]: tensor<?x?xbf16>, [[B1:%arg[0-9]+]]: index, [[B2:%arg[0-9]+]]: index):
// CHECK-NEXT: [[N3:%.+]] = flatir.convert [[B0]] : tensor<?x?xbf16> -> tensor<?x?xf32>
// CHECK-NEXT: [[N4:%.+]] = flatir.neg [[N3]] : tensor<?x?xf32>
// CHECK-NEXT: [[N5:%.+]] = flatir.exp [[N4]] : tensor<?x?xf32>
// CHECK-NEXT: [[N6:%.+]] = flatir.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: [[N7:%.+]] = flatir.broadcast [[N6]] dims = [] sizes([[B1]], [[B2]]) : tensor<f32> -> tensor<?x?xf32>
// CHECK-NEXT: [[N8:%.+]] = flatir.add [[N7]], [[N5]] : tensor<?x?xf32>
// CHECK-NEXT: [[N9:%.+]] = flatir.div [[N3]], [[N8]] : tensor<?x?xf32>
// CHECK-NEXT: [[N10:%.+]] = flatir.convert [[N9]] : tensor<?x?xf32> -> tensor<?x?xbf16>
// CHECK-NEXT: flatir.yield [[N10]] : tensor<?x?xbf16>
// CHECK-NEXT: }
// CHECK-NEXT: return [[N2]] : tensor<?x?xbf16>
func.func @dynamic(%a: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = trace.silu %a : (tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
