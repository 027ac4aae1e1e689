// RUN: tripy-opt %s --flatir-to-linalg | FileCheck %s

// Conditions that arithmetic on sizes has a result.
// CHECK-LABEL: func.func @conditions(
// CHECK-SAME: [[A:%.+]]: index, [[B:%.+]]: index
// CHECK: [[SUM:%.+]] = arith.addi [[A]], [[B]]
// CHECK: [[X:%.+]] = arith.xori [[A]], [[SUM]]
// CHECK: [[Y:%.+]] = arith.xori [[B]], [[SUM]]
// CHECK: [[BOTH:%.+]] = arith.andi [[X]], [[Y]]
// CHECK: [[HOLDS:%.+]] = arith.cmpi sge, [[BOTH]]
// CHECK: cf.assert [[HOLDS]], "sum"
// CHECK: [[SUB:%.+]] = arith.subi [[A]], [[B]]
// CHECK: arith.xori [[A]], [[B]]
// CHECK: arith.xori [[A]], [[SUB]]
// CHECK: cf.assert {{.*}}, "difference"
// CHECK: [[LOW:%.+]], [[HIGH:%.+]] = arith.mulsi_extended [[A]], [[B]]
// CHECK: [[SIGN:%.+]] = arith.shrsi [[LOW]]
// CHECK: arith.cmpi eq, [[HIGH]], [[SIGN]]
// CHECK: cf.assert {{.*}}, "product"
// CHECK: arith.cmpi ne, [[A]]
// CHECK: arith.cmpi ne, [[B]]
// CHECK: arith.ori
// CHECK: cf.assert {{.*}}, "quotient"
// CHECK: arith.cmpi ne, [[B]]
// CHECK: cf.assert {{.*}}, "remainder"
func.func @conditions(%a: index, %b: index) {
  flatir.require "sum" %a, %b "sum"
  flatir.require "difference" %a, %b "difference"
  flatir.require "product" %a, %b "product"
  flatir.require "quotient" %a, %b "quotient"
  flatir.require "remainder" %a, %b "remainder"
  return
}
