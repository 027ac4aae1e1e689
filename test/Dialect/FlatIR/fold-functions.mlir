// RUN: tripy-opt %s --canonicalize | FileCheck %s

// Functions of a constant with one value, at places where the result is exact.
// CHECK-LABEL: func.func @zeros
// CHECK-NEXT: %[[Z:.*]] = flatir.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: return %[[Z]], %[[Z]], %[[Z]], %[[Z]], %[[Z]], %[[Z]], %[[Z]], %[[Z]], %[[Z]], %[[Z]], %[[Z]], %[[Z]], %[[Z]], %[[Z]], %[[Z]], %[[Z]], %[[Z]] :
func.func @zeros() -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %zero = flatir.constant dense<0.0> : tensor<f32>
  %one = flatir.constant dense<1.0> : tensor<f32>
  %0 = flatir.log %one : tensor<f32>
  %1 = flatir.tanh %zero : tensor<f32>
  %2 = flatir.erf %zero : tensor<f32>
  %3 = flatir.sin %zero : tensor<f32>
  %4 = flatir.expm1 %zero : tensor<f32>
  %5 = flatir.log10 %one : tensor<f32>
  %6 = flatir.log1p %zero : tensor<f32>
  %7 = flatir.cbrt %zero : tensor<f32>
  %8 = flatir.tan %zero : tensor<f32>
  %9 = flatir.asin %zero : tensor<f32>
  %10 = flatir.acos %one : tensor<f32>
  %11 = flatir.atan %zero : tensor<f32>
  %12 = flatir.sinh %zero : tensor<f32>
  %13 = flatir.asinh %zero : tensor<f32>
  %14 = flatir.acosh %one : tensor<f32>
  %15 = flatir.atanh %zero : tensor<f32>
  %16 = flatir.atan2 %zero, %one : tensor<f32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// CHECK-LABEL: func.func @sqrt
// CHECK-NEXT: %[[R:.*]] = flatir.constant dense<2.000000e+00> : tensor<2xf32>
// CHECK-NEXT: return %[[R]]
func.func @sqrt() -> tensor<2xf32> {
  %0 = flatir.constant dense<4.0> : tensor<2xf32>
  %r = flatir.sqrt %0 : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @rsqrt
// CHECK-NEXT: %[[R:.*]] = flatir.constant dense<5.000000e-01> : tensor<2xf32>
// CHECK-NEXT: return %[[R]]
func.func @rsqrt() -> tensor<2xf32> {
  %0 = flatir.constant dense<4.0> : tensor<2xf32>
  %r = flatir.rsqrt %0 : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @ceil
// CHECK-NEXT: %[[R:.*]] = flatir.constant dense<-1.000000e+00> : tensor<2xf32>
// CHECK-NEXT: return %[[R]]
func.func @ceil() -> tensor<2xf32> {
  %0 = flatir.constant dense<-1.5> : tensor<2xf32>
  %r = flatir.ceil %0 : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @trunc
// CHECK-NEXT: %[[R:.*]] = flatir.constant dense<-1.000000e+00> : tensor<2xf32>
// CHECK-NEXT: return %[[R]]
func.func @trunc() -> tensor<2xf32> {
  %0 = flatir.constant dense<-1.5> : tensor<2xf32>
  %r = flatir.trunc %0 : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @exp2
// CHECK-NEXT: %[[R:.*]] = flatir.constant dense<8.000000e+00> : tensor<2xf32>
// CHECK-NEXT: return %[[R]]
func.func @exp2() -> tensor<2xf32> {
  %0 = flatir.constant dense<3.0> : tensor<2xf32>
  %r = flatir.exp2 %0 : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @log2
// CHECK-NEXT: %[[R:.*]] = flatir.constant dense<3.000000e+00> : tensor<2xf32>
// CHECK-NEXT: return %[[R]]
func.func @log2() -> tensor<2xf32> {
  %0 = flatir.constant dense<8.0> : tensor<2xf32>
  %r = flatir.log2 %0 : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @cos
// CHECK-NEXT: %[[R:.*]] = flatir.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK-NEXT: return %[[R]]
func.func @cos() -> tensor<2xf32> {
  %0 = flatir.constant dense<0.0> : tensor<2xf32>
  %r = flatir.cos %0 : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @cosh
// CHECK-NEXT: %[[R:.*]] = flatir.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK-NEXT: return %[[R]]
func.func @cosh() -> tensor<2xf32> {
  %0 = flatir.constant dense<0.0> : tensor<2xf32>
  %r = flatir.cosh %0 : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @minimum
// CHECK-NEXT: %[[R:.*]] = flatir.constant dense<2.000000e+00> : tensor<2xf32>
// CHECK-NEXT: return %[[R]]
func.func @minimum() -> tensor<2xf32> {
  %0 = flatir.constant dense<3.0> : tensor<2xf32>
  %1 = flatir.constant dense<2.0> : tensor<2xf32>
  %r = flatir.minimum %0, %1 : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func.func @bitwise_or
// CHECK-NEXT: %[[R:.*]] = flatir.constant dense<7> : tensor<2xi32>
// CHECK-NEXT: return %[[R]]
func.func @bitwise_or() -> tensor<2xi32> {
  %0 = flatir.constant dense<5> : tensor<2xi32>
  %1 = flatir.constant dense<2> : tensor<2xi32>
  %r = flatir.bitwise_or %0, %1 : tensor<2xi32>
  return %r : tensor<2xi32>
}

// CHECK-LABEL: func.func @shift_left
// CHECK-NEXT: %[[R:.*]] = flatir.constant dense<12> : tensor<2xi32>
// CHECK-NEXT: return %[[R]]
func.func @shift_left() -> tensor<2xi32> {
  %0 = flatir.constant dense<3> : tensor<2xi32>
  %1 = flatir.constant dense<2> : tensor<2xi32>
  %r = flatir.shift_left %0, %1 : tensor<2xi32>
  return %r : tensor<2xi32>
}

// CHECK-LABEL: func.func @logical_or
// CHECK-NEXT: %[[R:.*]] = flatir.constant dense<true> : tensor<2xi1>
// CHECK-NEXT: return %[[R]]
func.func @logical_or() -> tensor<2xi1> {
  %0 = flatir.constant dense<true> : tensor<2xi1>
  %1 = flatir.constant dense<false> : tensor<2xi1>
  %r = flatir.logical_or %0, %1 : tensor<2xi1>
  return %r : tensor<2xi1>
}
