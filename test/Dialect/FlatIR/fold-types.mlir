// RUN: tripy-opt %s --canonicalize --split-input-file | FileCheck %s

// Small integers wrap around; unsigned ones divide by 0 to their highest value.
// CHECK-LABEL: func.func @small_integers
// CHECK-DAG: %[[SUM:.*]] = flatir.constant dense<-56> : tensor<2xi8>
// CHECK-DAG: %[[LOWEST:.*]] = flatir.constant dense<-128> : tensor<2xi8>
// CHECK-DAG: %[[WIDE:.*]] = flatir.constant dense<-2> : tensor<2xi16>
// CHECK-DAG: %[[HIGHEST:.*]] = flatir.constant dense<255> : tensor<2xui8>
// CHECK-DAG: %[[LESS:.*]] = flatir.constant dense<false> : tensor<2xi1>
// CHECK: return %[[SUM]], %[[LOWEST]], %[[WIDE]], %[[HIGHEST]], %[[HIGHEST]], %[[LESS]]
func.func @small_integers() -> (tensor<2xi8>, tensor<2xi8>, tensor<2xi16>, tensor<2xui8>, tensor<2xui8>, tensor<2xi1>) {
  %a = flatir.constant dense<100> : tensor<2xi8>
  %low = flatir.constant dense<-128> : tensor<2xi8>
  %minus = flatir.constant dense<-1> : tensor<2xi8>
  %w = flatir.constant dense<32767> : tensor<2xi16>
  %u = flatir.constant dense<200> : tensor<2xui8>
  %v = flatir.constant dense<201> : tensor<2xui8>
  %zero = flatir.constant dense<0> : tensor<2xui8>
  %0 = flatir.add %a, %a : tensor<2xi8>
  %1 = flatir.div %low, %minus : tensor<2xi8>
  %2 = flatir.add %w, %w : tensor<2xi16>
  %3 = flatir.sub %u, %v : tensor<2xui8>
  %4 = flatir.div %u, %zero : tensor<2xui8>
  %5 = flatir.compare lt %u, %zero : tensor<2xui8> -> tensor<2xi1>
  return %0, %1, %2, %3, %4, %5 : tensor<2xi8>, tensor<2xi8>, tensor<2xi16>, tensor<2xui8>, tensor<2xui8>, tensor<2xi1>
}

// -----

// Conversions saturate from floats and keep the low bits of integers.
// CHECK-LABEL: func.func @conversions
// CHECK-DAG: %[[U:.*]] = flatir.constant dense<255> : tensor<2xui8>
// CHECK-DAG: %[[Z:.*]] = flatir.constant dense<0> : tensor<2xui8>
// CHECK-DAG: %[[I:.*]] = flatir.constant dense<127> : tensor<2xi8>
// CHECK-DAG: %[[BITS:.*]] = flatir.constant dense<-56> : tensor<2xi8>
// CHECK-DAG: %[[N:.*]] = flatir.constant dense<200> : tensor<2xi32>
// CHECK-DAG: %[[INF:.*]] = flatir.constant dense<0x7C> : tensor<2xf8E5M2>
// CHECK-DAG: %[[F:.*]] = flatir.constant dense<2.000000e+02> : tensor<2xf64>
// CHECK: return %[[U]], %[[Z]], %[[I]], %[[BITS]], %[[N]], %[[INF]], %[[F]]
func.func @conversions() -> (tensor<2xui8>, tensor<2xui8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi32>, tensor<2xf8E5M2>, tensor<2xf64>) {
  %large = flatir.constant dense<61440.0> : tensor<2xf32>
  %negative = flatir.constant dense<-5.0> : tensor<2xf64>
  %u = flatir.constant dense<200> : tensor<2xui8>
  %0 = flatir.convert %large : tensor<2xf32> -> tensor<2xui8>
  %1 = flatir.convert %negative : tensor<2xf64> -> tensor<2xui8>
  %2 = flatir.convert %large : tensor<2xf32> -> tensor<2xi8>
  %3 = flatir.convert %u : tensor<2xui8> -> tensor<2xi8>
  %4 = flatir.convert %u : tensor<2xui8> -> tensor<2xi32>
  %5 = flatir.convert %large : tensor<2xf32> -> tensor<2xf8E5M2>
  %6 = flatir.convert %u : tensor<2xui8> -> tensor<2xf64>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2xui8>, tensor<2xui8>, tensor<2xi8>, tensor<2xi8>, tensor<2xi32>, tensor<2xf8E5M2>, tensor<2xf64>
}

