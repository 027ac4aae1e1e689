// RUN: tripy-opt %s --trace-to-flatir | FileCheck %s

// CHECK-LABEL: func.func @classify(
// CHECK: [[N0:%.+]] = flatir.compare  ne %arg0, %arg0 : tensor<4xf16> -> tensor<4xi1>
// CHECK-NEXT: [[N1:%.+]] = flatir.abs %arg0 : tensor<4xf16>
// CHECK-NEXT: [[N2:%.+]] = flatir.constant dense<0x7C00> : tensor<4xf16>
// CHECK-NEXT: [[N3:%.+]] = flatir.compare  eq [[N1]], [[N2]] : tensor<4xf16> -> tensor<4xi1>
// CHECK-NEXT: [[N4:%.+]] = flatir.abs %arg0 : tensor<4xf16>
// CHECK-NEXT: [[N5:%.+]] = flatir.constant dense<0x7C00> : tensor<4xf16>
// CHECK-NEXT: [[N6:%.+]] = flatir.compare  lt [[N4]], [[N5]] : tensor<4xf16> -> tensor<4xi1>
// CHECK-NEXT: return [[N0]], [[N3]], [[N6]] : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
func.func @classify(%a: tensor<4xf16>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %0 = trace.isnan %a : (tensor<4xf16>) -> tensor<4xi1>
  %1 = trace.isinf %a : (tensor<4xf16>) -> tensor<4xi1>
  %2 = trace.isfinite %a : (tensor<4xf16>) -> tensor<4xi1>
  return %0, %1, %2 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: func.func @clamp(
// CHECK: [[N0:%.+]] = flatir.broadcast %arg1 dims = [] sizes() : tensor<i32> -> tensor<2x3xi32>
// CHECK-NEXT: [[N1:%.+]] = flatir.broadcast %arg2 dims = [1] sizes() : tensor<3xi32> -> tensor<2x3xi32>
// CHECK-NEXT: [[N2:%.+]] = flatir.maximum %arg0, [[N0]] : tensor<2x3xi32>
// CHECK-NEXT: [[N3:%.+]] = flatir.minimum [[N2]], [[N1]] : tensor<2x3xi32>
// CHECK-NEXT: return [[N3]] : tensor<2x3xi32>
func.func @clamp(%a: tensor<2x3xi32>, %low: tensor<i32>, %high: tensor<3xi32>) -> tensor<2x3xi32> {
  %0 = trace.clamp %a, %low, %high : (tensor<2x3xi32>, tensor<i32>, tensor<3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// CHECK-LABEL: func.func @reciprocal(
// CHECK: [[N0:%.+]] = flatir.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.div [[N0]], %arg0 : tensor<4xf32>
// CHECK-NEXT: return [[N1]] : tensor<4xf32>
func.func @reciprocal(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = trace.reciprocal %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// 16-bit floats are computed in f32 and rounded once.
// CHECK-LABEL: func.func @elu(
// CHECK: [[N0:%.+]] = flatir.composite "elu"(%arg0) {alpha = 1.500000e+00 : f64} : (tensor<4xf16>) -> tensor<4xf16> {
// CHECK-NEXT: ^bb0([[B1:%arg[0-9]+]]: tensor<4xf16>):
// CHECK-NEXT: [[N2:%.+]] = flatir.convert [[B1]] : tensor<4xf16> -> tensor<4xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.expm1 [[N2]] : tensor<4xf32>
// CHECK-NEXT: [[N4:%.+]] = flatir.constant dense<1.500000e+00> : tensor<4xf32>
// CHECK-NEXT: [[N5:%.+]] = flatir.mul [[N3]], [[N4]] : tensor<4xf32>
// CHECK-NEXT: [[N6:%.+]] = flatir.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: [[N7:%.+]] = flatir.compare  gt [[N2]], [[N6]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[N8:%.+]] = flatir.select [[N7]], [[N2]], [[N5]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: [[N9:%.+]] = flatir.convert [[N8]] : tensor<4xf32> -> tensor<4xf16>
// CHECK-NEXT: flatir.yield [[N9]] : tensor<4xf16>
// CHECK-NEXT: }
// CHECK-NEXT: return [[N0]] : tensor<4xf16>
func.func @elu(%a: tensor<4xf16>) -> tensor<4xf16> {
  %0 = trace.elu %a alpha = 1.5 : (tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// CHECK-LABEL: func.func @leaky_relu(
// CHECK: [[N0:%.+]] = flatir.composite "leaky_relu"(%arg0) {slope = 2.500000e-01 : f64} : (tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0([[B1:%arg[0-9]+]]: tensor<4xf32>):
// CHECK-NEXT: [[N2:%.+]] = flatir.constant dense<2.500000e-01> : tensor<4xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.mul [[B1]], [[N2]] : tensor<4xf32>
// CHECK-NEXT: [[N4:%.+]] = flatir.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: [[N5:%.+]] = flatir.compare  gt [[B1]], [[N4]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[N6:%.+]] = flatir.select [[N5]], [[B1]], [[N3]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: flatir.yield [[N6]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return [[N0]] : tensor<4xf32>
func.func @leaky_relu(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = trace.leaky_relu %a slope = 0.25 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @mish(
// CHECK: [[N0:%.+]] = flatir.composite "mish"(%arg0) {} : (tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0([[B1:%arg[0-9]+]]: tensor<4xf32>):
// CHECK-NEXT: [[N2:%.+]] = flatir.abs [[B1]] : tensor<4xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.neg [[N2]] : tensor<4xf32>
// CHECK-NEXT: [[N4:%.+]] = flatir.exp [[N3]] : tensor<4xf32>
// CHECK-NEXT: [[N5:%.+]] = flatir.log1p [[N4]] : tensor<4xf32>
// CHECK-NEXT: [[N6:%.+]] = flatir.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: [[N7:%.+]] = flatir.maximum [[B1]], [[N6]] : tensor<4xf32>
// CHECK-NEXT: [[N8:%.+]] = flatir.add [[N7]], [[N5]] : tensor<4xf32>
// CHECK-NEXT: [[N9:%.+]] = flatir.tanh [[N8]] : tensor<4xf32>
// CHECK-NEXT: [[N10:%.+]] = flatir.mul [[B1]], [[N9]] : tensor<4xf32>
// CHECK-NEXT: flatir.yield [[N10]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return [[N0]] : tensor<4xf32>
func.func @mish(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = trace.mish %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @hard_swish(
// CHECK: [[N0:%.+]] = flatir.composite "hard_swish"(%arg0) {} : (tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0([[B1:%arg[0-9]+]]: tensor<4xf32>):
// CHECK-NEXT: [[N2:%.+]] = flatir.constant dense<0.166666672> : tensor<4xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.mul [[B1]], [[N2]] : tensor<4xf32>
// CHECK-NEXT: [[N4:%.+]] = flatir.constant dense<5.000000e-01> : tensor<4xf32>
// CHECK-NEXT: [[N5:%.+]] = flatir.add [[N3]], [[N4]] : tensor<4xf32>
// CHECK-NEXT: [[N6:%.+]] = flatir.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: [[N7:%.+]] = flatir.maximum [[N5]], [[N6]] : tensor<4xf32>
// CHECK-NEXT: [[N8:%.+]] = flatir.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: [[N9:%.+]] = flatir.minimum [[N7]], [[N8]] : tensor<4xf32>
// CHECK-NEXT: [[N10:%.+]] = flatir.mul [[B1]], [[N9]] : tensor<4xf32>
// CHECK-NEXT: flatir.yield [[N10]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return [[N0]] : tensor<4xf32>
func.func @hard_swish(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = trace.hard_swish %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @hard_sigmoid(
// CHECK: [[N0:%.+]] = flatir.composite "hard_sigmoid"(%arg0) {alpha = 2.000000e-01 : f64, beta = 5.000000e-01 : f64} : (tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ^bb0([[B1:%arg[0-9]+]]: tensor<4xf32>):
// CHECK-NEXT: [[N2:%.+]] = flatir.constant dense<2.000000e-01> : tensor<4xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.mul [[B1]], [[N2]] : tensor<4xf32>
// CHECK-NEXT: [[N4:%.+]] = flatir.constant dense<5.000000e-01> : tensor<4xf32>
// CHECK-NEXT: [[N5:%.+]] = flatir.add [[N3]], [[N4]] : tensor<4xf32>
// CHECK-NEXT: [[N6:%.+]] = flatir.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK-NEXT: [[N7:%.+]] = flatir.maximum [[N5]], [[N6]] : tensor<4xf32>
// CHECK-NEXT: [[N8:%.+]] = flatir.constant dense<1.000000e+00> : tensor<4xf32>
// CHECK-NEXT: [[N9:%.+]] = flatir.minimum [[N7]], [[N8]] : tensor<4xf32>
// CHECK-NEXT: flatir.yield [[N9]] : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return [[N0]] : tensor<4xf32>
func.func @hard_sigmoid(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = trace.hard_sigmoid %a alpha = 0.2 beta = 0.5 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @softplus(
// CHECK: [[N0:%.+]] = flatir.dim %arg0, 0 : tensor<?xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.composite "softplus"(%arg0, [[N0]]) {} : (tensor<?xf32>, index) -> tensor<?xf32> {
// CHECK-NEXT: ^bb0([[B2:%arg[0-9]+]]: tensor<?xf32>, [[B3:%arg[0-9]+]]: index):
// CHECK-NEXT: [[N4:%.+]] = flatir.abs [[B2]] : tensor<?xf32>
// CHECK-NEXT: [[N5:%.+]] = flatir.neg [[N4]] : tensor<?xf32>
// CHECK-NEXT: [[N6:%.+]] = flatir.exp [[N5]] : tensor<?xf32>
// CHECK-NEXT: [[N7:%.+]] = flatir.log1p [[N6]] : tensor<?xf32>
// CHECK-NEXT: [[N8:%.+]] = flatir.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[N9:%.+]] = flatir.broadcast [[N8]] dims = [] sizes([[B3]]) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT: [[N10:%.+]] = flatir.maximum [[B2]], [[N9]] : tensor<?xf32>
// CHECK-NEXT: [[N11:%.+]] = flatir.add [[N10]], [[N7]] : tensor<?xf32>
// CHECK-NEXT: flatir.yield [[N11]] : tensor<?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return [[N1]] : tensor<?xf32>
func.func @softplus(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = trace.softplus %a : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Integers are summed in 64 bits.
// CHECK-LABEL: func.func @mean_of_integers(
// CHECK: [[N0:%.+]] = flatir.convert %arg0 : tensor<2x3xi32> -> tensor<2x3xi64>
// CHECK-NEXT: [[N1:%.+]] = flatir.reduce  sum [[N0]] dims = [1] : tensor<2x3xi64> -> tensor<2xi64>
// CHECK-NEXT: [[N2:%.+]] = flatir.constant dense<3> : tensor<2xi64>
// CHECK-NEXT: [[N3:%.+]] = flatir.div [[N1]], [[N2]] : tensor<2xi64>
// CHECK-NEXT: [[N4:%.+]] = flatir.convert [[N3]] : tensor<2xi64> -> tensor<2xi32>
// CHECK-NEXT: return [[N4]] : tensor<2xi32>
func.func @mean_of_integers(%a: tensor<2x3xi32>) -> tensor<2xi32> {
  %0 = trace.mean %a dims = [1] : (tensor<2x3xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// CHECK-LABEL: func.func @from_index(
// CHECK: [[N0:%.+]] = flatir.dim %arg0, 0 : tensor<?xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.from_index [[N0]] : tensor<i64>
// CHECK-NEXT: return [[N1]] : tensor<i64>
func.func @from_index(%a: tensor<?xf32>) -> tensor<i64> {
  %n = trace.dim %a dim = 0 : (tensor<?xf32>) -> index
  %0 = trace.from_index %n dtype = i64 -> tensor<i64>
  return %0 : tensor<i64>
}
