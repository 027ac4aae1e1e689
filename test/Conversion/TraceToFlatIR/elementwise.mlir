// RUN: tripy-opt %s --trace-to-flatir | FileCheck %s

// Rows of the table of scalar functions: one pattern lowers all of them.
// CHECK-LABEL: func.func @unary(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.neg [[ARG0]] : tensor<2x3xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.abs [[N0]] : tensor<2x3xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.exp [[N1]] : tensor<2x3xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.log [[N2]] : tensor<2x3xf32>
// CHECK-NEXT: [[N4:%.+]] = flatir.sqrt [[N3]] : tensor<2x3xf32>
// CHECK-NEXT: [[N5:%.+]] = flatir.rsqrt [[N4]] : tensor<2x3xf32>
// CHECK-NEXT: [[N6:%.+]] = flatir.tanh [[N5]] : tensor<2x3xf32>
// CHECK-NEXT: [[N7:%.+]] = flatir.erf [[N6]] : tensor<2x3xf32>
// CHECK-NEXT: [[N8:%.+]] = flatir.sin [[N7]] : tensor<2x3xf32>
// CHECK-NEXT: [[N9:%.+]] = flatir.cos [[N8]] : tensor<2x3xf32>
// CHECK-NEXT: [[N10:%.+]] = flatir.floor [[N9]] : tensor<2x3xf32>
// CHECK-NEXT: [[N11:%.+]] = flatir.ceil [[N10]] : tensor<2x3xf32>
// CHECK-NEXT: return [[N11]] : tensor<2x3xf32>
func.func @unary(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = trace.neg %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = trace.abs %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = trace.exp %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = trace.log %2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = trace.sqrt %3 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = trace.rsqrt %4 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = trace.tanh %5 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %7 = trace.erf %6 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %8 = trace.sin %7 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %9 = trace.cos %8 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %10 = trace.floor %9 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %11 = trace.ceil %10 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %11 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @binary(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.add [[ARG0]], [[ARG1]] : tensor<4xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.sub [[N0]], [[ARG1]] : tensor<4xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.mul [[N1]], [[ARG1]] : tensor<4xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.div [[N2]], [[ARG1]] : tensor<4xf32>
// CHECK-NEXT: [[N4:%.+]] = flatir.pow [[N3]], [[ARG1]] : tensor<4xf32>
// CHECK-NEXT: [[N5:%.+]] = flatir.maximum [[N4]], [[ARG1]] : tensor<4xf32>
// CHECK-NEXT: [[N6:%.+]] = flatir.minimum [[N5]], [[ARG1]] : tensor<4xf32>
// CHECK-NEXT: [[N7:%.+]] = flatir.floor_div [[N6]], [[ARG1]] : tensor<4xf32>
// CHECK-NEXT: return [[N7]] : tensor<4xf32>
func.func @binary(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = trace.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = trace.sub %0, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = trace.mul %1, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = trace.div %2, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = trace.pow %3, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = trace.maximum %4, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %6 = trace.minimum %5, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %7 = trace.floor_div %6, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %7 : tensor<4xf32>
}

// CHECK-LABEL: func.func @mod(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.mod [[ARG0]], [[ARG1]] : tensor<4xi32>
// CHECK-NEXT: return [[N0]] : tensor<4xi32>
func.func @mod(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %0 = trace.mod %a, %b : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// CHECK-LABEL: func.func @logic(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.logical_and [[ARG0]], [[ARG1]] : tensor<4xi1>
// CHECK-NEXT: [[N1:%.+]] = flatir.logical_or [[N0]], [[ARG1]] : tensor<4xi1>
// CHECK-NEXT: [[N2:%.+]] = flatir.logical_not [[N1]] : tensor<4xi1>
// CHECK-NEXT: return [[N2]] : tensor<4xi1>
func.func @logic(%a: tensor<4xi1>, %b: tensor<4xi1>) -> tensor<4xi1> {
  %0 = trace.logical_and %a, %b : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %1 = trace.logical_or %0, %b : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  %2 = trace.logical_not %1 : (tensor<4xi1>) -> tensor<4xi1>
  return %2 : tensor<4xi1>
}

// CHECK-LABEL: func.func @compare(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.compare eq [[ARG0]], [[ARG0]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[N1:%.+]] = flatir.compare ne [[ARG0]], [[ARG0]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[N2:%.+]] = flatir.broadcast [[ARG1]] dims = [0] sizes() : tensor<1xf32> -> tensor<4xf32>
// CHECK-NEXT: [[N3:%.+]] = flatir.compare lt [[ARG0]], [[N2]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[N4:%.+]] = flatir.compare le [[ARG0]], [[ARG0]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[N5:%.+]] = flatir.compare gt [[ARG0]], [[ARG0]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: [[N6:%.+]] = flatir.compare ge [[ARG0]], [[ARG0]] : tensor<4xf32> -> tensor<4xi1>
// CHECK-NEXT: return [[N0]], [[N1]], [[N3]], [[N4]], [[N5]], [[N6]] : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
func.func @compare(%a: tensor<4xf32>, %b: tensor<1xf32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %0 = trace.eq %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = trace.ne %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %2 = trace.lt %a, %b : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xi1>
  %3 = trace.le %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %4 = trace.gt %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %5 = trace.ge %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0, %1, %2, %3, %4, %5 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}

// CHECK-LABEL: func.func @where(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:{{.*}}[[ARG2:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.broadcast [[ARG0]] dims = [0, 1] sizes() : tensor<2x1xi1> -> tensor<2x3xi1>
// CHECK-NEXT: [[N1:%.+]] = flatir.broadcast [[ARG2]] dims = [1] sizes() : tensor<3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: [[N2:%.+]] = flatir.select [[N0]], [[ARG1]], [[N1]] : tensor<2x3xi1>, tensor<2x3xf32>
// CHECK-NEXT: return [[N2]] : tensor<2x3xf32>
func.func @where(%c: tensor<2x1xi1>, %a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = trace.where %c, %a, %b : (tensor<2x1xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// A cast to the same type is nothing.
// CHECK-LABEL: func.func @cast(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG0]], 0 : tensor<?xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.convert [[ARG0]] : tensor<?xf32> -> tensor<?xf16>
// CHECK-NEXT: return [[N1]] : tensor<?xf16>
func.func @cast(%a: tensor<?xf32>) -> tensor<?xf16> {
  %0 = trace.cast %a to f32 : (tensor<?xf32>) -> tensor<?xf32>
  %1 = trace.cast %0 to f16 : (tensor<?xf32>) -> tensor<?xf16>
  return %1 : tensor<?xf16>
}

// CHECK-LABEL: func.func @relu(
// CHECK-SAME: [[ARG0:%arg[0-9]+]]:{{.*}}[[ARG1:%arg[0-9]+]]:
// CHECK: [[N0:%.+]] = flatir.dim [[ARG1]], 0 : tensor<?xf32>
// CHECK-NEXT: [[N1:%.+]] = flatir.constant dense<0> : tensor<4xi32>
// CHECK-NEXT: [[N2:%.+]] = flatir.maximum [[ARG0]], [[N1]] : tensor<4xi32>
// CHECK-NEXT: [[N3:%.+]] = flatir.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: [[N4:%.+]] = flatir.broadcast [[N3]] dims = [] sizes([[N0]]) : tensor<f32> -> tensor<?xf32>
// CHECK-NEXT: [[N5:%.+]] = flatir.maximum [[ARG1]], [[N4]] : tensor<?xf32>
// CHECK-NEXT: return [[N2]], [[N5]] : tensor<4xi32>, tensor<?xf32>
func.func @relu(%a: tensor<4xi32>, %b: tensor<?xf32>) -> (tensor<4xi32>, tensor<?xf32>) {
  %0 = trace.relu %a : (tensor<4xi32>) -> tensor<4xi32>
  %1 = trace.relu %b : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<4xi32>, tensor<?xf32>
}

// i4 is computed in i8, whose low 4 bits are the result: -8 // -1 is -8.
// CHECK-LABEL: func.func @floor_div_i4(
// CHECK: [[X:%.+]] = flatir.convert %arg0 : tensor<?x5xi4> -> tensor<?x5xi8>
// CHECK: [[Y:%.+]] = flatir.convert %{{.+}} : tensor<?x5xi4> -> tensor<?x5xi8>
// CHECK: [[R:%.+]] = flatir.floor_div [[X]], [[Y]] : tensor<?x5xi8>
// CHECK: flatir.convert [[R]] : tensor<?x5xi8> -> tensor<?x5xi4>
func.func @floor_div_i4(%x: tensor<?x5xi4>, %y: tensor<5xi4>) -> tensor<?x5xi4> {
  %0 = trace.floor_div %x, %y : (tensor<?x5xi4>, tensor<5xi4>) -> tensor<?x5xi4>
  return %0 : tensor<?x5xi4>
}
