// RUN: tripy-opt %s --trace-to-flatir | FileCheck %s

// CHECK-LABEL: func.func @kinds(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.reduce sum [[ARG0]] dims = [1] : tensor<2x3xf32> -> tensor<2xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.reduce prod [[ARG0]] dims = [0] : tensor<2x3xf32> -> tensor<3xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.reduce max [[ARG0]] dims = [1] : tensor<2x3xf32> -> tensor<2xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.reshape [[N2]] sizes() : tensor<2xf32> -> tensor<2x1xf32>
// CHECK-NEXT: [[N4:%.+]] = flatir.reduce min [[ARG0]] dims = [0, 1] : tensor<2x3xf32> -> tensor<f32>
// CHECK-NEXT: [[N5:%.+]] = flatir.reduce and [[ARG1]] dims = [1] : tensor<2x3xi1> -> tensor<2xi1>
// CHECK-NEXT: [[N6:%.+]] = flatir.reduce or [[ARG1]] dims = [0] : tensor<2x3xi1> -> tensor<3xi1>
// CHECK-NEXT: return [[N0]], [[N1]], [[N3]], [[N4]], [[N5]], [[N6]] : tensor<2xf32>, tensor<3xf32>, tensor<2x1xf32>, tensor<f32>, tensor<2xi1>, tensor<3xi1>
func.func @kinds(%a: tensor<2x3xf32>, %b: tensor<2x3xi1>) -> (tensor<2xf32>, tensor<3xf32>, tensor<2x1xf32>, tensor<f32>, tensor<2xi1>, tensor<3xi1>) {
  %0 = trace.sum %a dims = [-1] : (tensor<2x3xf32>) -> tensor<2xf32>
  %1 = trace.prod %a dims = [0] : (tensor<2x3xf32>) -> tensor<3xf32>
  %2 = trace.max %a dims = [1] keepdim : (tensor<2x3xf32>) -> tensor<2x1xf32>
  %3 = trace.min %a dims = [] : (tensor<2x3xf32>) -> tensor<f32>
  %4 = trace.all %b dims = [1] : (tensor<2x3xi1>) -> tensor<2xi1>
  %5 = trace.any %b dims = [0] : (tensor<2x3xi1>) -> tensor<3xi1>
  return %0, %1, %2, %3, %4, %5 : tensor<2xf32>, tensor<3xf32>, tensor<2x1xf32>, tensor<f32>, tensor<2xi1>, tensor<3xi1>
}