// -----

// A wider type on the way changes nothing.
// CHECK-LABEL: func.func @exact_steps
// CHECK: flatir.convert %{{.*}} : tensor<2xf32> -> tensor<2xf16>
// CHECK-NEXT: flatir.convert %{{.*}} : tensor<2xi16> -> tensor<2xi8>
// CHECK-NEXT: flatir.convert %{{.*}} : tensor<2xui8> -> tensor<2xf32>
// CHECK-NEXT: return
func.func @exact_steps(%f: tensor<2xf32>, %i: tensor<2xi16>, %u: tensor<2xui8>) -> (tensor<2xf16>, tensor<2xi8>, tensor<2xf32>) {
  %0 = flatir.convert %f : tensor<2xf32> -> tensor<2xf64>
  %1 = flatir.convert %0 : tensor<2xf64> -> tensor<2xf16>
  %2 = flatir.convert %i : tensor<2xi16> -> tensor<2xi32>
  %3 = flatir.convert %2 : tensor<2xi32> -> tensor<2xi8>
  %4 = flatir.convert %u : tensor<2xui8> -> tensor<2xi16>
  %5 = flatir.convert %4 : tensor<2xi16> -> tensor<2xf32>
  return %1, %3, %5 : tensor<2xf16>, tensor<2xi8>, tensor<2xf32>
}

// -----

// A narrower one rounds, a float lets an integer saturate, and an unsigned type
// loses the sign.
// CHECK-LABEL: func.func @inexact_steps
// CHECK-COUNT-6: flatir.convert
func.func @inexact_steps(%f: tensor<2xf64>, %i: tensor<2xi16>, %j: tensor<2xi8>) -> (tensor<2xf16>, tensor<2xi8>, tensor<2xi32>) {
  %0 = flatir.convert %f : tensor<2xf64> -> tensor<2xf32>
  %1 = flatir.convert %0 : tensor<2xf32> -> tensor<2xf16>
  %2 = flatir.convert %i : tensor<2xi16> -> tensor<2xf32>
  %3 = flatir.convert %2 : tensor<2xf32> -> tensor<2xi8>
  %4 = flatir.convert %j : tensor<2xi8> -> tensor<2xui8>
  %5 = flatir.convert %4 : tensor<2xui8> -> tensor<2xi32>
  return %1, %3, %5 : tensor<2xf16>, tensor<2xi8>, tensor<2xi32>
}

// -----

// Truth values are 0 and 1, and what is not 0 is true.
// CHECK-LABEL: func.func @truth
// CHECK-DAG: %[[TRUE:.*]] = flatir.constant dense<true> : tensor<2xi1>
// CHECK-DAG: %[[FALSE:.*]] = flatir.constant dense<false> : tensor<2xi1>
// CHECK: return %[[TRUE]], %[[FALSE]], %[[FALSE]], %[[TRUE]], %[[FALSE]]
func.func @truth() -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) {
  %t = flatir.constant dense<true> : tensor<2xi1>
  %f = flatir.constant dense<false> : tensor<2xi1>
  %0 = flatir.add %t, %t : tensor<2xi1>
  %1 = flatir.sub %t, %t : tensor<2xi1>
  %2 = flatir.mul %t, %f : tensor<2xi1>
  %3 = flatir.div %f, %f : tensor<2xi1>
  %4 = flatir.mod %f, %f : tensor<2xi1>
  return %0, %1, %2, %3, %4 : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
}
