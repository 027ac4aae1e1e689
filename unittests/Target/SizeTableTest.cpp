//===- SizeTableTest.cpp - Index arithmetic as size expressions -----------===//

#include "tripy/Dialect/Kernel/SizeTable.h"
#include "tripy/Dialect/Kernel/Kernel.h"
#include "tripy/Dialect/Tripy/Tripy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace tripy;
using tripy::kernel::SizeTable;
using Symbol = tripy::TableIndex;

namespace {

/// Reads the body of a function of one argument of n = 2..8 and m = 1..4
/// elements; results are what it returns.
class SizeTableTest : public testing::Test {
protected:
  SizeTableTest() {
    context.loadDialect<TripyDialect, kernel::KernelDialect,
                        mlir::arith::ArithDialect, mlir::func::FuncDialect>();
  }

  void read(const std::string &body, const std::string &results = "index") {
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @f(%x: tensor<?x?xf32> {tripy.profile = "
        "#tripy.profile<min = [2, 1], opt = [4, 2], max = [8, 4]>, "
        "tripy.dims = [\"n\", \"m\"]}) -> (" +
            results + ") {\n" +
            "%n = kernel.input_size 0, 0\n%m = kernel.input_size 0, 1\n"
            "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
            "%c3 = arith.constant 3 : index\n" +
            body + "}",
        &context);
    ASSERT_TRUE(module);
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    table.addInputs(function);
    for (mlir::Operation &op : function.getBody().front()) {
      table.visit(&op);
      last = &op;
    }
  }

  /// Value of result `number` for n and m.
  int64_t evaluate(int64_t n, int64_t m, unsigned number = 0) {
    mlir::FailureOr<Symbol> expr = table.lookup(last->getOperand(number));
    EXPECT_TRUE(mlir::succeeded(expr));
    Program program;
    program.symbols = table.symbolList();
    program.exprs = table.exprList();
    std::vector<int64_t> values(program.exprs.size()), symbols = {n, m};
    EXPECT_TRUE(evaluateSizes(program, symbols, values).isOk());
    Interval range = table.bounds(*expr);
    EXPECT_TRUE(range.contains(values[*expr]));
    return values[*expr];
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::Operation *last = nullptr;
  SizeTable table;
};

} // namespace

TEST_F(SizeTableTest, Symbols) {
  read("return %n : index");
  ASSERT_EQ(table.symbolList().size(), 2u);
  EXPECT_EQ(table.symbolList()[0].name, "n");
  EXPECT_EQ(table.symbolList()[1].max, 4);
  EXPECT_EQ(table.bounds(table.inputSize(0, 0)).lo, 2);
  EXPECT_EQ(evaluate(5, 2), 5);
}

TEST_F(SizeTableTest, BroadcastIsRecognised) {
  read("%is = arith.cmpi eq, %m, %c1 : index\n"
       "%r = arith.select %is, %n, %m : index\nreturn %r : index");
  mlir::FailureOr<Symbol> expr = table.lookup(last->getOperand(0));
  EXPECT_EQ(table.exprList()[*expr].op, SizeOp::Broadcast);
  EXPECT_EQ(evaluate(7, 1), 7);
  EXPECT_EQ(evaluate(7, 3), 3);
}

TEST_F(SizeTableTest, SelectsOfAnything) {
  read("%lt = arith.cmpi slt, %m, %n : index\n"
       "%s = arith.select %lt, %c3, %c0 : index\n"
       "%ne = arith.cmpi ne, %m, %n : index\n"
       "%both = arith.andi %lt, %ne : i1\n"
       "%t = arith.select %both, %n, %m : index\nreturn %s, %t : index, index",
       "index, index");
  EXPECT_EQ(evaluate(4, 3, 0), 3);
  EXPECT_EQ(evaluate(3, 3, 0), 0);
  EXPECT_EQ(evaluate(2, 4, 0), 0);
  EXPECT_EQ(evaluate(4, 3, 1), 4);
  EXPECT_EQ(evaluate(2, 4, 1), 4);
  // The range is that of the two values, not of their sum.
  EXPECT_LE(table.bounds(*table.lookup(last->getOperand(0))).hi, 3);
}

TEST_F(SizeTableTest, EqualExpressionsAreOne) {
  read("%a = arith.addi %n, %m : index\n%b = arith.addi %m, %n : index\n"
       "%c = arith.muli %a, %c1 : index\nreturn %b, %c : index, index",
       "index, index");
  EXPECT_EQ(*table.lookup(last->getOperand(0)),
            *table.lookup(last->getOperand(1)));
}

TEST_F(SizeTableTest, ProfileDecides) {
  // n >= 2 > 1: the comparison and what hangs on it are constants.
  read("%is = arith.cmpi sle, %n, %c1 : index\n"
       "%r = arith.select %is, %m, %c3 : index\nreturn %r : index");
  EXPECT_EQ(table.constantOf(*table.lookup(last->getOperand(0))), 3);
}

TEST_F(SizeTableTest, Division) {
  // n - 2 may be 0: a condition.
  read("%c2 = arith.constant 2 : index\n%z = arith.subi %n, %c2 : index\n"
       "%q = arith.divsi %m, %z : index\n"
       "%f = arith.floordivsi %n, %c3 : index\n"
       "%c = arith.ceildivsi %n, %c3 : index\n"
       "%r = arith.remsi %n, %c3 : index\n"
       "return %q, %f, %c, %r : index, index, index, index",
       "index, index, index, index");
  EXPECT_EQ(evaluate(4, 4, 0), 2);
  EXPECT_EQ(evaluate(7, 1, 1), 2);
  EXPECT_EQ(evaluate(7, 1, 2), 3);
  EXPECT_EQ(evaluate(7, 1, 3), 1);
  std::vector<kernel::SizeCondition> conditions = table.takeConditions();
  ASSERT_EQ(conditions.size(), 1u);
  EXPECT_EQ(conditions[0].kind, CheckKind::Quotient);
  EXPECT_EQ(table.bounds(conditions[0].b).lo, 0);
  EXPECT_EQ(table.bounds(conditions[0].b).hi, 6);
}

TEST_F(SizeTableTest, DivisionOfNegativeValues) {
  read("%c5 = arith.constant 5 : index\n%d = arith.subi %n, %c5 : index\n"
       "%c2 = arith.constant 2 : index\n%q = arith.divsi %d, %c2 : index\n"
       "%r = arith.remsi %d, %c2 : index\n"
       "%f = arith.floordivsi %d, %c2 : index\n"
       "%c = arith.ceildivsi %d, %c2 : index\n"
       "return %q, %r, %f, %c : index, index, index, index",
       "index, index, index, index");
  int64_t values[] = {-1, -1, -2, -1};
  for (unsigned i = 0; i < 4; ++i)
    EXPECT_EQ(evaluate(2, 1, i), values[i]) << i;
  EXPECT_TRUE(table.takeConditions().empty());
}

TEST_F(SizeTableTest, OverflowIsACondition) {
  read(
      "%big = arith.constant 4611686018427387904 : index\n"
      "%o = arith.muli %m, %big : index\n%again = arith.muli %big, %m : index\n"
      "%r = arith.minsi %o, %c3 : index\nreturn %r : index");
  std::vector<kernel::SizeCondition> conditions = table.takeConditions();
  ASSERT_EQ(conditions.size(), 1u);
  EXPECT_EQ(conditions[0].kind, CheckKind::Product);
  // The range is that of results that there are.
  EXPECT_EQ(table.bounds(*table.lookup(last->getOperand(0))), (Interval{3, 3}));
}

TEST_F(SizeTableTest, OtherOperationsAreErrors) {
  read("%s = arith.shli %n, %m : index\n%r = arith.addi %s, %m : index\n"
       "return %r : index");
  std::string message;
  mlir::ScopedDiagnosticHandler handler(
      &context,
      [&](mlir::Diagnostic &diagnostic) { message = diagnostic.str(); });
  EXPECT_TRUE(mlir::failed(table.lookup(last->getOperand(0))));
  EXPECT_NE(message.find("arith.shli"), std::string::npos) << message;
}

TEST_F(SizeTableTest, ProductsAreBoundedWithTheirQuotients) {
  // A reshape of 8 x 4 elements to [-1, k * 2], k <= 8, and then to [-1, 3].
  read("%c2 = arith.constant 2 : index\n%v = arith.muli %n, %m : index\n"
       "%k2 = arith.muli %n, %c2 : index\n"
       "%d = arith.maxsi %k2, %c1 : index\n"
       "%q = arith.floordivsi %v, %d : index\n"
       "%w = arith.muli %q, %k2 : index\n"
       "%q3 = arith.floordivsi %w, %c3 : index\n"
       "%u = arith.muli %q3, %c3 : index\n"
       "%c6 = arith.constant 6 : index\n%s = arith.muli %q3, %c6 : index\n"
       "return %w, %u, %s : index, index, index",
       "index, index, index");
  auto maximum = [&](unsigned i) {
    return table.bounds(*table.lookup(last->getOperand(i))).hi;
  };
  EXPECT_EQ(maximum(0), 32);
  EXPECT_LE(maximum(1), 32);
  EXPECT_LE(maximum(2), 64);
  for (int64_t n = 2; n <= 8; ++n)
    for (int64_t m = 1; m <= 4; ++m) {
      int64_t w = n * m / (2 * n) * (2 * n);
      EXPECT_EQ(evaluate(n, m, 0), w);
      EXPECT_EQ(evaluate(n, m, 1), w / 3 * 3);
      EXPECT_EQ(evaluate(n, m, 2), w / 3 * 6);
    }
}

TEST_F(SizeTableTest, DivisorsOfOthersDoNotCancel) {
  // n <= 8 is divided by min(n, 3), and multiplied by n.
  read("%l = arith.minsi %n, %c3 : index\n"
       "%q = arith.floordivsi %n, %l : index\n"
       "%p = arith.muli %q, %n : index\nreturn %p : index");
  EXPECT_GE(table.bounds(*table.lookup(last->getOperand(0))).hi, 16);
  EXPECT_EQ(evaluate(8, 1), 16);
}