// Dimensions in any order; a scalar has none.
// CHECK-LABEL: func.func @dims(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.reduce sum [[ARG0]] dims = [0, 2] : tensor<2x3x4xf32> -> tensor<3xf32>
// CHECK-NEXT: return [[N0]], [[ARG1]] : tensor<3xf32>, tensor<f32>
func.func @dims(%a: tensor<2x3x4xf32>, %b: tensor<f32>) -> (tensor<3xf32>, tensor<f32>) {
  %0 = trace.sum %a dims = [-1, 0] : (tensor<2x3x4xf32>) -> tensor<3xf32>
  %1 = trace.sum %b dims = [] : (tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<3xf32>, tensor<f32>
}

// CHECK-LABEL: func.func @keepdim_dynamic(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG0]], 0 : tensor<?x3xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.reduce sum [[ARG0]] dims = [1] : tensor<?x3xf32> -> tensor<?xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.reshape [[N1]] sizes([[N0]]) : tensor<?xf32> -> tensor<?x1xf32>
// CHECK-NEXT: return [[N2]] : tensor<?x1xf32>
func.func @keepdim_dynamic(%a: tensor<?x3xf32>) -> tensor<?x1xf32> {
  %0 = trace.sum %a dims = [1] keepdim : (tensor<?x3xf32>) -> tensor<?x1xf32>
  return %0 : tensor<?x1xf32>
}

// CHECK-LABEL: func.func @mean(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.reduce sum [[ARG0]] dims = [1] : tensor<2x4xf32> -> tensor<2xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.constant dense<4.000000e+00> : tensor<2xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.div [[N0]], [[N1]] : tensor<2xf32>
// CHECK-NEXT: return [[N2]] : tensor<2xf32>
func.func @mean(%a: tensor<2x4xf32>) -> tensor<2xf32> {
  %0 = trace.mean %a dims = [1] : (tensor<2x4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// The number of elements is known at run time, the mean is rounded once.
// CHECK-LABEL: func.func @mean_dynamic(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG0]], 0 : tensor<?x?x8xbf16>
// CHECK-NEXT: [[N1:%.+]] = flatir.dim [[ARG0]], 1 : tensor<?x?x8xbf16>
// CHECK-NEXT: [[N2:%.+]] = flatir.convert [[ARG0]] : tensor<?x?x8xbf16> -> tensor<?x?x8xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.reduce sum [[N2]] dims = [0, 1] : tensor<?x?x8xf32> -> tensor<8xf32>
// CHECK-NEXT: flatir.require "product" [[N0]], [[N1]] "the product of two sizes must fit 64 bits"
// CHECK-NEXT: [[N4:%.+]] = arith.muli [[N0]], [[N1]] : index
// CHECK-NEXT: [[N5:%.+]] = flatir.from_index [[N4]] : tensor<f32>
// CHECK-NEXT: [[N6:%.+]] = flatir.broadcast [[N5]] dims = [] sizes() : tensor<f32> -> tensor<8xf32>
// CHECK-NEXT: [[N7:%.+]] = flatir.div [[N3]], [[N6]] : tensor<8xf32>
// CHECK-NEXT: [[N8:%.+]] = flatir.convert [[N7]] : tensor<8xf32> -> tensor<8xbf16>
// CHECK-NEXT: return [[N8]] : tensor<8xbf16>
func.func @mean_dynamic(%a: tensor<?x?x8xbf16>) -> tensor<8xbf16> {
  %0 = trace.mean %a dims = [0, 1] : (tensor<?x?x8xbf16>) -> tensor<8xbf16>
  return %0 : tensor<8xbf16>
}

// CHECK-LABEL: func.func @var(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.reduce sum [[ARG0]] dims = [1] : tensor<2x4xf32> -> tensor<2xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.constant dense<4.000000e+00> : tensor<2xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.div [[N0]], [[N1]] : tensor<2xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.broadcast [[N2]] dims = [0] sizes() : tensor<2xf32> -> tensor<2x4xf32>
// CHECK-NEXT: [[N4:%.+]] = flatir.sub [[ARG0]], [[N3]] : tensor<2x4xf32>
// CHECK-NEXT: [[N5:%.+]] = flatir.mul [[N4]], [[N4]] : tensor<2x4xf32>
// CHECK-NEXT: [[N6:%.+]] = flatir.reduce sum [[N5]] dims = [1] : tensor<2x4xf32> -> tensor<2xf32>
// CHECK-NEXT: [[N7:%.+]] = flatir.constant dense<3.000000e+00> : tensor<2xf32>
// CHECK-NEXT: [[N8:%.+]] = flatir.div [[N6]], [[N7]] : tensor<2xf32>
// CHECK-NEXT: [[N9:%.+]] = flatir.reshape [[N8]] sizes() : tensor<2xf32> -> tensor<2x1xf32>
// CHECK-NEXT: return [[N9]] : tensor<2x1xf32>
func.func @var(%a: tensor<2x4xf32>) -> tensor<2x1xf32> {
  %0 = trace.var %a dims = [1] keepdim : (tensor<2x4xf32>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}

// max(n - correction, 0): never below 0.
// CHECK-LABEL: func.func @var_correction(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG0]], 0 : tensor<?xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.reduce sum [[ARG0]] dims = [0] : tensor<?xf32> -> tensor<f32>
// CHECK-NEXT: [[N2:%.+]] = flatir.from_index [[N0]] : tensor<f32>
// CHECK-NEXT: [[N3:%.+]] = flatir.div [[N1]], [[N2]] : tensor<f32>
// CHECK-NEXT: [[N4:%.+]] = flatir.broadcast [[N3]] dims = [] sizes([[N0]]) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT: [[N5:%.+]] = flatir.sub [[ARG0]], [[N4]] : tensor<?xf32>
// CHECK-NEXT: [[N6:%.+]] = flatir.mul [[N5]], [[N5]] : tensor<?xf32>
// CHECK-NEXT: [[N7:%.+]] = flatir.reduce sum [[N6]] dims = [0] : tensor<?xf32> -> tensor<f32>
// CHECK-NEXT: [[N8:%.+]] = arith.constant -2 : index
// CHECK-NEXT: [[N9:%.+]] = arith.addi [[N0]], [[N8]] : index
// CHECK-NEXT: [[N10:%.+]] = arith.constant 0 : index
// CHECK-NEXT: [[N11:%.+]] = arith.maxsi [[N9]], [[N10]] : index
// CHECK-NEXT: [[N12:%.+]] = flatir.from_index [[N11]] : tensor<f32>
// CHECK-NEXT: [[N13:%.+]] = flatir.div [[N7]], [[N12]] : tensor<f32>
// CHECK-NEXT: [[N14:%.+]] = flatir.reduce sum [[ARG1]] dims = [0] : tensor<2xf32> -> tensor<f32>
// CHECK-NEXT: [[N15:%.+]] = flatir.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: [[N16:%.+]] = flatir.div [[N14]], [[N15]] : tensor<f32>
// CHECK-NEXT: [[N17:%.+]] = flatir.broadcast [[N16]] dims = [] sizes() : tensor<f32> -> tensor<2xf32>
// CHECK-NEXT: [[N18:%.+]] = flatir.sub [[ARG1]], [[N17]] : tensor<2xf32>
// CHECK-NEXT: [[N19:%.+]] = flatir.mul [[N18]], [[N18]] : tensor<2xf32>
// CHECK-NEXT: [[N20:%.+]] = flatir.reduce sum [[N19]] dims = [0] : tensor<2xf32> -> tensor<f32>
// CHECK-NEXT: [[N21:%.+]] = flatir.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[N22:%.+]] = flatir.div [[N20]], [[N21]] : tensor<f32>
// CHECK-NEXT: return [[N13]], [[N22]] : tensor<f32>, tensor<f32>
func.func @var_correction(%a: tensor<?xf32>, %b: tensor<2xf32>) -> (tensor<f32>, tensor<f32>) {
  %0 = trace.var %a dims = [0] correction = 2 : (tensor<?xf32>) -> tensor<f32>
  %1 = trace.var %b dims = [0] correction = 5 : (tensor<2xf32>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}
