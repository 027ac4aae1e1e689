//===- SizeOpsTest.cpp - Which operations compute sizes -------------------===//

#include "tripy/Dialect/Common/SizeOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <fstream>
#include <sstream>

using namespace tripy;

namespace {

std::string readText(const std::string &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(SizeOps, ThePageHasTheList) {
  std::string page = readText(TRIPY_SOURCE_DIR "/docs/sizes.md");
  EXPECT_NE(page.find("-->\n" + sizeOpTable() + "<!-- end"), std::string::npos)
      << "the table of docs/sizes.md must be\n"
      << sizeOpTable();
}

class SizeOpsTest : public testing::Test {
protected:
  SizeOpsTest() {
    context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect>();
    // Names that the list has and the dialect does not.
    context.allowUnregisteredDialects();
  }

  /// The operation before the return of a function of two indices, two truth
  /// values, an i64 and a float.
  mlir::Operation *parse(const std::string &operation) {
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @f(%a: index, %b: index, %s: i1, %t: i1, %w: i64, "
        "%x: f32) {\n" +
            operation + "\nreturn\n}",
        &context);
    EXPECT_TRUE(module) << operation;
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    return &function.getBody().front().front();
  }

  bool isInList(const std::string &operation) {
    mlir::Operation *op = parse(operation);
    bool found = findSizeOp(op);
    mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) {});
    EXPECT_EQ(mlir::succeeded(checkSizeOp(op)), found || !isSizeArithmetic(op))
        << operation;
    return found;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace

TEST_F(SizeOpsTest, EveryNameIsAnOperation) {
  for (const SizeOpRow &row : sizeOpRows())
    EXPECT_TRUE(mlir::RegisteredOperationName::lookup(row.name, &context))
        << row.name.str();
}

TEST_F(SizeOpsTest, NumbersAndTruthValues) {
  for (const char *name :
       {"addi", "subi", "muli", "divsi", "floordivsi", "ceildivsi", "remsi",
        "minsi", "maxsi", "divui", "ceildivui", "remui", "minui", "maxui"}) {
    std::string op = std::string("%r = arith.") + name;
    EXPECT_TRUE(isInList(op + " %a, %b : index")) << name;
    EXPECT_FALSE(isInList(op + " %s, %t : i1")) << name;
    EXPECT_FALSE(isInList(op + " %w, %w : i64")) << name;
  }
  for (const char *name : {"andi", "ori", "xori"}) {
    std::string op = std::string("%r = arith.") + name;
    EXPECT_TRUE(isInList(op + " %a, %b : index")) << name;
    EXPECT_TRUE(isInList(op + " %s, %t : i1")) << name;
    EXPECT_FALSE(isInList(op + " %w, %w : i64")) << name;
  }
}

TEST_F(SizeOpsTest, OtherForms) {
  EXPECT_TRUE(isInList("%r = arith.constant 5 : index"));
  EXPECT_TRUE(isInList("%r = arith.constant true"));
  EXPECT_FALSE(isInList("%r = arith.constant 1.0 : f32"));
  EXPECT_TRUE(isInList("%r = arith.cmpi ult, %a, %b : index"));
  EXPECT_FALSE(isInList("%r = arith.cmpi slt, %s, %t : i1"));
  EXPECT_TRUE(isInList("%r = arith.select %s, %a, %b : index"));
  EXPECT_TRUE(isInList("%r = arith.select %s, %t, %s : i1"));
  EXPECT_FALSE(isInList("%r = arith.select %s, %x, %x : f32"));
  EXPECT_TRUE(isInList("%r = arith.index_castui %s : i1 to index"));
  EXPECT_FALSE(isInList("%r = arith.index_castui %a : index to i64"));
  EXPECT_FALSE(isInList("%r = arith.index_cast %s : i1 to index"));
  EXPECT_FALSE(isInList("%r = arith.shli %a, %b : index"));
  EXPECT_FALSE(isInList("%r = arith.addf %x, %x : f32"));
}

TEST_F(SizeOpsTest, ConstantsOfTruthValues) {
  EXPECT_EQ(constantSize(parse("%r = arith.constant true")), 1);
  EXPECT_EQ(constantSize(parse("%r = arith.constant false")), 0);
  EXPECT_EQ(constantSize(parse("%r = arith.constant -1 : index")), -1);
}
