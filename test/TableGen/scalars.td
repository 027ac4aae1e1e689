// RUN: tripy-tblgen -gen-scalars %include %s | FileCheck %s

include "tripy/Dialect/Common/ScalarFns.td"

def FnTwice : UnaryFn<"twice", "Twice"> {
  let floatForm = "scalar::createTwice";
  let floatReference = "2 * x";
  let ulp = 1;
  let low = "-1.0";
  let high = "1.0";
  let summary = "Element-wise \"double\"";
}

// Rows are in the order of their definition, after those of the table.
// CHECK-LABEL: #ifdef GET_SCALAR_ENUMS
// CHECK: enum class ScalarFn : unsigned char {
// CHECK-NEXT: Add,
// CHECK: ShiftRight,
// CHECK-NEXT: Twice,
// CHECK-NEXT: };
// CHECK: enum class ComparisonFn : unsigned char {
// CHECK-NEXT: Eq,

// CHECK-LABEL: #ifdef GET_SCALAR_TABLE
// CHECK: {"add", 2, true, true, true, 0, -4.0, 4.0,
// CHECK: {"twice", 1, true, false, false, 1, -1.0, 1.0,
// CHECK-NEXT: "Element-wise \"double\""},
// CHECK: {"ne", ::mlir::arith::CmpFPredicate::UNE,
// CHECK-NEXT: ::mlir::arith::CmpIPredicate::ne},

// CHECK-LABEL: #ifdef GET_SCALAR_REFERENCE
// CHECK: static double evaluateFloat(
// CHECK: case ScalarFn::Twice:
// CHECK-NEXT: return 2 * x;
// CHECK: static int64_t evaluateInt(
// CHECK-NOT: Twice
// CHECK: static bool evaluateBool(
// CHECK-NOT: Twice

// CHECK: #ifdef GET_SCALAR_BUILDERS
// CHECK: static ::mlir::Value buildFloat(
// CHECK: case ScalarFn::Twice:
// CHECK-NEXT: return scalar::createTwice(builder, loc, operands);
// CHECK: static ::mlir::Value buildInt(
// CHECK-NOT: Twice

// Only what does not jump is named.
// CHECK: #ifdef GET_SCALAR_READINGS
// CHECK: if (::llvm::isa<::mlir::arith::AddFOp>(op))
// CHECK-NEXT: return Reading::Continuous;
// CHECK-NOT: FloorOp
// CHECK: if (::llvm::isa<::mlir::arith::MaximumFOp>(op))
// CHECK-NEXT: return Reading::Passes;
// CHECK-NOT: FloorOp
// CHECK: return Reading::Jumps;
