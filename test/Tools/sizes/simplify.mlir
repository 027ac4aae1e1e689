// RUN: tripy-opt %s --pass-pipeline='builtin.module(func.func(tripy-simplify))' | FileCheck %s

// Constants stay where they are: c + d would not fit 64 bits, while n + c and
// (n + c) + d may.
// CHECK-LABEL: func.func @sums(
// CHECK: [[SUM:%.+]] = arith.addi %arg0, %c9223372036854775807
// CHECK: arith.addi [[SUM]], %c5
func.func @sums(%n: index) -> index {
  %c = arith.constant 9223372036854775807 : index
  %d = arith.constant 5 : index
  %0 = arith.addi %n, %c : index
  %1 = arith.addi %0, %d : index
  return %1 : index
}

// CHECK-LABEL: func.func @products(
// CHECK: [[PRODUCT:%.+]] = arith.muli %arg0, %c4
// CHECK: arith.muli [[PRODUCT]], %c2
func.func @products(%n: index) -> index {
  %c = arith.constant 4 : index
  %d = arith.constant 2 : index
  %0 = arith.muli %n, %c : index
  %1 = arith.muli %0, %d : index
  return %1 : index
}

// Single operations fold where they have a result.
// CHECK-LABEL: func.func @folds(
// CHECK-NEXT: [[FIVE:%.+]] = arith.constant 5 : index
// CHECK-NEXT: return %arg0, [[FIVE]]
func.func @folds(%n: index) -> (index, index) {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %0 = arith.addi %n, %zero : index
  %1 = arith.addi %two, %three : index
  return %0, %1 : index, index
}
