//===- LevelVerifierTest.cpp - What a broken pass leaves is found ---------===//

#include "tripy/Pipelines/LevelVerifier.h"
#include "tripy/Compiler/Compiler.h"
#include "tripy/Pipelines/InitAll.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tripy;

namespace {

constexpr char program[] = R"mlir(
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = trace.exp %a : (tensor<2xf32>) -> tensor<2xf32> loc("user.cpp":3:5)
  return %0 : tensor<2xf32>
}
)mlir";

constexpr char withoutLocations[] = R"mlir(
func.func @main(%a: tensor<2xf32> loc(unknown)) -> tensor<2xf32> {
  %0 = trace.exp %a : (tensor<2xf32>) -> tensor<2xf32> loc(unknown)
  return %0 : tensor<2xf32> loc(unknown)
} loc(unknown)
)mlir";

/// Breaks a program in some way.
struct BreakPass : PassWrapper<BreakPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakPass)
  explicit BreakPass(std::function<void(ModuleOp)> change)
      : change(std::move(change)) {}
  StringRef getArgument() const override { return "test-break"; }
  void runOnOperation() override { change(getOperation()); }
  std::function<void(ModuleOp)> change;
};

/// Adds a function that does not return what it should, where no pass looks.
void makeInvalid(ModuleOp module) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto inner = ModuleOp::create(b, module.getLoc(), "broken");
  b.setInsertionPointToStart(inner.getBody());
  auto function = func::FuncOp::create(b, module.getLoc(), "f",
                                       b.getFunctionType({}, b.getF32Type()));
  b.setInsertionPointToStart(function.addEntryBlock());
  func::ReturnOp::create(b, module.getLoc());
}

class LevelVerifierTest : public testing::TestWithParam<Level> {
protected:
  LevelVerifierTest() {
    DialectRegistry registry;
    registerTripyAndUpstreamDialects(registry);
    context.appendDialectRegistry(registry);
  }
  /// Compiles to the last level, and breaks the program on the way to `level`;
  /// returns the errors.
  std::string compile(const char *text, Level level,
                      std::function<void(ModuleOp)> change,
                      bool verify = true) {
    std::string errors;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        errors += diagnostic.str() + "\n";
      return success();
    });
    auto module = parseSourceString<ModuleOp>(text, &context);
    CompileOptions options;
    options.verify = verify;
    Level reached = Level::Trace;
    options.configure = [&](PassManager &pm) {
      reached = Level(llvm::to_underlying(reached) + 1);
      if (reached == level)
        pm.addPass(std::make_unique<BreakPass>(change));
    };
    LogicalResult result = lowerProgram(*module, Level::Plan, options);
    EXPECT_EQ(failed(result), !errors.empty());
    return errors;
  }
  MLIRContext context;
};

TEST_P(LevelVerifierTest, InvalidIRIsAnInternalErrorOfItsLevel) {
  std::string level(levelName(GetParam()));
  std::string errors = compile(program, GetParam(), makeInvalid);
  EXPECT_TRUE(StringRef(errors).starts_with(
      "internal error: the program is broken after the level '" + level +
      "': "))
      << errors;
  EXPECT_EQ(StringRef(errors).count('\n'), 1u) << errors;
}

TEST_P(LevelVerifierTest, CanBeLeftOut) {
  EXPECT_EQ(compile(program, GetParam(), makeInvalid, /*verify=*/false), "");
}

INSTANTIATE_TEST_SUITE_P(AllLevels, LevelVerifierTest,
                         testing::Values(Level::FlatIR, Level::Dispatches,
                                         Level::Linalg, Level::Kernels,
                                         Level::Plan),
                         [](const auto &info) {
                           return std::string(levelName(info.param));
                         });

TEST_F(LevelVerifierTest, LostLocationsAreFound) {
  auto forget = [](ModuleOp module) {
    module.walk([&](Operation *op) {
      if (op->getName().getStringRef() == "flatir.exp")
        op->setLoc(UnknownLoc::get(op->getContext()));
    });
  };
  EXPECT_EQ(compile(program, Level::Dispatches, forget),
            "internal error: the program is broken after the level "
            "'dispatches': every operation has the location of a user's line; "
            "after 'dispatches' this one has none\n");
}

TEST_F(LevelVerifierTest, MadeUpLocationsAreFound) {
  auto invent = [](ModuleOp module) {
    module.walk([&](Operation *op) {
      if (op->getName().getStringRef() == "flatir.exp")
        op->setLoc(FileLineColLoc::get(op->getContext(), "other.cpp", 1, 1));
    });
  };
  EXPECT_EQ(compile(program, Level::Dispatches, invent),
            "internal error: the program is broken after the level "
            "'dispatches': a pass takes locations from the operations that it "
            "replaces; 'dispatches' made up this one\n");
}

/// Locations that the user left out are no fault of the compiler.
TEST_F(LevelVerifierTest, NeedsNoMoreLocationsThanTheProgramHas) {
  EXPECT_EQ(compile(withoutLocations, Level::Trace, makeInvalid), "");
  EXPECT_EQ(compile(program, Level::Trace, makeInvalid), "");
}

} // namespace
